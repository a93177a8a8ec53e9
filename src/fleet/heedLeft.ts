import { isObject } from '../core/protocol/fields.ts'
import { limits } from '../core/values/limits.ts'
import { shownText } from '../core/values/shownText.ts'
import type { Guard } from '../engine/guard.ts'
import type { Log } from '../engine/ports.ts'
import { readLatch } from '../engine/start/engineMemory.ts'
import type { LeftWord } from './writerKeeper.ts'

/**
 * This home takes an account over that another one acted for, without having stood by for it: where that
 * one was latched, or had stopped for its losses, this one is latched. Resolves when that is on disk.
 */
export async function heedLeft(
  left: LeftWord,
  guard: Pick<Guard, 'kill'>,
  log: Log,
): Promise<void> {
  const { isKnown, host } = left
  const where = `the Guard that acted before, at ${shownText(host ?? 'another host')}`
  const why = whyStopped(left)
  if (why !== null) {
    await guard.kill(`${where}, ${why}`)
    return
  }
  const text = isKnown
    ? 'an account is taken over without its peak and day start: those are counted from now on'
    : 'an account is taken over, and whether it was latched or halted is not known'
  log.log('warn', `${text}; ${where}, is gone. guard run --standby carries them over`)
}

function whyStopped({ word }: LeftWord): string | null {
  const latch = readLatch(word?.['latch'] ?? null)
  if (latch !== null) {
    return `was latched: ${shownText(latch.reason, limits.fleetReportTextCharsMax)}`
  }
  const memory = word?.['risk'] ?? null
  const risk = isObject(memory) ? memory['risk'] : null
  const state = isObject(risk ?? null) ? (risk as { state?: unknown }).state : null
  const halts: Readonly<Record<string, string>> = {
    stopped: 'had stopped for its drawdown',
    halted_for_day: 'had stopped for its loss of the day',
  }
  return typeof state === 'string' ? (halts[state] ?? null) : null
}
