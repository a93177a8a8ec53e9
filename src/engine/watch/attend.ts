import type { Account } from '../../core/account/account.ts'
import type { Action } from '../../core/protocol/action.ts'
import { dexOf } from '../../core/protocol/coinKind.ts'
import type { BuilderDexes } from './dexes/builderDexes.ts'
import type { NewMarkets } from './newMarkets.ts'
import { openedCoins } from './openedCoins.ts'
import type { VenueStream } from '../ports.ts'
import type { Reconciler } from './reconciler.ts'

interface AttendDeps {
  readonly account: Account
  readonly stream: Pick<VenueStream, 'follow'>
  readonly reconciler: Pick<Reconciler, 'freshen'>
  readonly newMarkets: Pick<NewMarkets, 'wanted'>
  readonly dexes: Pick<BuilderDexes, 'isListed'>
}

/**
 * What a request needs before it can be judged: its markets, then fresh prices and a fresh account.
 * Null when all of it is there already: nearly always, so that nothing is waited for.
 */
export function attend(deps: AttendDeps, action: Action): Promise<void> | null {
  const wanted = deps.newMarkets.wanted(action)
  if (wanted === null) return freshen(deps, action)
  return wanted.then(async () => {
    await freshen(deps, action)
  })
}

function freshen({ account, stream, reconciler, dexes }: AttendDeps, action: Action) {
  const coins = openedCoins(action, account)
  for (const coin of coins) if (dexes.isListed(dexOf(coin))) stream.follow(coin)
  return reconciler.freshen(coins)
}
