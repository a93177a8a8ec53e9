import { readFileSync } from 'node:fs'
import type { Home } from '../config/home.ts'
import type { GuardConfigFile } from '../config/readConfig.ts'
import type { Log } from '../engine/ports.ts'
import { holderOnHost } from '../system/hostClaim.ts'
import { accountName } from './claimAccount.ts'
import type { SignalOutcome } from './killDelivery.ts'

/** Tells a running Guard to latch; no disk has to work for it. */
const signal = 'SIGUSR2'
const reason = 'guard kill (command line, by signal)'

/**
 * Latches at the signal that `guard kill` sends where the disk does not take the kill file. Taken
 * from here on: a signal during the start neither ends the process nor is lost. Returns how to say
 * what pulls the switch, once there is something to pull.
 */
export function latchAtSignal(log: Log): (kill: (reason: string) => Promise<void>) => void {
  let pull: ((reason: string) => Promise<void>) | null = null
  let isWanted = false
  const latch = (): void => {
    if (!isWanted || pull === null) return
    pull(reason).catch((error: unknown) => {
      log.log('error', 'the kill by signal is not on disk', { error: String(error) })
    })
  }
  process.on(signal, () => {
    log.log('warn', `${signal}: the kill switch is pulled`)
    isWanted = true
    latch()
  })
  return (kill) => {
    pull = kill
    latch()
  }
}

/** Tells the Guard that runs on this home, found by the name it claims on this machine. */
export async function signalGuard(config: GuardConfigFile, home: Home): Promise<SignalOutcome> {
  if (config.mode === 'paper') return { kind: 'none', why: 'a Guard in paper mode claims no name' }
  const holder = await holderOnHost(accountName(config))
  if (holder === null) return { kind: 'none', why: 'no Guard for this account answers here' }
  const { pid, home: its } = holder
  if (its !== home.path) {
    return { kind: 'none', why: `the Guard of this account (process ${pid}) has the home ${its}` }
  }
  return signalProcess(pid)
}

/** Tells a process to latch, if it is a Guard. */
export function signalProcess(pid: number): SignalOutcome {
  // In a container of its own a process has another number here, and a stranger would end by it.
  if (!isGuard(pid)) return { kind: 'none', why: `process ${pid} is no Guard here` }
  try {
    process.kill(pid, signal)
    return { kind: 'sent', pid }
  } catch (error) {
    return { kind: 'none', why: `process ${pid} could not be sent ${signal}: ${String(error)}` }
  }
}

/** By the name that Guard's program gives itself. */
function isGuard(pid: number): boolean {
  try {
    return /^guard\0*$/.test(readFileSync(`/proc/${pid}/cmdline`, 'latin1'))
  } catch {
    return false
  }
}
