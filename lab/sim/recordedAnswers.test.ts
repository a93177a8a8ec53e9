import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Json } from '../../src/core/protocol/action.ts'
import { isRecorded, recording } from './recordings.fixture.ts'
import { demoUser, TestVenue } from './simulator.fixture.ts'

/**
 * Answers of the live venue to requests in known situations: the simulator, brought into the same
 * situation, says the same. Order numbers are its own, and prices where the recording had others.
 */
const agentKey = `0x${'11'.repeat(32)}`
const agent = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a'
const other = '0x2b5ad5c4795c026514f8317c7a215e218dccd6cf'

/** The recordings name markets by number: 3, 4 and 78 are BTC, ETH and a small coin. */
const markets = Array.from({ length: 79 }, (_, index) => {
  if (index === 3) return { name: 'BTC', szDecimals: 5, maxLeverage: 40, mid: '79449' }
  if (index === 4) return { name: 'ETH', szDecimals: 4, maxLeverage: 25, mid: '2500' }
  if (index === 78) return { name: 'ARB', szDecimals: 0, maxLeverage: 10, mid: '0.2876' }
  return { name: `C${index}`, szDecimals: 1, maxLeverage: 5, mid: '10' }
})

let venue: TestVenue
beforeAll(async () => {
  venue = await TestVenue.start()
})
afterAll(() => venue.close())

async function reset(account: { readonly [key: string]: unknown } = {}): Promise<void> {
  const accounts = [
    { address: demoUser, equity: '10000', agents: [agent], ...account },
    { address: other, equity: '10000' },
  ]
  await venue.control('reset', { frozen: true, markets, accounts })
}

const limit = (a: number, b: boolean, p: string, s: string, r = false, tif = 'Ioc'): Json => ({
  ...{ a, b, p, s, r },
  t: { limit: { tif } },
})
const orders = (...list: Json[]): Json => ({ type: 'order', orders: list, grouping: 'na' })
const stop = (p: string, triggerPx: string, s: string): Json => ({
  ...{ a: 3, b: false, p, s, r: true },
  t: { trigger: { isMarket: true, triggerPx, tpsl: 'sl' } },
})
const cross = (coin: string, szi: string) => ({
  positions: [{ coin, szi, leverage: { type: 'cross', value: 5 } }],
})

async function ask(action: Json, signing = {}): Promise<any> {
  return (await venue.exchange(action, signing)).json
}

async function oidOf(action: Json): Promise<number> {
  const answer = await ask(action)
  return answer.response.data.statuses[0].resting.oid
}

