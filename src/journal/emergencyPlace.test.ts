import { expect, test } from 'vitest'
import { FakeDisk } from '../../lab/fakes/fakeDisk.ts'
import { EmergencyPlace } from './emergencyPlace.ts'
import type { WaitingLine } from './emergencyPlace.ts'
import { directory, LogLines, ManualTime, settle } from './journal.fixture.ts'

function line(number: number): WaitingLine {
  const nothing = (): void => undefined
  const bytes = Buffer.from(`{"seq":${number}}\n`)
  return {
    ...{ number, hash: String(number), atMs: 0, bytes },
    ...{ isTaken: false, written: nothing, failed: nothing },
  }
}

/** Resolves once nothing waits for the disk. */
async function written(place: EmergencyPlace): Promise<void> {
  while (!(await place.flush())) await settle()
}

/** A place whose file holds one line that the journal has taken, and that is being begun anew. */
async function renewing(
  plan: FakeDisk['plan'] = () => null,
  mayWrite = (): boolean => true,
): Promise<{ disk: FakeDisk; place: EmergencyPlace; time: ManualTime; log: LogLines }> {
  const disk = new FakeDisk()
  const [time, log] = [new ManualTime(), new LogLines()]
  const bounds = { reserveBytes: 256, retryMs: 1_000 }
  const options = { io: disk.io, directory, log, timers: time, mayWrite, ...bounds }
  const place = new EmergencyPlace(options)
  await place.open()
  place.append(line(-1))
  await written(place)
  expect(place.isEmpty).toBe(false)
  disk.plan = plan
  place.clear()
  return { disk, place, time, log }
}

test('a line that the journal takes while the file is begun anew is not written', async () => {
  const { disk, place } = await renewing()
  const taken = line(-2)
  place.append(taken)
  taken.isTaken = true
  place.clear()
  await written(place)
  expect(place.isEmpty).toBe(true)
  expect(Buffer.from(disk.bytes(`${directory}/emergency.ndjson`) ?? []).includes('seq')).toBe(false)
})

test('one that it has not taken is written to the new file', async () => {
  const { disk, place } = await renewing()
  place.append(line(-2))
  await written(place)
  const text = Buffer.from(disk.bytes(`${directory}/emergency.ndjson`) ?? []).toString()
  expect(text.trimEnd()).toBe('{"seq":-2}')
})

test('a file that could not be begun anew is begun anew later, and told of once', async () => {
  const { disk, place, time, log } = await renewing(() => ({ kind: 'error', code: 'EMFILE' }))
  await time.pass(3_000)
  expect(place.isEmpty).toBe(false)
  expect(log.lines.filter((each) => each.includes('EMFILE'))).toHaveLength(1)
  disk.plan = () => null
  await time.pass(1_000)
  expect([place.isEmpty, place.trouble]).toEqual([true, null])
})

test('nothing is tried again once it is closed', async () => {
  const { disk, place, time } = await renewing(() => ({ kind: 'error', code: 'EMFILE' }))
  await settle()
  place.close()
  disk.plan = () => null
  await time.pass(3_000)
  expect(place.isEmpty).toBe(false)
})

test('nor where the journal has become another process’s', async () => {
  let isOwn = true
  const { disk, place, time } = await renewing(
    () => ({ kind: 'error', code: 'EMFILE' }),
    () => isOwn,
  )
  await settle()
  isOwn = false
  disk.plan = () => null
  await time.pass(3_000)
  expect(place.isEmpty).toBe(false)
})
