import { expect, test } from 'vitest'
import fc from 'fast-check'
import { coin } from '../../../../src/core/values/coin.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'
import { account, alice, bob, d, limit, send, testVenue } from '../venue.fixture.ts'

const pair = coin('@1')
const cents = (units: number) => new Decimal(BigInt(units), 2)

const step = fc.record({
  kind: fc.constantFrom('order', 'order', 'order', 'price', 'cancel'),
  who: fc.constantFrom(alice, bob),
  side: fc.constantFrom('buy' as const, 'sell' as const),
  size: fc.integer({ min: 1, max: 3_000 }).map(cents),
  price: fc.integer({ min: 2_800, max: 3_200 }).map(cents),
  tif: fc.constantFrom('Gtc' as const, 'Ioc' as const, 'Alo' as const),
})

test('no token and no money is made or lost, and nothing is held that is not there', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), fc.boolean(), (steps, spot_hold_fee) => {
      const spot = [
        { token: 'HYPE', total: d('50') },
        { token: 'USDC', total: d('2000') },
      ]
      const accounts = [
        account(alice, '1000', { spot }),
        account(bob, '3000', { mode: 'unifiedAccount', spot: spot.slice(0, 1) }),
      ]
      const venue = testVenue(accounts, { spot_hold_fee })
      for (const { kind, who, side, size, price, tif } of steps) {
        if (kind === 'price') venue.setPrice(pair, { mid: price })
        else if (kind === 'cancel') {
          const [open] = venue.openOrders(who)
          const cancels = [{ asset: 10_001, oid: open?.oid ?? 1 }]
          venue.apply(who, { type: 'cancel', cancels })
        } else {
          const order = limit(side, size.toString(), price.toString(), { asset: 10_001, tif })
          send(venue, who, [order])
        }
        const { held, feesCollected, deposited, tokens } = venue.audit()
        expect(held.plus(feesCollected).toString()).toBe(deposited.toString())
        expect(tokens.get('HYPE')?.toString()).toBe('100')
        for (const each of [alice, bob]) {
          const state = venue.spotState(each)
          const total = state.tokens.get('HYPE') ?? Decimal.zero
          expect(total.gte(state.holds.get('HYPE') ?? Decimal.zero)).toBe(true)
          expect(state.usdcTotal.gte(state.usdcHold)).toBe(true)
        }
      }
    }),
    { numRuns: 150 },
  )
})
