import type { TwapView, WatchedAccount } from '../account/accountView.ts'
import type { TwapCancelAction } from '../protocol/action.ts'
import { isPerp } from '../protocol/coinKind.ts'
import type { Coin } from '../values/coin.ts'

/** A TWAP whose number is known. */
interface RunningTwap {
  readonly id: number
  readonly coin: Coin
}

/** Those that a flatten ends: what could open a position, and what only waits for one to reduce. */
export function twapsToFlatten(account: WatchedAccount): readonly TwapView[] {
  return account.twaps
    .views()
    .filter(({ coin, mayOpen, isIdle, isOver }) => !isOver && (mayOpen || isIdle) && isPerp(coin))
}

/**
 * Those of Guard's clients that may open a position, and that no stop rests for yet: those whose number
 * nobody has told too.
 */
export function unstartedTwaps(account: Pick<WatchedAccount, 'twaps'>): readonly TwapView[] {
  return account.twaps
    .views()
    .filter(({ judged, hasStarted, isOver }) => judged !== null && !hasStarted && !isOver)
}

/** Why a TWAP that went through Guard is cancelled while nothing is being closed. */
type WhyTwapEnds =
  | 'a TWAP that may only reduce, and nothing is left'
  | 'its stop is crossed'
  | 'its stop was refused'
  | 'runs against the rules'

interface EndingTwap extends RunningTwap {
  readonly why: WhyTwapEnds
}

interface WhatMayRun {
  /** Whether the rules let TWAPs open positions on a coin. */
  readonly mayTwap: (coin: Coin) => boolean
  /** Coins whose stop the venue refused. */
  readonly refusedStops: ReadonlySet<Coin>
}

/** Those of Guard's clients that must not go on: the venue would send their slices all the same. */
export function twapsToEnd(account: WatchedAccount, may: WhatMayRun): readonly EndingTwap[] {
  return account.twaps.views().flatMap((twap) => {
    const { id, coin, isOver, owner } = twap
    if (id === null || isOver || owner !== 'bot') return []
    const why = whyItEnds(account, twap, may)
    return why === null ? [] : [{ id, coin, why }]
  })
}

function whyItEnds(
  account: WatchedAccount,
  { coin, isBuy, isIdle, judged, hasStarted }: TwapView,
  { mayTwap, refusedStops }: WhatMayRun,
): WhyTwapEnds | null {
  if (isIdle) return 'a TWAP that may only reduce, and nothing is left'
  if (judged === null) return null
  if (!mayTwap(coin)) return 'runs against the rules'
  // What its slices open is closed at once, slice by slice.
  if (hasStarted && refusedStops.has(coin)) return 'its stop was refused'
  const { stop } = judged
  const isCrossed = [account.mark(coin), account.mid(coin)?.price ?? null].some(
    (price) => price !== null && (isBuy ? price.lte(stop) : price.gte(stop)),
  )
  // One that still waits for its price has filled nothing that its stop could close.
  return isCrossed && hasStarted ? 'its stop is crossed' : null
}

export function twapCancel(asset: number, twapId: number): TwapCancelAction {
  return { type: 'twapCancel', asset, twapId }
}
