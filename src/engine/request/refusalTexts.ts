import type { Refusal } from '../../core/judge/refusal.ts'
import type { Urgency, WeightBudget } from '../ports.ts'
import type { NonceDoubt } from './usedNonces.ts'

export const recovering = {
  code: 'recovering',
  text: 'Guard has just started and is finding out what became of earlier sends',
} as const satisfies Refusal

/** Why nothing opens with a nonce that may have been used before. */
export const doubtedNonce = {
  earlier_run: {
    code: 'auth_nonce_too_old',
    text:
      'its nonce is from before this start, and the run before ended without a word: it may have been ' +
      'used already; sign it again with a new one',
  },
  clock: {
    code: 'auth_nonce_too_old',
    text:
      "its nonce fits the clock of Guard's machine but not the venue's time: until that clock is right " +
      'closes, cancels and kills pass, and nothing opens; set the clock (the alert "clock" says how ' +
      'wrong it is)',
  },
} as const satisfies Readonly<Record<NonceDoubt, Refusal>>

export const stopping = {
  code: 'recovering',
  text: 'Guard is stopping and takes no new requests; stops on the venue stay',
} as const satisfies Refusal

export const cannotJudge = 'Guard failed to judge this request, so nothing was sent'

export const notDurable = 'the decision could not be written to the journal, so nothing was sent'

export function noRoomText(budget: WeightBudget, lane: Urgency, weight: number): string {
  const heldMs = budget.heldMs(lane)
  return heldMs > 0
    ? `the venue refused a request for its weight (HTTP 429): nothing that opens is sent for another ` +
        `${Math.ceil(heldMs / 1_000)} s, so that closes find room`
    : `it costs ${weight} of the venue's request weight, ${budget.used()} of ${budget.limit} a ` +
        `minute are used, and the rest is kept for what is more urgent`
}

/** Of a change of leverage that an entry needs: the earlier one could still come after it. */
export const leverageUntold: Refusal = {
  code: 'leverage',
  text: 'an earlier change of the leverage of this coin is not answered yet, so nothing was sent; send it again',
}
