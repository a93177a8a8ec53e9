import type { RulesFor } from '../../core/rules/rules.ts'
import type { Coin } from '../../core/values/coin.ts'
import type { Alerts } from '../alerts.ts'
import { poolOf } from './accountReads.ts'
import { coinsToFollow } from './coinsToFollow.ts'
import type { BuilderDexes } from './dexes/builderDexes.ts'
import type { NewMarkets } from './newMarkets.ts'
import type { OtherMarkets } from './otherMarkets.ts'
import type { Picture } from './picture.ts'
import type { VenueNews, VenueStream } from '../ports.ts'
import { timedEvent } from '../send/followClock.ts'
import type { VenueClock } from '../venueClock.ts'
import { tellUnlisted } from './tellUnlisted.ts'
import type { VenueWaits } from './venueWaits.ts'
import type { Watcher } from './watcher.ts'

interface IntakeDeps {
  readonly clock: VenueClock
  readonly rulesFor: RulesFor
  readonly namedMarkets: ReadonlyMap<Coin, string> | undefined
  readonly alerts: Alerts
  readonly stream: Pick<VenueStream, 'follow' | 'countEquityIn'>
  readonly dexes: Pick<BuilderDexes, 'join' | 'isListed' | 'isGone' | 'lists'>
  readonly otherMarkets: Pick<OtherMarkets, 'separate'>
  readonly picture: Pick<Picture, 'told'>
  readonly watcher: Pick<Watcher, 'deliver'>
  readonly newMarkets: Pick<NewMarkets, 'seen'>
  readonly venueWaits: Pick<VenueWaits, 'lookAgain'>
}

/** Takes what the venue tells, by the stream or a read, to everyone whom it concerns. */
export function takeIn(deps: IntakeDeps, news: VenueNews): void {
  const { clock, dexes, otherMarkets, picture, watcher, newMarkets, stream } = deps
  for (const told of dexes.join(news)) {
    const event = timedEvent(clock, told)
    if (event.kind === 'mode') stream.countEquityIn(poolOf(event.mode))
    for (const each of otherMarkets.separate(event)) {
      if (each.kind !== 'orders' || dexes.lists.has('')) picture.told(each)
      watcher.deliver(each)
      newMarkets.seen(each)
    }
    const coins = coinsToFollow(event, deps.rulesFor(null, null), (dex) => dexes.isListed(dex))
    for (const coin of coins) stream.follow(coin)
    if (event.kind === 'markets') tellUnlisted(deps, event.markets)
  }
  deps.venueWaits.lookAgain()
}
