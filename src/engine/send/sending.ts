import type { Account } from '../../core/account/account.ts'
import type { Settlement } from '../../core/account/reservation.ts'
import type { Action } from '../../core/protocol/action.ts'
import { allowanceIn } from '../../core/protocol/allowanceRefusal.ts'
import type { Alerts } from '../alerts.ts'
import { Dispatcher } from './dispatcher.ts'
import { ForeignNonces } from './foreignNonces.ts'
import type { LookupDeps } from './lookup.ts'
import type { GuardDeps } from '../guard.ts'
import type { Decimal } from '../../core/values/decimal.ts'
import { limits } from '../../core/values/limits.ts'
import { LookupShare } from './lookupShare.ts'
import { Outbox } from './outbox.ts'
import type { TimeRefusal } from '../../core/protocol/timeRefusal.ts'
import type { Recorder } from '../recorder.ts'
import { SafetySender } from './safetySender.ts'
import type { TimeKeeper } from './timeKeeper.ts'
import { UnknownOutcomes } from './unknownOutcomes.ts'

/** Everything that can send. */
export interface Sending {
  readonly outbox: Outbox
  readonly dispatcher: Dispatcher
  readonly sender: SafetySender
}

interface SendingParts {
  readonly account: Account
  readonly alerts: Alerts
  readonly recorder: Recorder
  readonly isStopped: () => boolean
  readonly timeKeeper: Pick<TimeKeeper, 'learnFrom'>
  readonly heard: LookupDeps['heard']
}

/**
 * How far Guard skips ahead of the lowest nonce that the venue takes after a nonce was too low: the
 * program that signs with the same wallet has probably used those right above it.
 */
const nonceGapMs = 60_000

/** Null in paper mode: without a signer there is no outbox, no dispatcher and no sender anywhere. */
export function createSending(deps: GuardDeps, parts: SendingParts): Sending | null {
  if (!('signer' in deps)) return null
  const { budget, clock, config, log, observer, timers, venue } = deps
  const { account, alerts, heard, isStopped, recorder, timeKeeper } = parts
  const lifeMs = deps.fleet === null ? limits.sendLifeMs : limits.fleetSendLifeMs
  const outbox = new Outbox({ clock, signer: deps.signer, venue, lifeMs })
  const settle = (id: string, settlement: Settlement): void => {
    account.settle(id, settlement, clock.now())
  }
  const settleOrder = (id: string, index: number, settlement: Settlement): void => {
    account.settleOrder(id, index, settlement, clock.now())
  }
  const numbered = (id: string, index: number, oid: number, filled: Decimal): void => {
    account.numbered(id, index, oid, filled)
  }
  const leaves = (id: string): void => {
    account.sent(id)
  }
  const foreign = new ForeignNonces({
    ...{ clock, timers, alerts, recorder },
    highestNonce: () => outbox.highestNonce,
  })
  const heardRefusal = (action: Action, text: string, nonce: number): void => {
    foreign.hear(text, nonce)
    const allowance = allowanceIn(action, text)
    if (allowance !== null) budget.setAllowance(allowance.cap, allowance.used)
  }
  const retime = async (refusal: TimeRefusal): Promise<void> => {
    if (refusal.kind === 'nonce_too_low') outbox.startAfter(refusal.least + nonceGapMs)
    await timeKeeper.learnFrom(refusal)
  }
  const unknowns = new UnknownOutcomes({
    venue: new LookupShare({ venue, clock, budget }),
    ...{ clock, timers, alerts, settle, settleOrder, isStopped, heard },
    account: config.account,
    markets: () => account.markets,
  })
  const dispatcher = new Dispatcher({
    ...{
      clock,
      outbox,
      recorder,
      observer,
      unknowns,
      settle,
      settleOrder,
      numbered,
      leaves,
      retime,
      heardRefusal,
    },
  })
  const sender = new SafetySender({ clock, account, recorder, budget, dispatcher, log })
  return { outbox, dispatcher, sender }
}
