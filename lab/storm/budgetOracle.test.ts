import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { coin } from '../../src/core/values/coin.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { defaultRules } from '../../src/core/rules/rules.ts'
import type { OrderView } from '../sim/engine/views.ts'
import type { SimulatorCore } from '../sim/simulatorOptions.ts'
import { BudgetOracle } from './budgetOracle.ts'
import { user } from './keys.ts'
import {
  budget,
  entry,
  long,
  order,
  stopAt,
  venueWith,
  waitingEntry,
} from './oracleParts.fixture.ts'

/** What counts toward the limits beside what the venue shows; `rules.test.ts` breaks each once. */

const small = order({ ...entry, s: '0.5' }, stopAt('3900', '0.5'))
const sized = (size: string, trigger: string): JsonObject =>
  order({ ...entry, s: size }, stopAt(trigger, size))
const wide = { ...defaultRules, maxPosition: Decimal.whole(10), maxLeverage: Decimal.whole(10) }
const act = (sim: SimulatorCore, action: JsonObject): void => {
  const body = JSON.stringify({ user, action })
  const request = { method: 'POST', url: '/sim/act', contentType: 'application/json', body }
  sim.http({ ...request, isObserver: true, ip: '127.0.0.1' }, (reply) => {
    expect(reply?.status).toBe(200)
  })
}
const much = { ...long('11.9'), orders: [stopAt('3999', '11.9')] }

test.each<[string, JsonObject, readonly JsonObject[]]>([
  // 50 USD at risk with it and 150 for each other: 600 may be.
  ['open_risk', {}, Array.from({ length: 4 }, () => sized('1.5', '3900'))],
  // 47,600 USD held, 2,000 with it: 50,000 may be.
  ['leverage', much, [sized('0.2', '3999')]],
  // 2,000 USD with it: 20,000 may be.
  ['position_cap', {}, [sized('4.9', '3999')]],
])('what is on its way counts for %s', (rule, account, onItsWay) => {
  expect(() => {
    budget(account, small, onItsWay)
  }).toThrow(rule)
  expect(() => {
    budget(account, small, onItsWay.slice(1))
  }).not.toThrow(rule)
})

test('a stop counts for as much of the position as it closes', () => {
  const held = long('2.9')
  // 290 USD at the tight stop alone; 0.4 of it there and the rest at the loose one are 540 USD.
  const tight = { ...held, orders: [stopAt('3900', '2.9'), stopAt('3800', '2.9')] }
  const mostlyLoose = { ...held, orders: [stopAt('3900', '0.4'), stopAt('3800', '2.5')] }
  const more = order({ ...entry, s: '0.7' }, stopAt('3900', '0.7'))
  expect(() => {
    budget(tight, more)
  }).not.toThrow()
  expect(() => {
    budget(mostlyLoose, more)
  }).toThrow('open_risk')
})

test('past its stops a position risks nothing, though the venue looks at them only now and then', () => {
  const account = { ...long('2.9'), orders: [stopAt('3800', '2.9')] }
  const { venue } = venueWith(account, { options: { mark_step_ms: 3_000 } })
  const [oracle, other] = [new BudgetOracle(venue, user, true), new BudgetOracle(venue, user)]
  for (const each of [oracle, other]) each.look()
  // 580 USD were at risk, and 50 more would be.
  venue.setPrice(coin('ETH'), { mid: Decimal.of('3790') })
  expect(venue.openOrders(user)).toHaveLength(1)
  oracle.checkEntry(small, defaultRules, true)
  // Guard may have gone by that price when it has come back.
  venue.setPrice(coin('ETH'), { mid: Decimal.of('3990') })
  oracle.checkEntry(small, defaultRules, true)
  expect(() => {
    other.checkEntry(small, defaultRules, true)
  }).toThrow('open_risk')
})

test('stops that the price has passed close their part before a looser one, where the venue looks late', () => {
  // Half an ETH is all that the loose one still has to close: 125 USD, and 625 where it closes all.
  const orders = [stopAt('3900', '2'), stopAt('3600', '2.5')]
  const { venue } = venueWith({ ...long('2.5'), orders }, { options: { mark_step_ms: 3_000 } })
  venue.setPrice(coin('ETH'), { mid: Decimal.of('3850') })
  const check = (isLate: boolean) => () => {
    new BudgetOracle(venue, user, isLate).checkEntry(small, defaultRules, true)
  }
  expect(check(true)).not.toThrow()
  expect(check(false)).toThrow('open_risk')
})