/** By the name of the recording: how to come into its situation, and what is asked there. */
const situations: { readonly [id: string]: () => Promise<any> } = {
  'ro-no-position': async () => {
    await reset()
    return ask(orders(limit(3, false, '78651', '0.00015', true)), { key: agentKey })
  },
  'open-ioc-filled': async () => {
    await reset()
    return ask(orders(limit(3, true, '80246', '0.00015')))
  },
  'ro-oversize-capped': async () => {
    await reset(cross('BTC', '0.00015'))
    return ask(orders(limit(3, false, '78651', '0.0003', true)))
  },
  'leverage-ok': async () => {
    await reset()
    return ask({ type: 'updateLeverage', asset: 3, isCross: true, leverage: 5 })
  },
  'leverage-switch-type': async () => {
    await reset(cross('BTC', '0.001'))
    return ask({ type: 'updateLeverage', asset: 3, isCross: false, leverage: 5 })
  },
  'isolated-margin-on-cross': async () => {
    await reset(cross('BTC', '0.001'))
    return ask({ type: 'updateIsolatedMargin', asset: 3, isBuy: true, ntli: 1_000_000 })
  },
  'schedule-cancel-volume-gate': async () => {
    await reset()
    return ask({ type: 'scheduleCancel', time: Date.now() + 60_000 })
  },
  'expired-action': async () => {
    await reset()
    const past = Date.now() - 60_000
    return ask(orders(limit(3, true, '80246', '0.00015')), { key: agentKey, expiresAfter: past })
  },
  'modify-dead': async () => {
    await reset()
    const order = limit(3, true, '70000', '0.001', false, 'Gtc')
    return ask({ type: 'modify', oid: 5, order })
  },
  'sub-account-gate': async () => {
    await reset()
    return ask({ type: 'createSubAccount', name: 'second' })
  },
  // Here any code is registered but the empty one.
  'referrer-unknown': async () => {
    await reset()
    return ask({ type: 'setReferrer', code: '' })
  },
  'revoked-agent': async () => {
    await venue.control('reset', {
      frozen: true,
      markets,
      accounts: [{ address: demoUser, equity: '1' }],
    })
    return ask({ type: 'noop' }, { key: agentKey })
  },
  'resting-gtc': async () => {
    await reset(cross('BTC', '0.001'))
    return ask(orders(limit(3, false, '82000', '0.001', true, 'Gtc')))
  },
  'position-tpsl': async () => {
    await reset(cross('BTC', '0.001'))
    const action = {
      type: 'order',
      orders: [stop('70000', '75000', '0')],
      grouping: 'positionTpsl',
    }
    return ask(action)
  },
  'cancel-ok': async () => {
    await reset()
    const oid = await oidOf(orders(limit(4, true, '2000', '0.1', false, 'Gtc')))
    return ask({ type: 'cancel', cancels: [{ a: 4, o: oid }] })
  },
  'cancel-mixed': async () => {
    await reset()
    const oid = await oidOf(orders(limit(4, true, '2000', '0.1', false, 'Gtc')))
    const taken = await ask(orders(limit(4, true, '2600', '0.1')))
    const filled = taken.response.data.statuses[0].filled.oid
    const cancels = [oid, filled, 999_999_999].map((o) => ({ a: 4, o }))
    return ask({ type: 'cancel', cancels })
  },
  'cancel-201': async () => {
    await reset()
    return ask({ type: 'cancel', cancels: Array.from({ length: 201 }, (_, o) => ({ a: 4, o })) })
  },
  'ioc-no-match': async () => {
    await reset()
    return ask(orders(limit(78, true, '0.2', '100')))
  },
  'ioc-partial': async () => {
    await reset()
    const rests = { a: 78, b: false, p: '0.2876', s: '136', r: false, t: { limit: { tif: 'Alo' } } }
    await venue.control('act', {
      user: other,
      action: { type: 'order', orders: [rests], grouping: 'na' },
    })
    return ask(orders(limit(78, true, '0.2876', '200')))
  },
  'min-notional': async () => {
    await reset()
    return ask(orders(limit(4, true, '2475', '0.004', false, 'Gtc')))
  },
  'min-notional-partial-close': async () => {
    await reset(cross('ETH', '1'))
    return ask(orders(limit(4, false, '2600', '0.0022', true, 'Gtc')))
  },
  'min-notional-full-close': async () => {
    await reset(cross('ETH', '0.001'))
    return ask(orders(limit(4, false, '2540', '0.001', true, 'Gtc')))
  },
  'twap-ro': async () => {
    await reset()
    const twap = { a: 4, b: true, s: '1', r: true, m: 30, t: false }
    return ask({ type: 'twapOrder', twap })
  },
  'docs-resting': async () => {
    await reset()
    return ask(orders(limit(4, true, '2000', '0.1', false, 'Gtc')))
  },
  'docs-filled': async () => {
    await reset()
    return ask(orders(limit(4, true, '2600', '0.02')))
  },
  'docs-twap': async () => {
    await reset()
    return ask({ type: 'twapOrder', twap: { a: 4, b: true, s: '1', r: false, m: 30, t: false } })
  },
  'docs-twap-err': async () => {
    await reset()
    return ask({ type: 'twapOrder', twap: { a: 4, b: true, s: '1', r: false, m: 1, t: false } })
  },
  'docs-twap-cancel-err': async () => {
    await reset()
    return ask({ type: 'twapCancel', a: 4, t: 77 })
  },
  'parent-filled-tpsl': async () => {
    await reset()
    const child = (tpsl: string, triggerPx: string): Json => ({
      ...{ a: 4, b: false, p: '2000', s: '1', r: true },
      t: { trigger: { isMarket: true, triggerPx, tpsl } },
    })
    const group = [limit(4, true, '2600', '1'), child('tp', '2700'), child('sl', '2400')]
    return ask({ type: 'order', orders: group, grouping: 'normalTpsl' })
  },
}

/** Recorded, and about actions that need a wallet's own signature, agents or accounts of others. */
const elsewhere = [
  ...['agent-usdSend', 'agent-withdraw3', 'agentSendAsset-self', 'agentSendAsset-third-party'],
  ...['approveAgent-revoke', 'replaced-agent', 'pending-removal', 'too-many-agents'],
  ...['agent-reuse', 'agent-valid-until', 'bad-sub-account', 'vault-unregistered'],
  ...['invalid-send', 'address-rate-limit'],
]

/** What is another number on another venue: who, which order, what was traded, what it cost. */
function comparable(answer: any): string {
  return JSON.stringify(answer)
    .replace(/"oid":\d+/g, '"oid":0')
    .replace(/"twapId":\d+/g, '"twapId":0')
    .replace(/"avgPx":"\d+\.\d+"/g, '"avgPx":"0.0"')
    .replace(/0x[0-9a-f]{40}/g, '0x')
    .replace(/Traded: \$[\d.]+\./g, 'Traded: $.')
}

describe.runIf(isRecorded)('answers to what was asked of the live venue', () => {
  const pairs: any[] = isRecorded ? recording('exchange_pairs.json').pairs : []

  test.each(Object.keys(situations))('%s', async (id) => {
    const recorded = pairs.find((pair) => pair.id === id)
    expect(recorded, 'is among the recordings').toBeDefined()
    const found = await situations[id]?.()
    expect(comparable(found)).toBe(comparable(recorded.response))
  })

  test('the fill of what rested inside the spread has the recorded size and price', async () => {
    const recorded = pairs.find((pair) => pair.id === 'ioc-partial').response
    const found = await situations['ioc-partial']?.()
    const { totalSz, avgPx } = recorded.response.data.statuses[0].filled
    expect(found.response.data.statuses[0].filled).toMatchObject({ totalSz, avgPx })
  })

  test('every recording is asked here or has a test of its own', () => {
    const known = new Set([...Object.keys(situations), ...elsewhere])
    expect(pairs.map(({ id }) => id).filter((id: string) => !known.has(id))).toEqual([])
  })
})

test.skipIf(isRecorded)('the recordings do not lie beside this repository: skipped', () => {
  expect(isRecorded).toBe(false)
})
