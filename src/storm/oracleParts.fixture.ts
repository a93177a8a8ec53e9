import { expect } from 'vitest'
import type { Json, JsonObject } from '../core/protocol/action.ts'
import { defaultRules } from '../core/rules/rules.ts'
import { createSimulator } from '../sim/createSimulator.ts'
import type { SimulatorCore } from '../sim/simulatorOptions.ts'
import { BudgetOracle } from './budgetOracle.ts'
import { curveFor, scripted } from './storm.fixture.ts'
import { user } from './world.ts'

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
export function venueWith(account: JsonObject): SimulatorCore {
  const crypto = curveFor(scripted(1))
  const sim = createSimulator({ control: true, weightLimit: null }, crypto, () => 1_789_000_000_000)
  const body = JSON.stringify({
    frozen: true,
    markets: [{ name: 'ETH', szDecimals: 4, maxLeverage: 25, mid: '4000' }],
    accounts: [{ address: user, equity: '10000', ...account }],
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

/** Measures an action that leaves by the default rules. */
export function budget(account: JsonObject, action: Json, onItsWay: readonly Json[] = []): void {
  new BudgetOracle(venueWith(account).venue, user).checkEntry(action, defaultRules, true, onItsWay)
}