test('a stop that the venue pushed out counts for an entry that was asked for before, and for no other', () => {
  const held = { ...long('2.9'), orders: [stopAt('3850', '2.9')] }
  const options = { reduceOnlyExcess: 'cancel-oldest-and-triggers' }
  const sim = venueWith(held, { options })
  const [tight] = sim.venue.openOrders(user)
  const oracle = new BudgetOracle(sim.venue, user)
  act(sim, order(stopAt('3800', '2.9')))
  expect(sim.venue.openOrders(user)).toHaveLength(1)
  const ended = tight === undefined ? [] : [{ order: tight, status: 'reduceOnlyCanceled' }]
  oracle.hear({ ended })
  // 435 USD at the tight stop, 580 at the loose one, and 50 with the entry: 600 may be.
  const asked = (since: number) => () => {
    oracle.checkEntry(small, defaultRules, true, [], since)
  }
  expect(asked(sim.venue.nowMs)).not.toThrow()
  expect(asked(sim.venue.nowMs + 1)).toThrow('open_risk')
  expect(asked(Infinity)).toThrow('open_risk')
})

test('the sums have what the venue pushed out for as long as Guard has to put it back', () => {
  const { venue } = venueWith({ ...long('3.9'), orders: [stopAt('3800', '3.9')] })
  const [loose] = venue.openOrders(user)
  const oracle = new BudgetOracle(venue, user)
  const check = (): void => {
    oracle.checkSums(defaultRules)
  }
  // 780 USD at the stop that is left, and 585 at the one that was pushed out: 600 may be.
  expect(check).toThrow('open_risk')
  const tight = { ...loose, trigger: { ...loose?.trigger, price: Decimal.of('3850') } } as OrderView
  oracle.hear({ ended: [{ order: tight, status: 'reduceOnlyCanceled' }] })
  venue.advanceTo(venue.nowMs + 3_000)
  expect(check).not.toThrow()
  venue.advanceTo(venue.nowMs + 1)
  expect(check).toThrow('open_risk')
})

test('an entry that is modified makes room by its number, and by its client order id', () => {
  const c = '0x00000000000000000000000000000abc'
  const resting = { ...entry, p: '3990', s: '4.9', t: { limit: { tif: 'Gtc' } }, c }
  const orders = [{ ...resting, children: [stopAt('3980', '4.9')] }]
  const modify = { type: 'modify', oid: c, order: { ...resting, p: '3991' } }
  expect(() => {
    budget({ orders }, modify)
  }).not.toThrow()
  expect(() => {
    budget({ orders }, { ...modify, oid: '0x00000000000000000000000000000def' })
  }).toThrow('position_cap')
})

test('entries that wait for a trigger count in full beside each other, and only where they may wait', () => {
  const watched = { triggerEntries: 'watched' } as const
  const half = order(waitingEntry('0.7'))
  const orders = [waitingEntry('0.7')]
  const asked = (account: JsonObject, onItsWay: readonly JsonObject[]) => () => {
    budget(account, half, onItsWay, watched)
  }
  expect(asked({}, [half])).not.toThrow()
  expect(asked({ orders }, [])).not.toThrow()
  // A third of 287 USD is more than a day may lose.
  expect(asked({}, [half, half])).toThrow('waiting_loss')
  expect(asked({ orders }, [half])).toThrow('waiting_loss')
  expect(() => {
    budget({}, half)
  }).toThrow('entry_stop')
  // 4.9 of 4,100 USD are a position of 20,090, and 20,000 may be.
  expect(() => {
    budget({}, order(waitingEntry('4.9')), [], { ...watched, dailyLossStop: Decimal.one })
  }).toThrow('position_cap')
})

test.each([
  ['4', false],
  ['8', true],
])('what a TWAP of %s ETH is still to add loses down to the stop too', (s, isTooMuch) => {
  const sim = venueWith({})
  act(sim, {
    ...{ type: 'twapOrder', twap: { a: 0, b: true, s, r: false, m: 30, t: false } },
    details: { t: null, s: '4120' },
  })
  act(sim, order(stopAt('3920', s)))
  expect(sim.venue.twaps(user)[0]?.executedSize.isPositive()).toBe(true)
  const check = (): void => {
    new BudgetOracle(sim.venue, user).checkEntry(small, wide, true)
  }
  // 80 USD for each ETH of it and 50 with the entry: 600 may be.
  if (isTooMuch) expect(check).toThrow('open_risk')
  else expect(check).not.toThrow()
})
