import { expect, test } from 'vitest'
import { Alerts } from '../engine/alerts.ts'
import { silentObserver } from '../engine/observer.ts'
import { Recorder } from '../engine/recorder.ts'
import { FakeDisk } from '../../lab/fakes/fakeDisk.ts'
import type { DiskOp } from '../../lab/fakes/fakeDisk.ts'
import {
  account,
  allRecords,
  decision,
  directory,
  errorEvent,
  LogLines,
  ManualTime,
  openFake,
  sent,
} from './journal.fixture.ts'
import type { World } from './journal.fixture.ts'
import { journalStats } from './inspect.ts'
import type { OpenedJournal } from './opened.ts'

const second = '/second'
const folder = `${second}/guard-testnet-${account}`
const world = () => ({ disk: new FakeDisk(), time: new ManualTime(), log: new LogLines() })
const isWrite = ({ kind }: DiskOp) => kind === 'write' || kind === 'sync'
const isSegment = ({ path }: DiskOp) => /\/\d{16}-/.test(path)

/** Everything that is written below a path from now on is answered only after a release. */
function hang(w: World, ...below: readonly string[]) {
  w.disk.plan = (op) =>
    isWrite(op) && below.some((path) => op.path.startsWith(path)) ? { kind: 'hang' } : null
}

function heal(w: World) {
  w.disk.plan = () => null
  w.disk.release()
}

function linesIn(w: World, place: string): readonly { seq: number }[] {
  const text = Buffer.from(w.disk.bytes(`${place}/emergency.ndjson`) ?? []).toString('utf8')
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as { seq: number })
}

const textsOf = async (opened: OpenedJournal) =>
  (await allRecords(opened)).map(({ event }) => ('text' in event ? event.text : event.kind))

test('a record that the journal takes after all is there once, and its copy is gone', async () => {
  const w = world()
  const opened = await openFake(w)
  const { journal } = opened
  await journal.append(errorEvent('before'), 'now').durable
  w.disk.plan = (op) => (isWrite(op) && isSegment(op) ? { kind: 'hang' } : null)
  const late = journal.append(decision(7), 'now')
  await w.time.pass(150)
  const proof = await journal.appendEmergency(decision(7), late)
  expect(proof).toMatchObject({ seq: -1, emergency: true, onDisk: true })
  expect(linesIn(w, directory)).toHaveLength(1)
  // What is queued behind the late record names it by the number it will have.
  const outcome = journal.append(sent(proof.seq), 'ride')
  heal(w)
  await w.time.pass(10)
  await outcome.durable
  const [, taken, told] = await allRecords(opened)
  expect([taken?.seq, taken?.body.kind, told?.body]).toEqual([2, 'decision', sentTo(2)])
  expect(linesIn(w, directory)).toEqual([])
  expect(journal.error).toBeNull()
  await journal.close()
})

test('a copy is known again after a crash, however many records came behind it', async () => {
  for (const more of [0, 1_100]) {
    const w = world()
    const first = await openFake(w, { emergencyDirectory: second })
    w.disk.plan = (op) => (isWrite(op) && isSegment(op) ? { kind: 'hang' } : null)
    const late = first.journal.append(decision(7), 'now')
    await w.time.pass(150)
    await first.journal.appendEmergency(decision(7), late)
    // The second disk comes to a halt: its copy stays when the journal has the record.
    hang(w, second)
    w.disk.release()
    await w.time.pass(10)
    await late.durable
    for (let n = 0; n < more; n += 1) await first.journal.append(errorEvent(`${n}`), 'now').durable
    expect(linesIn(w, folder)).toHaveLength(1)
    w.disk.plan = () => null
    w.disk.crash('lost')
    const opened = await openFake(w, { emergencyDirectory: second })
    const records = await allRecords(opened)
    expect(records.filter(({ body }) => body.kind === 'decision')).toHaveLength(1)
    expect(records).toHaveLength(more + 1)
    expect(linesIn(w, folder)).toEqual([])
    await opened.journal.close()
  }
})

