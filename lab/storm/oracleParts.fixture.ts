import { expect } from 'vitest'
import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import { defaultRules } from '../../src/core/rules/rules.ts'
import type { Rules } from '../../src/core/rules/rules.ts'
import { cloid } from '../../src/core/values/cloid.ts'
import { coin } from '../../src/core/values/coin.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { createSimulator } from '../sim/createSimulator.ts'
import type { FillView } from '../sim/engine/views.ts'
import type { SimulatorCore } from '../sim/simulatorOptions.ts'
import { BudgetOracle } from './budgetOracle.ts'
import type { Sending } from './sending.ts'
import { curveFor, scripted } from './storm.fixture.ts'
import type { Happening } from './venueWatch.ts'
import { user } from './keys.ts'

/** Orders, actions and venues for the tests of the oracles. The one market is ETH at 4,000 USD. */

export const entry = { a: 0, b: true, p: '4000', s: '1', r: false, t: { limit: { tif: 'Ioc' } } }
export const exit = { ...entry, b: false, r: true }
export const guardStop = '0x67756172010000000000000000000001'

export const stopAt = (triggerPx: string, s = '1', c?: string): JsonObject => ({
  ...{ a: 0, b: false, p: '3000', s, r: true, ...(c === undefined ? {} : { c }) },
  t: { trigger: { isMarket: true, triggerPx, tpsl: 'sl' } },
})

export const order = (...orders: readonly Json[]): JsonObject => ({
  ...{ type: 'order', orders, grouping: orders.length > 1 ? 'normalTpsl' : 'na' },
})

/** A venue with one account of 10,000 USD, and whatever it is made to hold. */
export function venueWith(account: JsonObject, more: JsonObject = {}): SimulatorCore {
  const crypto = curveFor(scripted(1))
  const sim = createSimulator({ control: true, weightLimit: null }, crypto, () => 1_789_000_000_000)
  const body = JSON.stringify({
    frozen: true,
    markets: [{ name: 'ETH', szDecimals: 4, maxLeverage: 25, mid: '4000' }],
    accounts: [{ address: user, equity: '10000', ...account }],
    ...more,
  })
  const request = { method: 'POST', url: '/sim/reset', contentType: 'application/json', body }
  sim.http({ ...request, isObserver: true, ip: '127.0.0.1' }, (reply) => {
    expect(reply?.status).toBe(200)
  })
  return sim
}

export const long = (szi: string): JsonObject => ({
  positions: [{ coin: 'ETH', szi, leverage: { type: 'isolated', value: 5 } }],
})

/** Measures an action that leaves by the default rules, or by some that differ from them. */
export function budget(
  account: JsonObject,
  action: Json,
  onItsWay: readonly Json[] = [],
  others: Partial<Rules> = {},
): void {
  const rules = { ...defaultRules, ...others }
  new BudgetOracle(venueWith(account).venue, user).checkEntry(action, rules, true, onItsWay)
}

/** A buy of so much that waits for 4,100 USD. */
export const waitingEntry = (s: string): JsonObject => ({
  ...{ ...entry, p: '4000', s },
  t: { trigger: { isMarket: true, triggerPx: '4100', tpsl: 'sl' } },
})

/** What a fill of 1 ETH, or of so much, is at the venue; the first entry's number is 7. */
export const fillOf = (size: string, start = '0', isBuy = true, oid = 7): FillView => ({
  ...{ coin: coin('ETH'), price: Decimal.of('4000'), size: Decimal.of(size), isBuy, time: 1 },
  ...{ startPosition: Decimal.of(start), dir: '', closedPnl: Decimal.zero, hash: '', oid },
  ...{ crossed: true, fee: Decimal.zero, tid: 1, cloid: cloid(entryId), feeToken: 'USDC' },
  ...{ liquidation: null, builderFee: null, twapId: null },
})

/** The client order id that Guard gave the entry before it sent it. */
export const entryId = `0x${'e1'.padStart(32, '0')}`

/** An action of Guard's that reaches the venue, and what filled at once. */
export const arrival = (action: JsonObject, fills: readonly FillView[]): Happening => {
  const sending: Sending = {
    ...{ action, origin: null, askedAt: 0, leftAt: 0, expiresAfter: 1, rules: defaultRules },
    isStruck: false,
  }
  const nothing = { orders: [], positions: [] }
  return {
    ...{ actor: { who: 'guard', sending }, before: nothing, after: nothing, ended: [], fills },
    ...{ trades: fills, reply: null },
  }
}
