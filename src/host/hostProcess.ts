import { readFileSync, readlinkSync } from 'node:fs'
import { bootId, unknownBoot } from '../journal/nodeIo.ts'

/** A process so that no later one with its number is taken for it. */
export interface HostProcess {
  readonly pid: number
  /** When it began, as the system counts it; null where the system does not say. */
  readonly started: string | null
  /** The namespace in which its number means it: a container has one of its own. */
  readonly space: string
  /** Which run of the machine it belongs to. */
  readonly boot: string
}

/** A process and what it can see of the others. */
export interface Sight {
  readonly own: HostProcess
  /** Whether one still runs; null where that cannot be seen from here, as from another container. */
  readonly isRunning: (one: HostProcess) => boolean | null
}

/** What this process sees. */
export function ownSight(): Sight {
  const { pid } = process
  const own = { pid, started: startedAt(pid), space: pidSpace(), boot: bootId() }
  return { own, isRunning: (one) => isRunning(one, own) }
}

function isRunning(one: HostProcess, own: HostProcess): boolean | null {
  if (isOtherBoot(one.boot, own.boot)) return false
  if (one.space !== own.space) return null
  const started = startedAt(one.pid)
  if (started !== null && one.started !== null) return started === one.started
  // The system hides it, or does not say when a process began: then only its absence is known.
  return isThere(one.pid) ? null : false
}

/** Whether two processes belong to different runs of the machine; where one is not told which, they may not. */
export function isOtherBoot(one: string, other: string): boolean {
  return one !== other && one !== unknownBoot && other !== unknownBoot
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // It is there and another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Milliseconds of the clock that all processes of this machine share, and that nobody can set. */
export function hostMs(): number {
  return Number(process.hrtime.bigint() / 1_000_000n)
}

/** Clock ticks since the machine's start; empty for one that has ended and is not yet buried, null where it is not shown. */
function startedAt(pid: number): string | null {
  const stat = textOf(`/proc/${pid}/stat`)
  if (stat === null) return null
  // The name of the program stands in brackets, and may itself have spaces and brackets.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const isEnded = fields[0] === 'Z' || fields[0] === 'X'
  return isEnded ? '' : (fields[startField] ?? null)
}

/** Field 22 of `/proc/PID/stat`, counted from the state, which is its third. */
const startField = 19

function pidSpace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid')
  } catch {
    return 'unknown'
  }
}

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return null
  }
}