test('what the journal refuses after its copy was made joins it later, and so does its outcome', async () => {
  const w = world()
  const opened = await openFake(w)
  const { journal } = opened
  w.disk.plan = (op) => (isWrite(op) && isSegment(op) ? { kind: 'hang' } : null)
  const late = journal.append(decision(7), 'now')
  await w.time.pass(150)
  const { seq } = await journal.appendEmergency(decision(7), late)
  const outcome = journal.append(sent(seq), 'ride')
  await w.time.pass(2_000)
  await expect(late.durable).rejects.toThrow('2000 ms')
  await expect(outcome.durable).rejects.toThrow('2000 ms')
  await journal.appendEmergency(sent(seq), null)
  heal(w)
  await w.time.pass(1_000)
  const [taken, told] = await allRecords(opened)
  expect([taken?.body.kind, told?.seq, told?.event]).toMatchObject(['decision', 2, sentTo(1)])
  await journal.close()
})

const beside = `${directory}/emergency.ndjson`
const hangs: readonly [string, (path: string) => boolean, boolean][] = [
  ['the second disk takes what the first does not', (path) => !path.startsWith(second), true],
  ['the first disk takes what the second does not', (path) => path !== beside, true],
  ['no disk takes it', () => true, false],
]
test.each(hangs)('%s, and a crash keeps exactly that', async (_, hangsAt, isKept) => {
  const w = world()
  const opened = await openFake(w, { emergencyDirectory: second })
  w.disk.plan = (op) => (isWrite(op) && hangsAt(op.path) ? { kind: 'hang' } : null)
  const kill = { kind: 'kill', reason: 'enough' } as const
  const late = opened.journal.append(kill, 'now')
  await w.time.pass(150)
  const proving = opened.journal.appendEmergency(kill, late)
  await w.time.pass(100)
  expect(await proving).toMatchObject({ onDisk: isKept })
  w.disk.plan = () => null
  w.disk.crash('lost')
  const again = await openFake(w, { emergencyDirectory: second })
  expect(await textsOf(again)).toEqual(isKept ? ['kill'] : [])
  // What was taken in is known again, also where one of the files could not be put aside.
  await again.journal.close()
  const third = await openFake(w, { emergencyDirectory: second })
  expect(await textsOf(third)).toEqual(isKept ? ['kill'] : [])
  await third.journal.close()
})

test('a second disk that comes back with what was taken in long ago adds nothing', async () => {
  const w = world()
  const opened = await openFake(w, { emergencyDirectory: second })
  w.disk.plan = (op) => (isWrite(op) && isSegment(op) ? { kind: 'error', code: 'EIO' } : null)
  await expect(opened.journal.append(errorEvent('no'), 'now').durable).rejects.toThrow('EIO')
  await opened.journal.appendEmergency(errorEvent('closed'), null)
  const kept = w.disk.bytes(`${folder}/emergency.ndjson`) ?? new Uint8Array()
  heal(w)
  await w.time.pass(1_000)
  expect(await textsOf(opened)).toEqual(['closed', expect.stringContaining('works again')])
  for (let n = 0; n < 1_100; n += 1) await opened.journal.append(errorEvent('x'), 'now').durable
  await opened.journal.close()
  w.disk.put(`${folder}/emergency.ndjson`, kept)
  const again = await openFake(w, { emergencyDirectory: second })
  expect((await textsOf(again)).filter((text) => text === 'closed')).toHaveLength(1)
  await again.journal.close()
})

test('a second place that cannot be used keeps nobody from starting, and is told', async () => {
  const w = world()
  w.disk.plan = (op) => (op.path.startsWith(second) ? { kind: 'error', code: 'EROFS' } : null)
  const opened = await openFake(w, { emergencyDirectory: second })
  expect(opened.journal.warning).toContain('EROFS')
  await opened.journal.close()

  const slow = world()
  slow.disk.plan = (op) => (op.path.startsWith(second) ? { kind: 'hang' } : null)
  const opening = openFake(slow, { emergencyDirectory: second })
  await slow.time.pass(2_000)
  const late = await opening
  expect(late.journal.warning).toContain('does not answer')
  await late.journal.close()
})

