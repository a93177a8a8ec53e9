import { expect, test } from 'vitest'
import { FakeDisk } from '../../lab/fakes/fakeDisk.ts'
import type { DiskFault, DiskOp } from '../../lab/fakes/fakeDisk.ts'
import {
  LogLines,
  ManualTime,
  allRecords,
  directory,
  errorEvent,
  openFake,
  settle,
} from './journal.fixture.ts'

const world = () => ({ disk: new FakeDisk(), time: new ManualTime(), log: new LogLines() })
const isSegment = (op: DiskOp) => /\/\d{16}-/.test(op.path)

/** Faults the first operation of a kind on a segment. */
function once(kind: DiskOp['kind'], fault: DiskFault) {
  let isDone = false
  return (op: DiskOp) => {
    if (isDone || op.kind !== kind || !isSegment(op)) return null
    isDone = true
    return fault
  }
}

const rows: readonly [string, (op: DiskOp) => DiskFault | null, string][] = [
  ['a write error', once('write', { kind: 'error', code: 'EIO' }), 'EIO'],
  ['a full disk', once('write', { kind: 'error', code: 'ENOSPC' }), 'ENOSPC'],
  ['a failed sync', once('sync', { kind: 'error', code: 'EIO' }), 'EIO'],
  ['a failed rotation', once('open', { kind: 'error', code: 'EMFILE' }), 'EMFILE'],
]

test.each(rows)('%s refuses, and the journal comes back by itself', async (_, plan, code) => {
  const w = world()
  const opened = await openFake(w, { bounds: { segmentBytes: 200 } })
  const { journal, reader } = opened
  await journal.append(errorEvent('before'), 'now').durable
  w.disk.plan = plan
  const refused = journal.append(errorEvent('refused'), 'now')
  const queued = journal.append(errorEvent('queued behind'), 'ride')
  await expect(refused.durable).rejects.toThrow(code)
  await expect(queued.durable).rejects.toThrow(code)
  expect(journal.error).toContain(code)
  expect(() => journal.append(errorEvent('no'), 'now')).toThrow(code)
  expect(journal.lastSeq).toBe(1)
  expect(reader.lastSeq).toBe(1)

  await w.time.pass(1_000)
  expect(journal.error).toBeNull()
  const after = await journal.append(errorEvent('after'), 'now').durable
  expect(after.seq).toBe(3)
  const texts = (await allRecords(opened)).map(({ event }) => 'text' in event && event.text)
  expect(texts[0]).toBe('before')
  expect(texts[1]).toContain('it works again after 1000 ms')
  expect(texts[2]).toBe('after')
  await journal.close()
  // Power goes after closing: nothing that was acknowledged depended on the failed sync.
  w.disk.crash('lost')
  const again = await openFake(w)
  expect(again.journal.lastSeq).toBe(3)
  await again.journal.close()
})

test('a short write is completed', async () => {
  const w = world()
  const { journal } = await openFake(w)
  w.disk.plan = once('write', { kind: 'short', bytes: 10 })
  expect((await journal.append(errorEvent('whole'), 'now').durable).seq).toBe(1)
  expect(journal.error).toBeNull()
  await journal.close()
})

test('a sync that takes 2 s is a failed one, even when it succeeds later', async () => {
  const w = world()
  const opened = await openFake(w)
  const { journal, reader } = opened
  await journal.append(errorEvent('before'), 'now').durable
  w.disk.plan = once('sync', { kind: 'hang' })
  const slow = journal.append(errorEvent('slow'), 'now')
  const rejected = expect(slow.durable).rejects.toThrow('has not answered for 2000 ms')
  await w.time.pass(1_999)
  expect(journal.error).toBeNull()
  await w.time.pass(1)
  await rejected
  expect(journal.error).toContain('2000 ms')
  await w.time.pass(5_000)
  expect(journal.error).not.toBeNull()
  w.disk.release()
  await w.time.pass(1_000)
  expect(journal.error).toBeNull()
  await journal.append(errorEvent('after'), 'now').durable
  const texts = (await allRecords(opened)).map(({ event }) => 'text' in event && event.text)
  expect(texts).not.toContain('slow')
  expect(reader.lastSeq).toBe(texts.length)
  await journal.close()
})

