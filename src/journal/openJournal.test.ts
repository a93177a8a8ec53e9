import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nonce } from '../core/values/millis.ts'
import { address } from '../core/values/address.ts'
import { anyText } from '../core/values/text.fixture.ts'
import { FakeDisk } from '../../lab/fakes/fakeDisk.ts'
import {
  LogLines,
  ManualTime,
  account,
  allRecords,
  client,
  decision,
  errorEvent,
  openFake,
  sent,
} from './journal.fixture.ts'

const world = () => ({ disk: new FakeDisk(), time: new ManualTime(), log: new LogLines() })

test('what is appended is numbered, synced, read back and replayed', async () => {
  const w = world()
  const opened = await openFake(w)
  const heard: number[] = []
  opened.reader.subscribe((event) => heard.push(event.seq))
  const first = opened.journal.append(decision(1), 'now')
  const second = opened.journal.append(sent(first.seq), 'ride')
  expect([first.seq, second.seq]).toEqual([1, 2])
  expect(opened.reader.lastSeq).toBe(0)
  expect(await first.durable).toMatchObject({ seq: 1, emergency: false, onDisk: true })
  await w.time.pass(5)
  await second.durable
  expect(heard).toEqual([1, 2])
  expect(opened.reader.since(0)).toEqual([first.event, second.event])
  expect(JSON.stringify(opened.reader.since(0))).not.toContain('internal-1')
  const found = await opened.reader.decision(nonce(1), address(client))
  expect(found).toEqual({ decision: first.event, sent: [second.event] })
  await opened.journal.close()

  const again = await openFake(w)
  expect(again.reader.since(0)).toEqual([first.event, second.event])
  expect((await allRecords(again)).map(({ body }) => body)).toEqual([decision(1), sent(1)])
  expect((await again.journal.append(errorEvent('x'), 'now').durable).seq).toBe(3)
  await again.journal.close()
})

test('text of any characters is read back', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyText(), { minLength: 1, maxLength: 6 }), async (texts) => {
      const w = world()
      const opened = await openFake(w)
      const bodies = texts.map((text, n) => ({ ...decision(n), text }))
      await Promise.all(bodies.map((body) => opened.journal.append(body, 'now').durable))
      await w.time.pass(1_000)
      for (const [n, text] of texts.entries()) {
        const found = await opened.reader.decision(nonce(n), address(client))
        expect(found?.decision).toMatchObject({ nonce: n, text })
      }
      await opened.journal.close()
      const again = await openFake(w)
      expect((await allRecords(again)).map(({ body }) => body)).toEqual(bodies)
      await again.journal.close()
    }),
    { numRuns: 50 },
  )
})

test('a riding record goes with the next sync, or after 5 ms', async () => {
  const w = world()
  const { journal, reader } = await openFake(w)
  journal.append(errorEvent('rides'), 'ride')
  await w.time.pass(4)
  expect(reader.lastSeq).toBe(0)
  await w.time.pass(1)
  expect(reader.lastSeq).toBe(1)
  journal.append(errorEvent('rides'), 'ride')
  await journal.append(errorEvent('goes'), 'now').durable
  expect(reader.lastSeq).toBe(3)
  await journal.close()
})

test('an idle disk begins at once, and whatever is queued meanwhile shares the next sync', async () => {
  const w = world()
  const { journal } = await openFake(w)
  await journal.append(errorEvent('begins the segment'), 'now').durable
  let syncs = 0
  w.disk.plan = (op) => {
    if (op.kind === 'sync') syncs += 1
    return null
  }
  await Promise.all(
    Array.from({ length: 256 }, (_, i) => journal.append(decision(i), 'now').durable),
  )
  expect(syncs).toBe(2)
  await journal.close()
})

test.each([
  [{ account: `0x${'3'.repeat(40)}`, network: 'testnet' }, 'belongs to another account'],
  [{ account, network: 'mainnet' }, 'belongs to another network'],
])('a journal of %o is refused', async (identity, text) => {
  const w = world()
  const { journal } = await openFake(w)
  await journal.close()
  await expect(openFake(w, { identity })).rejects.toThrow(text)
})

test('a second opening is refused while the first lasts', async () => {
  const w = world()
  const { journal } = await openFake(w)
  await expect(openFake(w)).rejects.toThrow('in use by the other process')
  await journal.close()
  const second = await openFake(w)
  await second.journal.close()
})

test('a full queue refuses what is new and still takes what has happened', async () => {
  const w = world()
  const { journal } = await openFake(w, { bounds: { queueRecords: 10 } })
  for (let i = 0; i < 10; i += 1) journal.append(decision(i), 'now')
  expect(() => journal.append(decision(10), 'now')).toThrow('no more fit')
  expect(journal.lastSeq).toBe(10)
  const rides = journal.append(sent(1), 'ride')
  expect(() => journal.append(sent(2), 'ride')).toThrow('no more fit')
  expect((await rides.durable).seq).toBe(11)
  expect((await journal.append(decision(10), 'now').durable).seq).toBe(12)
  await journal.close()
})

test('closing writes what is queued, and then refuses', async () => {
  const w = world()
  const { journal } = await openFake(w)
  const rides = journal.append(errorEvent('last'), 'ride')
  await journal.close()
  expect((await rides.durable).seq).toBe(1)
  expect(() => journal.append(errorEvent('late'), 'now')).toThrow('closed')
})

test('segments follow one another by size and by day', async () => {
  const w = world()
  const { journal } = await openFake(w, { bounds: { segmentBytes: 2_000 } })
  for (let i = 0; i < 8; i += 1) await journal.append(decision(i), 'now').durable
  await w.time.pass(86_400_000)
  await journal.append(decision(8), 'now').durable
  await journal.close()
  const names = w.disk.paths().filter((path) => /\d{16}-/.test(path))
  expect(names.map((name) => name.split('/').at(-1))).toEqual([
    '0000000000000001-2026-09-10.ndjson',
    '0000000000000005-2026-09-10.ndjson',
    '0000000000000009-2026-09-11.ndjson',
  ])
  const again = await openFake(w)
  expect((await allRecords(again)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
  await again.journal.close()
})

test('a failing listener harms nobody', async () => {
  const w = world()
  const { journal, reader } = await openFake(w)
  const heard: number[] = []
  reader.subscribe(() => {
    throw new Error('no')
  })
  const end = reader.subscribe((event) => heard.push(event.seq))
  await journal.append(errorEvent('a'), 'now').durable
  end()
  await journal.append(errorEvent('b'), 'now').durable
  expect(heard).toEqual([1])
  expect(w.log.lines).toContain('error a listener failed on event 1: no')
  await journal.close()
})
