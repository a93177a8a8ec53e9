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
      return (
        adviceOf[code ?? ''] ??
        'The reason says which limit it met and what would pass; guard_limits gives the largest size. Do not send the same again.'
      )
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

const stillThere: Readonly<Record<SentKind, string>> = {
  entry: 'Nothing of it is open.',
  close: 'The position is as it was: guard_status shows it and its stop.',
  change: 'open_orders shows whether the order rests as it was.',
  other: 'open_orders and guard_status show what is there.',
}
