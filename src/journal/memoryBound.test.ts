import { expect, test } from 'vitest'
import { limits } from '../core/values/limits.ts'
import { FakeDisk } from '../../lab/fakes/fakeDisk.ts'
import { LogLines, ManualTime, allRecords, decision, openFake } from './journal.fixture.ts'

/** As large as the record of a refused request may be. */
const large = { text: 'x'.repeat(16_000) }
const many = 900

test('large events do not pile up in memory, neither while Guard runs nor after a start', async () => {
  const world = { disk: new FakeDisk(), time: new ManualTime(), log: new LogLines() }
  const opened = await openFake(world)
  for (let n = 1; n <= many; n += 1) {
    const { durable } = opened.journal.append(decision(n, large), 'now')
    if (n % 100 === 0) await durable
  }
  const running = opened.reader.since(0)
  await opened.journal.close()
  const again = await openFake(world)
  const restarted = again.reader.since(0)
  for (const held of [running, restarted]) {
    expect(JSON.stringify(held).length).toBeLessThan(limits.eventsInMemoryBytes)
    expect(JSON.stringify(held).length).toBeGreaterThan(limits.eventsInMemoryBytes / 2)
    expect(held.at(-1)?.seq).toBe(many)
  }
  expect(again.reader.firstSeq).toBe(restarted[0]?.seq)
  // What left memory is still there for those who page.
  expect(await again.reader.page(0, 3, null)).toHaveLength(3)
  expect(await allRecords(again)).toHaveLength(many)
  await again.journal.close()
})

test('one record that is larger than the bound is held alone', async () => {
  const world = { disk: new FakeDisk(), time: new ManualTime(), log: new LogLines() }
  const huge = { text: 'x'.repeat(limits.eventsInMemoryBytes) }
  const bounds = { batchBytes: 4 * limits.eventsInMemoryBytes, queueBytes: 1e9 }
  const opened = await openFake(world, { bounds })
  opened.journal.append(decision(1), 'now')
  await opened.journal.append(decision(2, huge), 'now').durable
  expect(opened.reader.since(0).map(({ seq }) => seq)).toEqual([2])
  await opened.journal.close()
  const again = await openFake(world, { bounds })
  expect(again.reader.lastSeq).toBe(2)
  expect(again.reader.since(0).map(({ seq }) => seq)).toEqual([2])
  await again.journal.close()
})