test('what waits for a disk is bounded in bytes; a latch is kept all the same', async () => {
  const w = world()
  const opened = await openFake(w, { bounds: { emergencyBytes: 2_000 } })
  const { journal } = opened
  hang(w, '/')
  journal.append(errorEvent('stuck'), 'now')
  await w.time.pass(2_000)
  const proofs = []
  for (let n = 0; n < 20; n += 1) {
    const proving = journal.appendEmergency(errorEvent(`close ${n}`), null)
    await w.time.pass(100)
    proofs.push(await proving)
  }
  expect(proofs.every(({ onDisk }) => !onDisk)).toBe(true)
  void journal.appendEmergency({ kind: 'kill', reason: 'enough' }, null)
  heal(w)
  await w.time.pass(3_000)
  const texts = await textsOf(opened)
  const kept = texts.filter((text) => text?.startsWith('close')).length
  expect(kept).toBeGreaterThan(2)
  expect(kept).toBeLessThan(20)
  expect(texts).toContain('kill')
  expect(texts.at(-1)).toContain(`${20 - kept} records found no room in memory`)
  const inLog = w.log.lines.filter((line) => line.includes('found no room in memory and'))
  expect(inLog).toHaveLength(20 - kept + 1)
  await journal.close()
})

/** The engine's way to its proofs, over the fake disk. */
function recorderOn(w: World, { journal }: OpenedJournal) {
  const { time: clock, time: timers, log } = w
  const alerts = new Alerts()
  return new Recorder({ clock, timers, journal, log, alerts, observer: silentObserver })
}

/** Whether a promise is done when so much time has passed, and not a millisecond before. */
async function isDoneAfter(w: World, promise: Promise<unknown>, ms: number) {
  let isDone = false
  void promise.then(() => (isDone = true))
  await w.time.pass(ms - 1)
  const wasDone = isDone
  await w.time.pass(1)
  return !wasDone && isDone
}

test('on a disk that hangs a close goes after 250 ms, the next after 150, later ones at once; a veto after 100', async () => {
  const w = world()
  const opened = await openFake(w)
  const recorder = recorderOn(w, opened)
  hang(w, '/')
  const veto = recorder.record(errorEvent('veto'), 'now')
  expect(await isDoneAfter(w, recorder.waitBriefly(veto), 100)).toBe(true)
  const close = recorder.record(errorEvent('close'), 'now')
  expect(await isDoneAfter(w, recorder.proofFor(errorEvent('close'), close), 250)).toBe(true)
  const next = recorder.record(errorEvent('next'), 'now')
  expect(await isDoneAfter(w, recorder.proofFor(errorEvent('next'), next), 150)).toBe(true)
  await w.time.pass(2_000)
  const last = recorder.record(errorEvent('last'), 'now')
  expect(last).toBeNull()
  expect(await recorder.proofFor(errorEvent('last'), null)).toMatchObject({ onDisk: false })
  heal(w)
  await w.time.pass(3_000)
  // A veto that the disk lost was only ever a line for readers; what left is all there.
  expect((await textsOf(opened)).slice(0, 3)).toEqual(['close', 'next', 'last'])
  await opened.journal.close()
})

function sentTo(of: number) {
  return expect.objectContaining({ kind: 'sent', decision: of })
}

test('the figures of a journal count what waits on the second disk, and each record once', async () => {
  const w = world()
  const { journal } = await openFake(w, { emergencyDirectory: second })
  const waiting = async (place: string | null) =>
    (await journalStats(directory, w.disk.io, place)).emergency
  const emergency = async (n: number) => {
    const late = journal.append(decision(n), 'now')
    await w.time.pass(150)
    const proof = journal.appendEmergency(decision(n), late)
    await w.time.pass(300)
    return await proof
  }
  await journal.append(errorEvent('before'), 'now').durable
  w.disk.plan = (op) => (isWrite(op) && isSegment(op) ? { kind: 'hang' } : null)
  await emergency(7)
  expect(await waiting(second)).toBe(1)
  // The journal's own disk takes nothing more: what comes now is on the second one alone.
  hang(w, directory)
  await emergency(8)
  expect(await waiting(second)).toBe(2)
  expect(await waiting(null)).toBe(1)
  heal(w)
})
