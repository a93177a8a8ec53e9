import { expect, test } from 'vitest'
import { ChainKey } from './chainKey.ts'
import { FakeDisk } from '../../lab/fakes/fakeDisk.ts'
import { verifyJournal } from './inspect.ts'
import { LogLines, ManualTime, account, allRecords, directory } from './journal.fixture.ts'
import { errorEvent, openFake } from './journal.fixture.ts'
import type { World } from './journal.fixture.ts'

const key = ChainKey.of(Buffer.alloc(32, 7), { account, network: 'testnet' })
const kill = { kind: 'kill', reason: 'enough' } as const

/** What an earlier run left, by what it was, whether it is torn, and what waits beside it. */
const found = [
  { torn: false, waiting: false },
  { torn: true, waiting: false },
  { torn: false, waiting: true },
  { torn: true, waiting: true },
].flatMap((each) => [null, key].map((by) => ({ ...each, key: by })))

async function left({ torn, waiting, key: by }: (typeof found)[number]): Promise<World> {
  const w = { disk: new FakeDisk(), time: new ManualTime(), log: new LogLines() }
  const { journal } = await openFake(w, { key: by })
  await journal.append(errorEvent('one'), 'now').durable
  if (waiting) {
    w.disk.capacityBytes = 0
    await expect(journal.append(errorEvent('no'), 'now').durable).rejects.toThrow('ENOSPC')
    expect(await journal.appendEmergency(kill, null)).toMatchObject({ seq: -1, onDisk: true })
  }
  w.disk.kill()
  const segment = w.disk.paths().find((path) => /\/\d{16}-/.test(path)) ?? ''
  if (torn) {
    const whole = Buffer.from(w.disk.bytes(segment) ?? [])
    w.disk.put(segment, Buffer.concat([whole, Buffer.from('{"seq":2,"at_ms"')]))
  }
  return w
}

/** What the records say, but for the word of a start that nothing proves the last one to be that. */
const textsOf = (records: Awaited<ReturnType<typeof allRecords>>) =>
  records
    .map(({ body }) => ('text' in body ? body.text : body.kind))
    .filter((text) => !text.includes('nothing proves that record 1 was its last'))

test.each(found)(
  'a full disk does not keep a journal from opening (torn $torn, waiting $waiting, key $key.id)',
  async (each) => {
    const w = await left(each)
    w.disk.capacityBytes = 0
    const opened = await openFake(w, { key: each.key })
    // What was recorded is all there, a kill that no journal has taken yet among it.
    expect(textsOf(await allRecords(opened))).toEqual(each.waiting ? ['one', 'kill'] : ['one'])
    if (each.torn || each.waiting) expect(opened.journal.error).toMatch(/ENOSPC/)
    // What only protects is on disk before it goes.
    const flatten = await opened.journal.appendEmergency(errorEvent('flatten'), null)
    expect(flatten).toMatchObject({ emergency: true, onDisk: true })
    w.disk.capacityBytes = Infinity
    await w.time.pass(5_000)
    expect(opened.journal.error).toBeNull()
    await opened.journal.append(errorEvent('entry'), 'now').durable
    await opened.journal.close()

    const again = await openFake(w, { key: each.key })
    const texts = textsOf(await allRecords(again))
    expect(texts.filter((text) => text === 'kill')).toHaveLength(each.waiting ? 1 : 0)
    for (const text of ['one', 'flatten', 'entry']) expect(texts).toContain(text)
    expect(texts.some((text) => /bytes after record 1 were torn/.test(text))).toBe(each.torn)
    await again.journal.close()
    const verified = await verifyJournal(directory, undefined, w.disk.io, each.key)
    expect(verified.problem).toBeNull()
    const kept = w.disk.paths().filter((path) => path.includes('torn-'))
    expect(kept.map((path) => String(Buffer.from(w.disk.bytes(path) ?? [])))).toEqual(
      each.torn ? ['{"seq":2,"at_ms"'] : [],
    )
  },
)

test('a full disk that tears a start again and again loses nothing, and starts each time', async () => {
  const w = await left({ torn: true, waiting: true, key })
  for (let n = 0; n < 3; n += 1) {
    w.disk.capacityBytes = 0
    expect(textsOf(await allRecords(await openFake(w, { key })))).toEqual(['one', 'kill'])
    w.disk.kill()
  }
})
