import { dexOf } from '../../core/protocol/coinKind.ts'
import type { Markets } from '../../core/protocol/market.ts'
import { missingMarkets } from '../../core/rules/missingMarkets.ts'
import type { Coin } from '../../core/values/coin.ts'
import type { Alerts } from '../alerts.ts'
import type { Clock } from '../ports.ts'
import type { BuilderDexes } from './dexes/builderDexes.ts'

interface TellUnlistedDeps {
  readonly clock: Pick<Clock, 'now'>
  readonly alerts: Pick<Alerts, 'raise' | 'clear'>
  /** The markets that the rules name one by one, and where; left out: none. */
  readonly namedMarkets: ReadonlyMap<Coin, string> | undefined
  readonly dexes: Pick<BuilderDexes, 'isListed' | 'isGone'>
}

const code = 'market_missing'

/**
 * Tells of markets that the rules name and the venue does not have, and takes it back once it does: an
 * owner believes that a rule protects something, and it does nothing. Of a dex whose perps are not
 * known, or in doubt, nothing is said anew.
 */
export function tellUnlisted(
  { clock, alerts, namedMarkets: named, dexes }: TellUnlistedDeps,
  { byCoin }: Markets,
): void {
  if (named === undefined) return
  const told = new Set([...byCoin.keys()].map(dexOf))
  const isTold = (dex: string): boolean => (told.has(dex) ? dexes.isListed(dex) : dexes.isGone(dex))
  for (const coin of named.keys()) if (byCoin.has(coin)) alerts.clear(code, coin)
  for (const { coin, text } of missingMarkets(named, byCoin, isTold)) {
    alerts.raise(code, text, clock.now(), coin)
  }
}
