import { expect, test } from 'vitest'
import { FakeDisk } from '../../lab/fakes/fakeDisk.ts'
import { allRecords, LogLines, ManualTime, openFake, settle } from './journal.fixture.ts'
import type { World } from './journal.fixture.ts'

/** Opening and appending on a fake disk answer in microtasks; closing may wait for timers. */
function newWorld(): World {
  return { disk: new FakeDisk(), time: new ManualTime(), log: new LogLines() }
}

const isSegment = (path: string): boolean => /\d{16}-[^/]*\.ndjson$/.test(path)

test.each(['lost', 'kept'] as const)(
  'what a failed sync left readable is written again before anything follows it (%s)',
  async (mode) => {
    const world = newWorld()
    const first = await openFake(world)
    await first.journal.append({ kind: 'error', text: 'one' }, 'now').durable
    world.disk.plan = (op) =>
      op.kind === 'sync' && isSegment(op.path) ? { kind: 'error', code: 'EIO' } : null
    const failed = first.journal.append({ kind: 'error', text: 'two' }, 'now').durable
    await expect(failed).rejects.toThrow('EIO')
    // The process ends; the kernel still shows what it could not write.
    world.disk.kill()
    world.disk.plan = () => null

    const second = await openFake(world)
    const texts = (await allRecords(second)).map(({ body }) => (body as { text: string }).text)
    expect(texts.slice(0, 2)).toEqual(['one', 'two'])
    await second.journal.append({ kind: 'error', text: 'three' }, 'now').durable
    await settle()
    world.disk.crash(mode)

    const third = await openFake(world)
    const after = (await allRecords(third)).map(({ body }) => (body as { text: string }).text)
    expect(after).toEqual([...texts, 'three'])
  },
)
