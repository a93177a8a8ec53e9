import type { Address } from '../../src/core/values/address.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import type { StatusView } from '../../src/engine/statusView.ts'
import type { Venue } from '../sim/engine/venue.ts'
import { Violation } from './violation.ts'
import { dexOf, everyPosition } from './wholeAccount.ts'

/** USD by which Guard's figures may differ from these: the venue rounds what it tells Guard. */
const rounding = Decimal.of('0.01')

/**
 * What Guard shows behind cross positions is what the venue itself has there: of a plain account what
 * stands behind them on their own dex, of any other the whole balance less what is isolated.
 */
export function checkPools(
  venue: Venue,
  user: Address,
  { cross_pools: shown }: Pick<StatusView, 'cross_pools'>,
): void {
  const held = everyPosition(venue, user)
  const isPooled = venue.mode(user) !== 'disabled'
  const pools: readonly (string | null)[] = isPooled ? [null] : venue.dexNames()
  const strange = shown.find(({ dex }) => !pools.includes(dex))
  if (strange !== undefined) throw new Violation('pools', `there is no pool ${String(strange.dex)}`)
  for (const dex of pools) {
    const told = shown.find((each) => each.dex === dex)
    const isIn = (coin: string): boolean => dex === null || dexOf(coin) === dex
    const isCross = held.some(({ coin, leverage }) => leverage.type === 'cross' && isIn(coin))
    if (told === undefined && !isCross) continue
    const isolated = held.filter(({ leverage }) => leverage.type === 'isolated')
    const behind =
      dex === null
        ? isolated.reduce(
            (left, each) => left.minus(each.marginUsed),
            venue.spotState(user).usdcTotal,
          )
        : venue.perpState(user, dex).cross.accountValue
    const apart = told === undefined ? null : Decimal.of(told.collateral).minus(behind).abs()
    if (apart?.lte(rounding) === true) continue
    const text = `${told?.collateral ?? 'nothing'} is shown behind the cross positions of ${dex === null ? 'the account' : `the dex "${dex}"`}, and the venue has ${behind.toString()}`
    throw new Violation('pools', text)
  }
}
