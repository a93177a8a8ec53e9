import { expect, test } from 'vitest'
import { limits } from '../core/values/limits.ts'
import { DiskSpace, roomFor } from './diskSpace.ts'
import { FakeDisk } from '../../lab/fakes/fakeDisk.ts'
import { directory, LogLines, ManualTime, settle } from './journal.fixture.ts'

const { diskFreeBytesLow: low, diskFreeBytesAgain: again } = limits

test.each([
  [low, 'enough', 'enough'],
  [low - 1, 'enough', 'little'],
  [low, 'little', 'little'],
  [again - 1, 'little', 'little'],
  [again, 'little', 'enough'],
  [Infinity, 'little', 'enough'],
  [0, 'enough', 'little'],
] as const)('%d free bytes after %s are %s', (free, before, after) => {
  expect(roomFor(free, before)).toBe(after)
})

function watched(disk: FakeDisk) {
  const time = new ManualTime()
  const log = new LogLines()
  return {
    time,
    log,
    space: new DiskSpace({
      io: disk.io,
      directory,
      timers: time,
      log,
      everyMs: limits.diskFreeEveryMs,
    }),
  }
}

test('a disk with little room is told of at the start, and until there is enough again', async () => {
  const disk = new FakeDisk({ capacityBytes: 600 * 1_048_576 })
  const { time, space } = watched(disk)
  await settle()
  expect(space.text).toBe(
    `600 MiB are left where ${directory} is; make it 1280 MiB or more: on a full disk nothing opens`,
  )
  // The figure follows within seconds, for whoever is making room, and for whoever is not.
  disk.capacityBytes = 0
  await time.pass(2_000)
  expect(space.text).toMatch(/^0 MiB are left/)
  disk.capacityBytes = low
  await time.pass(2_000)
  expect(space.text).toContain('1024 MiB')
  disk.capacityBytes = again
  await time.pass(2_000)
  expect(space.text).toBeNull()
  disk.capacityBytes = low - 1
  await time.pass(limits.diskFreeEveryMs - 1)
  expect(space.text).toBeNull()
  await time.pass(1)
  expect(space.text).toContain('1023 MiB')
  space.close()
  expect(time.pending).toBe(0)
})

test('a disk that hangs is asked once, and one that refuses changes nothing', async () => {
  const disk = new FakeDisk({ capacityBytes: 0 })
  const { time, space, log } = watched(disk)
  await settle()
  expect(space.text).not.toBeNull()
  disk.plan = () => ({ kind: 'error', code: 'EIO' })
  await time.pass(limits.diskFreeEveryMs)
  expect(space.text).not.toBeNull()
  expect(log.lines.join()).toContain('EIO')
  disk.plan = () => ({ kind: 'hang' })
  const before = disk.operations
  await time.pass(10 * limits.diskFreeEveryMs)
  expect(disk.operations).toBe(before + 1)
  disk.plan = () => null
  disk.capacityBytes = Infinity
  disk.release()
  await time.pass(limits.diskFreeEveryMs)
  expect(space.text).toBeNull()
})
