import { accessSync, constants, readFileSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const memoryDiskPath = '/dev/shm'
const leastFreeBytes = 2 * 1024 ** 3

/**
 * The folder for the temporary files of tests: the machine's memory disk where it has one with
 * room, else where temporary files always are. Guard answers a veto before its record is written,
 * and says so, when its disk is slow: a test must not depend on how busy the disk of its machine is.
 */
export function temporaryFolder(): string {
  return isMemoryDiskFit() ? memoryDiskPath : tmpdir()
}

function isMemoryDiskFit(): boolean {
  try {
    accessSync(memoryDiskPath, constants.W_OK)
    const { bavail, bsize } = statfsSync(memoryDiskPath)
    return bavail * bsize >= leastFreeBytes && mayRunPrograms()
  } catch {
    return false
  }
}

/** Some tests install Guard among the temporary files and start it from there. */
function mayRunPrograms(): boolean {
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n')
  const options = mounts.map((line) => line.split(' ')).filter(([, at]) => at === memoryDiskPath)
  return options.every(([, , , flags = '']) => !flags.split(',').includes('noexec'))
}
