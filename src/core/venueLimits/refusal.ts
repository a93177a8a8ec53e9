/**
 * What a refusal of the venue means for what is tried next.
 *
 * `too_many_orders`: the account has so many open orders that nothing reduce-only is taken.
 * `too_large`: worth more than one order on the coin may be. `outside_band`: too far from the
 * venue's reference price. `below_minimum`: worth too little. `nothing_to_reduce`: there is no
 * position, or the order is on its side. `gone`: the order to cancel or modify is not there.
 * `expired`, `nonce`: the action came at a wrong time. `allowance`: too many requests or actions.
 * `too_long`: more entries than one action may have.
 * `stop_price`: the trigger is on the wrong side, or would fire at once. `off_grid`: price or size
 * do not fit tick and lot. `no_match`: nothing to trade with at that price. `margin`: not enough
 * of it. `closed_market`: no order of this kind is taken on the market now. `not_listed`: the id is
 * no market's. `form`: the venue takes no order that is made like this. `signer`: the venue does not
 * know the key, or not for this account. `unknown`: words that nobody has written down.
 */
export type RefusalKind =
  | 'too_many_orders'
  | 'too_large'
  | 'outside_band'
  | 'below_minimum'
  | 'nothing_to_reduce'
  | 'gone'
  | 'expired'
  | 'nonce'
  | 'allowance'
  | 'too_long'
  | 'stop_price'
  | 'off_grid'
  | 'no_match'
  | 'margin'
  | 'closed_market'
  | 'not_listed'
  | 'form'
  | 'signer'
  | 'unknown'

/** The first row whose words are found decides; the wire adds ` asset=N` and may drop a full stop. */
const words: readonly (readonly [RegExp, RefusalKind])[] = [
  [/too many open orders/i, 'too_many_orders'],
  [/minimum value of/i, 'below_minimum'],
  [
    /order value exceeds the maximum|order value too large|larger than half of total supply/i,
    'too_large',
  ],
  [/away from the reference price|too far from oracle/i, 'outside_band'],
  [/more aggressive than oracle/i, 'outside_band'],
  [/reduce.only.* would increase position/i, 'nothing_to_reduce'],
  [/never placed, already canceled, or filled|cannot modify canceled or filled/i, 'gone'],
  [/already expired/i, 'expired'],
  [/invalid nonce|nonce mismatch/i, 'nonce'],
  [/too many cumulative requests|too many user actions/i, 'allowance'],
  [/over weight limit/i, 'too_long'],
  [/too many requests|rate limit/i, 'allowance'],
  [/invalid tp\/sl price/i, 'stop_price'],
  [/divisible by tick size|has invalid size|has zero size|has invalid price/i, 'off_grid'],
  [/could not immediately match|no liquidity available/i, 'no_match'],
  [/insufficient margin|margin tier limit|maximum position size/i, 'margin'],
  [
    /trading is halted|only post-only orders|open interest|asset is delisted|cross margin|has been settled/i,
    'closed_market',
  ],
  [/invalid asset/i, 'not_listed'],
  [/does not exist|must deposit before|unable to recover signer/i, 'signer'],
  [/vault not registered|multi-sig required/i, 'signer'],
  [
    /orders are empty|trigger order|different asset classes|builder fee|post.only order would|spot balance|client order id/i,
    'form',
  ],
]

/** What the venue also says where the id of an order is another perp's than was meant. */
const ofAnotherPerp: ReadonlySet<RefusalKind> = new Set([
  ...(['nothing_to_reduce', 'off_grid', 'outside_band', 'stop_price'] as const),
  ...(['not_listed', 'unknown'] as const),
])

/** Whether a refusal may mean that the id of the order is that of another perp. */
export function mayBeOfAnother(text: string): boolean {
  return ofAnotherPerp.has(refusalKind(text))
}

export function refusalKind(text: string): RefusalKind {
  return words.find(([pattern]) => pattern.test(text))?.[1] ?? 'unknown'
}

/** The action was refused for itself: none of its orders is to blame, and splitting it helps none. */
export function isAboutTheAction(kind: RefusalKind): boolean {
  return kind === 'expired' || kind === 'nonce' || kind === 'allowance' || kind === 'signer'
}

/** The asset that a refusal names behind its words; null where it names none. */
export function assetIn(refusal: string): number | null {
  const found = / asset=(\d{1,9})$/.exec(refusal)?.[1]
  return found === undefined ? null : parseInt(found, 10)
}
