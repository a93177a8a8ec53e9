import { timeRefusalIn } from '../../core/protocol/timeRefusal.ts'
import type { Alerts } from '../alerts.ts'
import type { Clock, Timers } from '../ports.ts'
import type { Recorder } from '../recorder.ts'

interface ForeignNoncesDeps {
  readonly clock: Clock
  readonly timers: Pick<Timers, 'after'>
  readonly alerts: Pick<Alerts, 'raise' | 'clear'>
  readonly recorder: Pick<Recorder, 'record'>
  /** The highest nonce that Guard has signed with, in this run or an earlier one. */
  readonly highestNonce: () => number
}

const duplicateText = /^Invalid nonce: duplicate nonce (\d{1,15})$/

/** How long the alert stands after the last sign. */
const lastsMs = 3_600_000

/**
 * Notices that somebody else signs with Guard's API wallet. The venue keeps the nonces of each
 * wallet; where it refuses one for the sake of nonces that Guard never used, another program did.
 */
export class ForeignNonces {
  private readonly deps: ForeignNoncesDeps
  private cancel: (() => void) | null = null

  constructor(deps: ForeignNoncesDeps) {
    this.deps = deps
  }

  /** The venue refused the action that was signed with this nonce, in these words. */
  hear(text: string, nonce: number): void {
    const sign = signIn(text, nonce, this.deps.highestNonce())
    if (sign === null) return
    const { alerts, clock, recorder, timers } = this.deps
    const told = `${sign}: another program seems to use Guard's API wallet`
    alerts.raise('foreign_nonce', told, clock.now())
    recorder.record({ kind: 'error', text: told }, 'ride')
    this.cancel?.()
    this.cancel = timers.after(lastsMs, () => {
      alerts.clear('foreign_nonce')
    })
  }
}

/** What Guard's own nonces cannot explain, in words; null where they can. */
export function signIn(text: string, nonce: number, highestNonce: number): string | null {
  // Each nonce is signed with once, and sent once.
  if (duplicateText.exec(text)?.[1] === String(nonce)) {
    return `the venue had seen nonce ${nonce} before Guard sent it`
  }
  const refusal = timeRefusalIn(text, nonce)
  if (refusal?.kind !== 'nonce_too_low' || refusal.least <= highestNonce) return null
  return `the venue wants nonces above ${refusal.least}, and Guard's highest is ${highestNonce}`
}
