import { describe, expect, test } from 'vitest'
import { ChainKey } from './chainKey.ts'
import { FakeDisk } from '../../lab/fakes/fakeDisk.ts'
import {
  account,
  allRecords,
  client,
  decision,
  directory,
  errorEvent,
  LogLines,
  ManualTime,
  openFake,
  sent,
} from './journal.fixture.ts'
import { exportJournal, journalStats, verifyJournal } from './inspect.ts'
import type { OpenedJournal } from './opened.ts'

const dayMs = 86_400_000
const key = ChainKey.of(Buffer.alloc(32, 7), { account, network: 'testnet' })
const world = (by: ChainKey | null) => ({
  ...{ disk: new FakeDisk(), time: new ManualTime(), log: new LogLines() },
  key: by,
})
type World = ReturnType<typeof world>
const keepDays = 3

const segmentsOf = ({ disk }: World) =>
  disk.paths().filter((path) => /\/\d{16}-[^/]*\.ndjson$/.test(path))

/** Ten days, each with a decision and its send; nothing is removed without a snapshot. */
async function tenDays(w: World): Promise<OpenedJournal> {
  const opened = await openFake(w, { keepDays, key: w.key })
  for (let day = 1; day <= 10; day += 1) {
    const { seq } = await opened.journal.append(decision(day), 'now').durable
    await opened.journal.append(sent(seq), 'now').durable
    await w.time.pass(dayMs)
  }
  return opened
}

async function textsFrom(w: World, since?: number): Promise<readonly number[]> {
  const seqs: number[] = []
  for await (const line of exportJournal(directory, since, Infinity, 'published', w.disk.io)) {
    seqs.push((JSON.parse(line) as { seq: number }).seq)
  }
  return seqs
}

describe.each([
  { name: 'without a key', by: null },
  { name: 'with a key', by: key },
])('$name', ({ by }) => {
  test('whole segments that are too old go, and numbers, chain and index stay right', async () => {
    const w = world(by)
    const opened = await tenDays(w)
    expect(segmentsOf(w)).toHaveLength(10)
    await opened.saveSnapshot('engine', 20, { peak: '1' })
    // Day 11 has begun: what was written on day 7 or later is at most three days old.
    const kept = (await allRecords(opened)).map(({ seq }) => seq)
    expect(kept[0]).toBeGreaterThan(1)
    expect(kept[0]).toBeLessThanOrEqual(13)
    expect(kept).toEqual(Array.from(kept, (_, at) => (kept[0] ?? 0) + at))
    expect(kept.at(-1)).toBe(20)
    const { reader } = opened
    expect(await reader.decision(1 as never, null)).toBeNull()
    const found = await reader.decision(10 as never, client as never)
    expect([found?.decision.seq, found?.sent.map(({ seq }) => seq)]).toEqual([19, [20]])
    expect((await reader.page(0, 100, ['decision'])).map(({ seq }) => seq)).toEqual(
      kept.filter((seq) => seq % 2 === 1),
    )
    expect(w.log.lines.filter((line) => line.includes('made anew'))).toEqual([])
    expect((await opened.journal.append(errorEvent('next'), 'now').durable).seq).toBe(21)
    await opened.journal.close()

    const again = await openFake(w, { keepDays, key: w.key })
    expect((await allRecords(again)).map(({ seq }) => seq)).toEqual([...kept, 21])
    expect(await again.loadSnapshot('engine')).toMatchObject({ seq: 20 })
    const indexed = again.indexed()
    await w.time.pass(1_000)
    await indexed
    expect((await again.reader.decision(10 as never, null))?.decision.seq).toBe(19)
    await again.journal.close()
    expect(await verifyJournal(directory, undefined, w.disk.io, w.key)).toMatchObject({
      ...{ records: kept.length + 1, removed: { from: 1, to: (kept[0] ?? 0) - 1 } },
      problem: null,
    })
    expect(await textsFrom(w)).toEqual([...kept, 21])
    const { events, removed, bytes, bytesPerEvent } = await journalStats(directory, w.disk.io)
    const count = kept.length + 1
    expect([events, bytesPerEvent]).toEqual([count, Math.round(bytes / count)])
    expect(removed).toEqual({ from: 1, to: (kept[0] ?? 0) - 1 })
  })

  test('nothing that a start would read goes, and nothing at all without keep_days', async () => {
    const w = world(by)
    const opened = await tenDays(w)
    // Somebody asked for a snapshot that is not there, and has not saved one yet.
    expect(await opened.loadSnapshot('engine')).toBeNull()
    await opened.saveSnapshot('venue', 20, {})
    expect(await allRecords(opened)).toHaveLength(20)
    await opened.saveSnapshot('engine', 6, {})
    expect((await allRecords(opened))[0]?.seq).toBeLessThanOrEqual(6)
    await opened.journal.close()

    const other = world(by)
    const whole = await openFake(other, { key: other.key })
    await whole.journal.append(errorEvent('old'), 'now').durable
    for (let day = 0; day < 9; day += 1) {
      await other.time.pass(dayMs)
      await whole.journal.append(errorEvent('new'), 'now').durable
    }
    await whole.saveSnapshot('engine', 10, {})
    expect(await allRecords(whole)).toHaveLength(10)
    await whole.journal.close()
  })

  test('a crash at any step of it leaves a journal that opens and verifies', async () => {
    for (const mode of ['lost', 'kept'] as const) {
      for (let step = 0; ; step += 1) {
        const w = world(by)
        const opened = await tenDays(w)
        const from = w.disk.operations
        w.disk.plan = ({ index }) => (index === from + step ? { kind: 'crash_before' } : null)
        let isDone = false
        void opened.saveSnapshot('engine', 20, {}).then(() => (isDone = true))
        await w.time.pass(1)
        w.disk.plan = () => null
        w.disk.crash(mode)
        const again = await openFake(w, { keepDays, key: w.key })
        const seqs = (await allRecords(again)).map(({ seq }) => seq)
        expect(seqs).toEqual(Array.from(seqs, (_, at) => (seqs[0] ?? 0) + at))
        // Where the crash took the proof of the last record, a record of its own says so.
        const last = again.standing === 'unmarked' ? 21 : 20
        expect(seqs.at(-1)).toBe(last)
        expect(again.journal.append(errorEvent('next'), 'now').seq).toBe(last + 1)
        await again.journal.close()
        const { problem } = await verifyJournal(directory, undefined, w.disk.io, w.key)
        expect(problem).toBeNull()
        if (isDone) break
        expect(step).toBeLessThan(200)
      }
    }
  })

  test('a base that was altered is refused', async () => {
    const w = world(by)
    const opened = await tenDays(w)
    await opened.saveSnapshot('engine', 20, {})
    await opened.journal.close()
    const path = `${directory}/base.json`
    const text = Buffer.from(w.disk.bytes(path) ?? []).toString('utf8')
    w.disk.put(path, Buffer.from(text.replace(/"seq":\d+/, '"seq":2')))
    await expect(openFake(w, { key: w.key })).rejects.toThrow('base.json cannot be read')
  })
})
