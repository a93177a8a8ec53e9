import { execFile } from 'node:child_process'
import type { Log } from '../engine/ports.ts'

/**
 * Tells systemd that Guard serves, and then, where the unit has a watchdog, that it still does. Node
 * has no datagram sockets of this kind, so systemd's own small program carries the message; a loop
 * that hangs sends none, and systemd restarts Guard.
 */
export function announceReady(environment: NodeJS.ProcessEnv, log: Log): () => void {
  if (environment['NOTIFY_SOCKET'] === undefined) return () => undefined
  const say = (...words: readonly string[]): void => {
    execFile('systemd-notify', [...words], { env: environment, timeout: 5_000 }, (error) => {
      if (error !== null) log.log('warn', 'systemd could not be told', { error: error.message })
    })
  }
  say('READY=1', 'STATUS=serving')
  const everyMs = watchdogMs(environment)
  const timer = everyMs === null ? null : setInterval(say, everyMs, 'WATCHDOG=1')
  return () => {
    if (timer !== null) clearInterval(timer)
    say('STOPPING=1')
  }
}

/** A third of the time systemd grants; null without a watchdog, or with one for another process. */
export function watchdogMs(environment: NodeJS.ProcessEnv): number | null {
  const { WATCHDOG_USEC: granted, WATCHDOG_PID: of } = environment
  if (of !== undefined && of !== String(process.pid)) return null
  const ms = Math.floor(Number(granted) / 1_000 / 3)
  return Number.isSafeInteger(ms) && ms > 0 ? ms : null
}
