import type { Verdict } from '../events/guardEvent.ts'

/** Who says it: the judge, the request line around it, or a reply about a delivery. */
type ProducedBy = 'judge' | 'decode' | 'authenticate' | 'engine' | 'reply'

interface CodeRow {
  readonly code: string
  /** Null where the code only appears in a reply. */
  readonly verdict: Verdict | null
  readonly by: ProducedBy
  readonly when: string
  readonly remedy: string
}

/** Every reason code, in order of precedence: where several apply, the first one is said. */
export const codes = [
  {
    code: 'malformed',
    verdict: 'veto',
    by: 'decode',
    when: 'Not a well-formed request.',
    remedy: 'Send the request as the venue documents it; the text names the field.',
  },
  {
    code: 'auth_bad_signature',
    verdict: 'veto',
    by: 'authenticate',
    when: 'The signature recovers no key.',
    remedy: 'Sign with a Guard client key by the L1-action scheme of the venue.',
  },
  {
    code: 'auth_unknown_signer',
    verdict: 'veto',
    by: 'authenticate',
    when: "The signature recovers a key that is no client's.",
    remedy: 'Use a key made by `guard client add`; `guard client list` shows them.',
  },
  {
    code: 'auth_replay',
    verdict: 'veto',
    by: 'authenticate',
    when: 'The nonce was used before; or the order is one of `guard mcp` that was let through before.',
    remedy:
      'Send every request with a nonce of its own. What became of the first is on record under its nonce and client order id.',
  },
  {
    code: 'auth_nonce_too_old',
    verdict: 'veto',
    by: 'authenticate',
    when: 'The nonce is more than 30 s old by the venue’s time; or it fits the clock of Guard’s machine alone, which is wrong, and the request is no close and no cancel; or it is so low that nobody remembers whether it was used; or it is from before a start that followed a crash, and the request is no close and no cancel; or it is from before a standby took over from another Guard.',
    remedy:
      "Use the time in milliseconds as the nonce, and check the clock of the bot's machine. After a crash or a takeover sign it again.",
  },
  {
    code: 'auth_nonce_too_new',
    verdict: 'veto',
    by: 'authenticate',
    when: 'The nonce is more than 5 s ahead of the venue’s time, and of the clock of Guard’s machine.',
    remedy: "Use the time in milliseconds as the nonce, and check the machine's clock.",
  },
  {
    code: 'auth_expired',
    verdict: 'veto',
    by: 'authenticate',
    when: '`expiresAfter` has passed.',
    remedy: 'Send it again with a later `expiresAfter`.',
  },
  {
    code: 'recovering',
    verdict: 'veto',
    by: 'engine',
    when: 'Guard has just started and is finding out what became of earlier sends.',
    remedy: 'Wait until `/readyz` answers 200.',
  },
  {
    code: 'funds_or_permissions',
    verdict: 'veto',
    by: 'decode',
    when: 'Moves funds or grants rights; never forwarded.',
    remedy: 'Do it by hand with the key of the account, outside Guard.',
  },
  {
    code: 'unsupported_action',
    verdict: 'veto',
    by: 'decode',
    when: 'An action Guard does not forward; or a TWAP that may open a position, under `twap = "refuse"`.',
    remedy: 'Use orders, modifies, cancels and leverage updates.',
  },
  {
    code: 'vault',
    verdict: 'veto',
    by: 'decode',
    when: 'For another account than the one Guard trades, or an action that takes no `vaultAddress`.',
    remedy: 'Leave `vaultAddress` out: Guard trades one account and puts it on where it is needed.',
  },
  {
    code: 'invalid',
    verdict: 'veto',
    by: 'judge',
    when: "Cannot be judged as sent: two stops for one entry, a group whose orders do not belong together, Guard's cloid prefix, numbers out of range.",
    remedy: 'Send the orders so that each stop belongs to one entry; the text names the order.',
  },
  {
    code: 'unsupported_order',
    verdict: 'veto',
    by: 'judge',
    when: 'An entry that is not a limit order.',
    remedy:
      'Enter with a limit order of any tif; set reduce-only on what is to close a position. `trigger_entries = "watched"` lets triggers open.',
  },
  {
    code: 'flip',
    verdict: 'veto',
    by: 'judge',
    when: 'Would turn a position around, under `flip = "refuse"` or at the head of a group.',
    remedy: 'Close the position first, then open the other side.',
  },
  {
    code: 'kill_switch',
    verdict: 'veto',
    by: 'judge',
    when: 'The kill switch is latched; nothing opens.',
    remedy: 'A person releases it at the machine: `guard kill release`.',
  },
  {
    code: 'daily_loss_stop',
    verdict: 'veto',
    by: 'judge',
    when: 'Nothing opens until the next UTC day.',
    remedy: 'Wait for 00:00 UTC.',
  },
  {
    code: 'drawdown_halt',
    verdict: 'veto',
    by: 'judge',
    when: "Nothing opens until a person's review.",
    remedy: 'A person reviews and runs `guard resume` at the machine.',
  },
  {
    code: 'unknown_market',
    verdict: 'veto',
    by: 'judge',
    when: 'Not a perp the venue lists.',
    remedy: "Use an asset id of the venue's `meta`.",
  },
  {
    code: 'unsupported_market',
    verdict: 'veto',
    by: 'judge',
    when: 'A spot or outcome market.',
    remedy: 'Trade perps of the main dex.',
  },
  {
    code: 'dex_not_allowed',
    verdict: 'veto',
    by: 'judge',
    when: "A builder dex's market, where `markets` does not name the dex, or its collateral is not USDC.",
    remedy: 'Trade perps of the main dex, or have `markets` name the dex (`xyz:*`).',
  },
  {
    code: 'market_state',
    verdict: 'veto',
    by: 'judge',
    when: "A builder dex's market is halted or delisted, at the venue's cap, without a fresh mark and oracle, with the two too far apart, or its book is too thin. Exits always pass.",
    remedy: 'Wait until the market trades as usual; the text has the figure.',
  },
  {
    code: 'market_not_allowed',
    verdict: 'veto',
    by: 'judge',
    when: "Not in the rules' `markets`.",
    remedy: 'Add the market to `markets`, or trade one that is listed there.',
  },
  {
    code: 'account_unknown',
    verdict: 'veto',
    by: 'judge',
    when: 'Equity not positive, or an account mode Guard cannot size for.',
    remedy: 'Fund the account, or switch it to a standard or unified mode.',
  },
  {
    code: 'no_price',
    verdict: 'veto',
    by: 'judge',
    when: 'No fresh mid for the coin.',
    remedy: 'Send it again when the price is seen; `guard status` shows the stream.',
  },
  {
    code: 'account_stale',
    verdict: 'veto',
    by: 'judge',
    when: 'The account could not be seen recently enough; or a drop is being explained.',
    remedy: 'Send it again in a few seconds; `guard status` shows the stream.',
  },
  {
    code: 'unknown_order',
    verdict: 'veto',
    by: 'judge',
    when: 'A modify of an order Guard cannot see.',
    remedy: 'Read the open orders again, and place a new order if it is gone.',
  },
  {
    code: 'guard_stop',
    verdict: 'veto',
    by: 'judge',
    when: "Cancels or changes Guard's own stop while its position is open.",
    remedy:
      'Place a tighter stop over the whole position, or close it; Guard then removes its own.',
  },
  {
    code: 'stop_removed',
    verdict: 'veto',
    by: 'judge',
    when: 'Would leave a position or a resting entry without full cover.',
    remedy: 'Place the other stop first, or close the position.',
  },
  {
    code: 'stop_required',
    verdict: 'veto',
    by: 'judge',
    when: 'An entry without a stop under `stop = "refuse"`.',
    remedy: 'Send a reduce-only market stop loss with the entry.',
  },
  {
    code: 'stop_wrong_side',
    verdict: 'veto',
    by: 'judge',
    when: 'The stop is not on the losing side.',
    remedy: 'Put the stop below the price for a buy, above it for a sell.',
  },
  {
    code: 'unprotected_position',
    verdict: 'veto',
    by: 'judge',
    when: 'No new entry until every position is covered in full by stops.',
    remedy: 'Place a market stop over the whole position, or wait until Guard has placed its own.',
  },
  {
    code: 'unprotected_order',
    verdict: 'veto',
    by: 'judge',
    when: 'No new entry until every resting entry has its stop.',
    remedy: 'Cancel the resting entry that has no stop.',
  },
  {
    code: 'stop_loosened',
    verdict: 'veto',
    by: 'judge',
    when: 'Would move a stop away, shrink it, or raise open risk beyond its budget.',
    remedy: 'Keep the stop a reduce-only market stop, at least as tight and no smaller.',
  },
  {
    code: 'open_risk',
    verdict: 'veto',
    by: 'judge',
    when: 'The open-risk budget is used up.',
    remedy: 'Tighten stops, close something or cancel resting entries.',
  },
  {
    code: 'leverage',
    verdict: 'veto',
    by: 'judge',
    when: 'The leverage cap is reached, or a leverage update beyond it.',
    remedy: 'Reduce positions or cancel resting entries; set a lower leverage.',
  },
  {
    code: 'position_cap',
    verdict: 'veto',
    by: 'judge',
    when: 'The position is at its largest already.',
    remedy: 'Reduce it, or cancel entries resting on its side.',
  },
  {
    code: 'liquidation_too_close',
    verdict: 'veto',
    by: 'judge',
    when: 'No leverage keeps the liquidation beyond the stop.',
    remedy: 'Use a tighter stop, or a lower leverage.',
  },
  {
    code: 'cross_margin',
    verdict: 'veto',
    by: 'judge',
    when: 'The position is, or would be, on cross margin, which the rules do not admit.',
    remedy: 'Close it and use isolated margin, or set `margin = "cross"`.',
  },
  {
    code: 'margin',
    verdict: 'veto',
    by: 'judge',
    when: 'Too little free collateral at the venue for it.',
    remedy: 'Reduce positions, cancel resting entries or add collateral.',
  },
  {
    code: 'fleet_limit',
    verdict: 'veto',
    by: 'judge',
    when: 'What is leased here of a budget that the fleet shares is used up.',
    remedy:
      'Close something, or wait: spare is shared anew every few seconds. `guard fleet limit` shows who holds what.',
  },
  {
    code: 'fleet_unreachable',
    verdict: 'veto',
    by: 'judge',
    when: 'What the fleet’s store last said is too old, or another Guard has the right to act for the account: nothing opens; or this Guard is a standby, which serves nothing at all.',
    remedy:
      'Exits and cancels pass. `guard status` says since when; see to the store. Of a standby: ask the Guard that acts.',
  },
  {
    code: 'below_minimum',
    verdict: 'veto',
    by: 'judge',
    when: "What the rules allow is below the venue's minimum order.",
    remedy: 'Ask for more, or free some of the limit that the text names.',
  },
  {
    code: 'margin_removal',
    verdict: 'veto',
    by: 'judge',
    when: 'Takes isolated margin away.',
    remedy: 'Only add margin.',
  },
  {
    code: 'schedule_cancel',
    verdict: 'veto',
    by: 'judge',
    when: 'Would cancel the stops too.',
    remedy: 'Cancel orders by their ids; a schedule may be cleared.',
  },
  {
    code: 'order_rate',
    verdict: 'veto',
    by: 'judge',
    when: "This client's `max_orders_per_minute`.",
    remedy: 'Send fewer entries a minute.',
  },
  {
    code: 'too_many_orders',
    verdict: 'veto',
    by: 'judge',
    when: 'The account has `max_open_orders` open or on their way, or runs `max_twaps` TWAPs.',
    remedy:
      'Cancel some orders first; what fills at once and only reduces, and a stop that adds cover, still pass.',
  },
  {
    code: 'rate_limited',
    verdict: 'veto',
    by: 'engine',
    when: "The venue's request weight is spent.",
    remedy: 'Send fewer requests; the weight comes back within a minute.',
  },
  {
    code: 'journal',
    verdict: 'veto',
    by: 'engine',
    when: 'The decision cannot be made durable.',
    remedy: 'Free disk space or repair the disk; `guard status` names the error.',
  },
  {
    code: 'exit_unjudged',
    verdict: 'allow',
    by: 'judge',
    when: 'The account cannot be read: orders that can only reduce are forwarded as sent.',
    remedy: 'Nothing to do.',
  },
  {
    code: 'resized',
    verdict: 'resize',
    by: 'judge',
    when: 'Forwarded with the changes listed in `changes`.',
    remedy: 'Nothing to do; `changes` says what was changed and by which rule.',
  },
  {
    code: 'allowed',
    verdict: 'allow',
    by: 'judge',
    when: 'Within every rule, forwarded as sent.',
    remedy: 'Nothing to do.',
  },
  {
    code: 'venue_refused_leverage',
    verdict: null,
    by: 'reply',
    when: 'Allowed and journaled, but the venue refused the leverage the entry needs, so the entry was not sent.',
    remedy: "Read the venue's answer in the `sent` event.",
  },
  {
    code: 'venue_unreachable',
    verdict: null,
    by: 'reply',
    when: 'Allowed and journaled, but not delivered, or no answer came; the text says whether it may have arrived.',
    remedy: 'If it may have arrived, read the open orders and TWAPs before sending again.',
  },
] as const satisfies readonly CodeRow[]

export type ReasonCode = (typeof codes)[number]['code']
