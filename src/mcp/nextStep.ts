import { codes } from '../core/judge/codes.ts'
import type { Outcome } from './outcome.ts'
import { isUnjudged } from './sender.ts'

/** What was asked for: `other` is what is no order, such as a cancel. */
export type SentKind = 'entry' | 'close' | 'change' | 'other'

const byPerson =
  'Nothing opens until a person has reviewed it at the machine. close_position and cancel_order still work.'

/** What helps against a refusal that is about no limit of size; by its code. */
const adviceOf: Readonly<Record<string, string>> = {
  kill_switch: byPerson,
  drawdown_halt: byPerson,
  guard_stop:
    "It is Guard's own stop, and it stays while its position is open. Place a tighter stop over the whole position, or close_position; Guard then removes its own.",
  stop_removed:
    'The position would be without full cover. Place the other stop first, or close_position, which takes its stop with it.',
  stop_wrong_side:
    'Put the stop below the price for a buy and above it for a sell, then send it with a new idempotency_key.',
  stop_loosened:
    'A stop can only be made tighter. Give a trigger nearer to the price and leave its size, or close_position.',
  stop_required: 'Give it a stop, then send it with a new idempotency_key.',
  liquidation_too_close: 'Give a tighter stop, then send it with a new idempotency_key.',
  unprotected_position:
    'A position is not covered by stops yet. Wait some seconds until Guard has placed its own, then send it with a new idempotency_key.',
  unknown_order: 'open_orders has the orders that rest and their oids.',
  below_minimum:
    'Ask for more, with a new idempotency_key. If the limits leave no room for more, close something first: guard_limits says which one binds.',
  market_not_allowed: 'Trade one of the markets that the reason names; nobody adds one from here.',
  dex_not_allowed: 'Trade another market; nobody adds one from here.',
  leverage:
    'The reason has the highest that passes. Ask for a lower leverage or a smaller size, with a new idempotency_key.',
  daily_loss_stop:
    'Nothing opens until 00:00 UTC. close_position and cancel_order still work; do not try again before.',
  order_rate: 'Wait a minute, then send it with a new idempotency_key; send fewer.',
  rate_limited: 'Wait a minute, then send it with a new idempotency_key.',
  no_price: 'Wait until the price is seen again, then send it with a new idempotency_key.',
  journal: 'Guard cannot write its record, so nothing opens. Tell the person at the machine.',
  account_stale:
    'Guard has not seen the account recently enough. Wait some seconds until guard_status says that it is live, then send it with a new idempotency_key.',
}

/** What an agent does next; null when there is nothing to do. */
export function nextStep(
  { state, code, verdict }: Pick<Outcome, 'state' | 'code' | 'verdict'>,
  { hasKey, kind }: { readonly hasKey: boolean; readonly kind: SentKind },
): string | null {
  const again = hasKey ? 'send it again with the same idempotency_key' : 'send it again'
  switch (state) {
    case 'done':
    case 'would':
      return null
    case 'refused':
      if (isUnjudged(code)) return `Guard has not judged it. Wait some seconds, then ${again}.`
      return adviceOf[code ?? ''] ?? remedyOf(code)
    case 'venue_refused':
      return `The venue did not take it; its words are in untrusted.venue. ${stillThere[kind]}`
    case 'not_sent':
      // What Guard has judged is the answer of its key for ever.
      if (hasKey && verdict !== null) {
        return 'It did not arrive, and never will. Call guard_status, then send it with a new idempotency_key.'
      }
      return `It did not leave. Call guard_status, then ${again}.`
    case 'unknown':
      return hasKey
        ? 'It may have been placed. Do not send it as a new order: call the tool again with the same idempotency_key, or guard_explain with the nonce, until it is known.'
        : 'It may have happened. Do not send it again before you know: open_orders and fills show what the venue has, guard_status the positions.'
  }
}

/** The refusals that a smaller size may be an answer to. */
const ofSize = ['open_risk', 'position_cap', 'margin', 'fleet_limit']

/** What the table of codes says to do; whatever it is, the same order would be refused again. */
function remedyOf(code: string | null): string {
  const row = codes.find((each) => each.code === code)
  const smaller = ofSize.includes(code ?? '') ? ' guard_limits gives the largest size.' : ''
  return `${row?.remedy ?? 'The reason says what it met.'}${smaller} Do not send the same again.`
}

const stillThere: Readonly<Record<SentKind, string>> = {
  entry: 'Nothing of it is open.',
  close:
    'The position is as it was: guard_status shows it and its stop. A part that is worth less than 10 USD cannot be closed alone; without size all of it is.',
  change: 'open_orders shows whether the order rests as it was.',
  other: 'open_orders and guard_status show what is there.',
}