test('a disk that does not answer delays an emergency once, for 100 ms, and never again', async () => {
  const w = world()
  const { journal } = await openFake(w)
  await journal.append(errorEvent('before'), 'now').durable
  w.disk.plan = (op) => (op.kind === 'sync' ? { kind: 'hang' } : null)
  journal.append(errorEvent('stuck'), 'now')
  await w.time.pass(2_000)
  const first = journal.appendEmergency(errorEvent('flatten'), null)
  await w.time.pass(100)
  expect(await first).toMatchObject({ seq: -1, emergency: true, onDisk: false })
  const second = await journal.appendEmergency(errorEvent('flatten more'), null)
  expect(second).toMatchObject({ seq: -2, emergency: true, onDisk: false })
  expect(w.log.lines.filter((line) => line.includes('only in memory'))).toHaveLength(2)
  w.disk.plan = () => null
  w.disk.release()
  await w.time.pass(3_000)
  expect(journal.error).toBeNull()
  expect(journal.lastSeq).toBe(4)
  await second.later
  await journal.close()
})

test('a full disk still takes emergency records, in space kept from the start', async () => {
  const w = world()
  const { journal } = await openFake(w, { bounds: { reserveBytes: 8_192 } })
  w.disk.capacityBytes = 0
  await expect(journal.append(errorEvent('no'), 'now').durable).rejects.toThrow('ENOSPC')
  for (let n = 1; n <= 20; n += 1) {
    const durable = await journal.appendEmergency(errorEvent(`flatten ${n}`), null)
    expect(durable).toMatchObject({ seq: -n, emergency: true, onDisk: true })
  }
  const file = Buffer.from(w.disk.bytes(`${directory}/emergency.ndjson`) ?? []).toString('utf8')
  const lines = file.split('\n').filter((line) => line !== '')
  expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual(
    Array.from({ length: 20 }, (_, n) => -1 - n),
  )
  await journal.close()
})

test('an emergency while the journal works goes through it, whatever waits', async () => {
  const w = world()
  const { journal } = await openFake(w, { bounds: { queueRecords: 1 } })
  journal.append(errorEvent('fills the queue'), 'now')
  const durable = await journal.appendEmergency(errorEvent('flatten'), null)
  expect(durable).toMatchObject({ seq: 2, emergency: false, onDisk: true })
  await journal.close()
})

test('a snapshot is used only while the journal holds its record', async () => {
  const w = world()
  const opened = await openFake(w)
  for (let n = 1; n <= 5; n += 1) await opened.journal.append(errorEvent(`r${n}`), 'now').durable
  await opened.saveSnapshot('risk', 3, { peak: '12.5' })
  await expect(opened.saveSnapshot('risk', 6, {})).rejects.toThrow('6 is not')
  expect(await opened.loadSnapshot('risk')).toEqual({ seq: 3, state: { peak: '12.5' } })
  expect(await opened.loadSnapshot('other')).toBeNull()
  const rest: number[] = []
  for await (const { seq } of opened.replay(3)) rest.push(seq)
  expect(rest).toEqual([4, 5])
  await opened.journal.close()

  const other = world()
  const foreign = await openFake(other)
  for (let n = 1; n <= 5; n += 1) await foreign.journal.append(errorEvent(`o${n}`), 'now').durable
  const path = `${directory}/snapshot-risk.json`
  const bytes = w.disk.bytes(path) ?? new Uint8Array()
  other.disk.put(path, bytes)
  expect(await foreign.loadSnapshot('risk')).toBe('unreadable')
  expect(other.log.lines.at(-1)).toContain('the journal has another record 3')
  const flipped = Uint8Array.from(bytes)
  flipped[90] = (flipped[90] ?? 0) ^ 1
  other.disk.put(path, flipped)
  expect(await foreign.loadSnapshot('risk')).toBe('unreadable')
  await settle()
  await foreign.journal.close()
})
