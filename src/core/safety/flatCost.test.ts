import { expect, test } from 'vitest'
import {
  accountWith,
  fixtureNow,
  markets,
  restingEntry,
  stopOrder,
} from '../account/account.fixture.ts'
import type { Account } from '../account/account.ts'
import { crowdedAccount, crowds, heldByMany } from '../account/crowded.fixture.ts'
import { operations } from '../account/operations.fixture.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { plan } from './planProtect.fixture.ts'
import type { ProtectInput } from './planProtect.ts'

const eth = coin('ETH')

/** Plans after a price has moved, so that nothing is remembered from before. */
function planning(account: Account, more: Partial<ProtectInput> = {}): number {
  const promise = account.promise(eth)
  const promises = new Map(promise === null ? [] : [[eth, promise]])
  const mids = new Map([[eth, Decimal.of('2487')]])
  return operations(() => {
    account.apply({ kind: 'mids', mids, at: fixtureNow })
    account.cover(eth)
    account.exposure()
    plan(account, { promises, ...more })
  })
}

const cases = crowds.flatMap((crowd) => [true, false].map((isCovered) => ({ crowd, isCovered })))
/** What each of them costs where stops on their way are added up to see whether they cover it all. */
const perOrder = 6

test.each(cases)(
  'protection costs with 880 $crowd what it costs with 10; covered: $isCovered',
  ({ crowd, isCovered }) => {
    const few = planning(crowdedAccount(crowd, 10, isCovered))
    const many = planning(crowdedAccount(crowd, 880, isCovered))
    const isEachSeen = crowd === 'stops in flight' && !isCovered
    expect(many).toBeLessThanOrEqual(isEachSeen ? few + perOrder * 870 : few * 1.2)
  },
)

test.each(
  [true, false].flatMap((areGuards) => [0, 1_000_000].map((left) => ({ areGuards, left }))),
)(
  'and so it does with 880 stops that hold the position; some of them Guard’s: $areGuards, open risk left: $left',
  ({ areGuards, left }) => {
    const [few, many] = [heldByMany(10, areGuards), heldByMany(880, areGuards)]
    const riskLeft = (): Decimal => Decimal.whole(left)
    expect(planning(many, { riskLeft })).toBeLessThanOrEqual(planning(few, { riskLeft }) * 1.2)
  },
)

test('with positions on 200 coins a thousand orders cost what 600 do', () => {
  const coins = Array.from({ length: 200 }, (_, asset) => ({
    ...{ coin: `C${asset}`, asset, sizeDecimals: 2, maxLeverage: 20 },
  }))
  const accountOf = (entriesEach: number): Account =>
    accountWith({
      ...{ equity: '1000000', markets: markets(coins) },
      mids: Object.fromEntries(coins.map((each) => [each.coin, '100'])),
      positions: Object.fromEntries(coins.map((each) => [each.coin, { size: '1' }])),
      orders: coins.flatMap(({ coin: name, asset }) => [
        stopOrder({ coin: name, oid: asset + 1, size: '1', trigger: '95' }),
        ...Array.from({ length: entriesEach }, (_, nth) =>
          restingEntry({
            ...{ coin: name, oid: 1_000 + 10 * asset + 2 * nth, isBuy: true, size: '1' },
            ...{ price: `${90 - nth}`, stop: '70' },
          }),
        ).flat(),
      ]),
    })
  const [few, many] = [accountOf(1), accountOf(2)]
  const c0 = coin('C0')
  const look = (account: Account): number =>
    operations(() => {
      account.apply({ kind: 'mids', mids: new Map([[c0, Decimal.of('101')]]), at: fixtureNow })
      account.exposure()
      plan(account)
    })
  look(few)
  look(many)
  expect(many.openOrderCount).toBe(1_000)
  expect(look(many)).toBeLessThanOrEqual(look(few) * 1.2)
})
