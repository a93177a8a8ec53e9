import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { coin } from '../../src/core/values/coin.ts'
import { err } from '../../src/core/values/result.ts'
import { accountAddress, gtc, order, orders, reduceOnly, World } from './world.fixture.ts'
import type { WorldOptions } from './world.fixture.ts'
import { accountInside } from './insideGuard.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const market = (name: string, mid: string, more: JsonObject = {}): JsonObject => ({
  ...{ name, szDecimals: 3, maxLeverage: 10, mid, ...more },
})
const xyz = { name: 'xyz', markets: [market('TSLA', '400'), market('HOOD', '100')] }
const abc = { name: 'abc', collateral: 'USDT0', markets: [market('OIL', '60')] }
const quick = { options: { accountMs: 200 } }
const tesla = 110_000
const hood = 110_001

const start = (more: WorldOptions = {}) =>
  World.start({
    ...{ dexes: [xyz], simulator: quick },
    ...{ account: { dex_equity: { xyz: '1000' } }, ...more },
  })
const buy = (asset: number, price: string, size: string) =>
  world.outside(orders(order(asset, true, price, size)))
const isolated = (asset: number) =>
  world.outside({ type: 'updateLeverage', asset, isCross: false, leverage: 5 })

/** The API wallet itself may move money between the dexes of its account. */
async function moveToXyz(amount: string): Promise<void> {
  const nonce = world.nonce()
  const action = {
    ...{ type: 'agentSendAsset', destination: accountAddress, sourceDex: '' },
    ...{ destinationDex: 'xyz', token: 'USDC:0x6d1e7cde53ba9467b783cb7c530ce054', amount },
    ...{ fromSubAccount: '', nonce },
  }
  const key = new Uint8Array(32).fill(0x11)
  const request = world.sign(action, { key, nonce, as: 'testnet' })
  const { json } = await world.venue.send('POST', '/exchange', request)
  expect(json).toMatchObject({ status: 'ok' })
}

const status = () => world.guard.status()
const seen = (name: string) => status().positions.find((each) => each.coin === name)
const alertsOf = (code: string) => status().alerts.filter((alert) => alert.code === code)

/** One that somebody holds on xyz, told of before or while Guard runs. */
async function holdTesla(): Promise<void> {
  await isolated(tesla)
  await buy(tesla, '410', '1')
}
async function covered(name: string): Promise<void> {
  await world.until(() => seen(name)?.covered === true, `${name} covered`)
}

describe.each(['disabled', 'unifiedAccount'])('an account of the mode %s', (mode) => {
  const isStandard = mode === 'disabled'
  const account = { mode, ...(isStandard ? { dex_equity: { xyz: '1000' } } : {}) }
  const equity = isStandard ? 11_000 : 10_000

  test('a position on a dex that nobody named is told, counted, covered and closed at a kill', async () => {
    world = await start({ account })
    await holdTesla()
    await covered('xyz:TSLA')
    const [stop] = await world.askAbout('frontendOpenOrders', 'xyz')
    expect(stop).toMatchObject({ coin: 'xyz:TSLA', isTrigger: true, reduceOnly: true, sz: '1.0' })
    await world.until(() => alertsOf('discrepancy').length > 0, 'the discrepancy')
    const [alert] = alertsOf('discrepancy')
    expect(alert).toMatchObject({ coin: 'xyz:TSLA' })
    expect(alert?.text).toContain('on the dex xyz, which `markets` does not name')
    expect(Number(status().risk.open_risk)).toBeGreaterThan(5)
    expect(status().risk.state).toBe('active')
    await world.kill('enough')
    await world.until(async () => Object.keys(await world.positionsOn('xyz')).length === 0, 'flat')
    await world.until(
      async () => (await world.askAbout('openOrders', 'xyz')).length === 0,
      'no order',
    )
  })

  test('equity is that of all dexes, once', async () => {
    world = await start({ account })
    await world.until(() => Number(status().risk.equity) === equity, 'the equity of both')
    expect(status().risk).toMatchObject({ state: 'active', daily_loss: '0', drawdown: '0' })
    expect(Number(status().risk.day_start_equity)).toBe(equity)
  })

  test('a position is there after a restart, with the stop that it had', async () => {
    world = await start({ account })
    await holdTesla()
    await covered('xyz:TSLA')
    await world.until(
      async () => (await world.askAbout('openOrders', 'xyz')).length === 1,
      'a stop',
    )
    await world.stopGuard()
    await world.startGuard()
    await covered('xyz:TSLA')
    expect(await world.askAbout('openOrders', 'xyz')).toHaveLength(1)
    expect(status().risk).toMatchObject({ state: 'active' })
    expect(Number(status().risk.drawdown)).toBeLessThan(0.01)
  })
})

test('orders and TWAPs on a dex are told of, and end at a kill with those of the main dex', async () => {
  world = await start()
  await world.outside(orders(order(hood, true, '90', '1', gtc)))
  await world.outside(orders(order(1, true, '3900', '0.01', gtc)))
  const twap = { a: tesla, b: true, s: '2', r: false, m: 30, t: false }
  await world.outside({ type: 'twapOrder', twap })
  await world.until(() => status().open_orders >= 2, 'both orders')
  await world.until(
    () => world.discrepancies().some((text) => text.startsWith('xyz:TSLA: a TWAP')),
    'the TWAP',
  )
  await world.kill('enough')
  await world.until(
    async () => (await world.askAbout('openOrders', 'xyz')).length === 0,
    'no order',
  )
  await world.until(async () => (await world.venueState()).openOrders.length === 0, 'none at all')
  await world.until(() => status().positions.length === 0, 'flat')
  await world.until(
    async () => Object.keys(await world.positionsOn('xyz')).length === 0,
    'flat there',
  )
})

test("a bot's exit and its cancel on a dex pass and reach the venue", async () => {
  world = await start()
  await holdTesla()
  await covered('xyz:TSLA')
  const target = order(tesla, false, '500', '1', { ...gtc, ...reduceOnly })
  const { response } = await world.outside(orders(target))
  const { oid } = response.data.statuses[0].resting
  await world.until(() => status().open_orders >= 2, 'the order')
  const cancelled = await world.ask({ type: 'cancel', cancels: [{ a: tesla, o: oid }] })
  expect(cancelled.response.data.statuses).toEqual(['success'])
  const exit = await world.ask(orders(order(tesla, false, '390', '1', reduceOnly)))
  expect(exit.response.data.statuses[0].filled).toMatchObject({ totalSz: '1.0' })
  await world.until(() => seen('xyz:TSLA') === undefined, 'flat')
  const entry = await world.ask(orders(order(tesla, true, '410', '1')))
  expect(JSON.stringify(entry)).toContain('dex')
})

test('a dex in another token than USDC is closed as well, and counts at its face value', async () => {
  const account = { dex_equity: { xyz: '1000', abc: '500' } }
  world = await start({ dexes: [xyz, abc], account })
  await world.until(() => Number(status().risk.equity) === 11_500, 'the equity of all')
  await world.outside({ type: 'updateLeverage', asset: 120_000, isCross: false, leverage: 5 })
  await buy(120_000, '61', '2')
  await buy(tesla, '410', '0.1')
  await covered('abc:OIL')
  await world.kill('enough')
  await world.until(async () => Object.keys(await world.positionsOn('abc')).length === 0, 'flat')
  await world.until(async () => Object.keys(await world.positionsOn('xyz')).length === 0, 'flat')
})

test('a dex that appears while Guard runs is watched, and one that vanishes is let go of', async () => {
  world = await start({ dexes: [], account: {} })
  await world.venue.control('dex', { add: xyz })
  // Nobody tells of a new dex: the first order there does.
  await moveToXyz('1000')
  await holdTesla()
  await covered('xyz:TSLA')
  expect(status().risk.state).toBe('active')
  await world.venue.control('dex', { dex: 'xyz', remove: true })
  await world.until(() => seen('xyz:TSLA') === undefined, 'gone')
  await world.until(() => status().open_orders === 0, 'its orders gone')
  await world.until(() => !world.guard.markets.byAsset.has(tesla), 'its markets gone')
  const [settled] = alertsOf('settled')
  expect(settled?.text).toMatch(/^xyz:TSLA: the dex xyz is gone from the venue, and the position/)
  expect(status().risk.state).toBe('active')
  expect(world.events('flatten')).toEqual([])
})

describe.each(['delistedCanceled', 'internalCancel'] as const)(
  'a halt told by %s',
  (haltStatus) => {
    test('settles a position: it is told as what it is, and its result is in the day', async () => {
      world = await start({ simulator: { options: { accountMs: 200, haltStatus } } })
      await holdTesla()
      await covered('xyz:TSLA')
      await world.venue.control('dex', { dex: 'xyz', coin: 'xyz:TSLA', halt: true })
      await world.until(() => alertsOf('settled').length === 1, 'the settlement')
      expect(alertsOf('settled')[0]).toMatchObject({ coin: 'xyz:TSLA' })
      expect(alertsOf('settled')[0]?.text).toContain('the dex xyz stopped trading it, and the')
      expect(alertsOf('liquidated')).toEqual([])
      expect(seen('xyz:TSLA')).toBeUndefined()
      await world.until(() => status().entries.pass, 'entries to be served again')
      expect(world.discrepancies()).toEqual([])
      expect(status().risk.state).toBe('active')
      const entry = await world.ask(orders(order(1, true, '4010', '0.01')))
      expect(entry.verdict ?? entry.status).not.toBe('veto')
      const account = accountInside(world.guard)
      if (haltStatus === 'delistedCanceled') {
        expect(account.builderMarket(coin('xyz:TSLA'))?.isHalted).toBe(true)
      }
    })
  },
)

test('a dex whose index changes is followed to its new ids', async () => {
  const def = { name: 'def', markets: [market('GOLD', '50')] }
  const options = { accountMs: 200, dexRemoval: 'shift' as const }
  const account = { dex_equity: { def: '500' } }
  world = await start({ dexes: [xyz, def], account, simulator: { options } })
  await isolated(120_000)
  await buy(120_000, '51', '2')
  await covered('def:GOLD')
  await world.venue.control('dex', { dex: 'xyz', remove: true })
  await world.until(() => world.guard.markets.byAsset.get(110_000)?.coin === 'def:GOLD', 'its id')
  await world.kill('enough')
  await world.until(async () => Object.keys(await world.positionsOn('def')).length === 0, 'flat')
})

test('while a dex is missing and the list cannot be read, nothing opens by an id that may have moved', async () => {
  const def = { name: 'def', markets: [market('GOLD', '50')] }
  const options = { accountMs: 200, dexRemoval: 'shift' as const }
  const account = { dex_equity: { xyz: '1000', def: '1000' } }
  const rules = { markets: ['*', 'xyz:*', 'def:*'] }
  world = await start({ dexes: [xyz, def], account, rules, simulator: { options } })
  await world.until(() => Number(status().risk.equity) === 12_000, 'the equity of all')
  await world.venue.fault({
    ...{ where: 'info', kind: 'http_500', match: { type: 'perpDexs' }, count: 0 },
  })
  const buyGold = (asset: number) => world.ask(orders(order(asset, true, '50.1', '1')))
  await world.venue.control('dex', { dex: 'xyz', remove: true })
  await world.until(async () => {
    const { code, response } = await buyGold(120_000)
    return code === 'market_state' && String(response).includes('the id of def:GOLD may have')
  }, 'a refusal')
  await world.venue.send('DELETE', '/sim/fault')
  await world.until(() => world.guard.markets.byAsset.get(110_000)?.coin === 'def:GOLD', 'its id')
  await world.until(async () => (await buyGold(110_000)).status === 'ok', 'an entry by its new id')
  expect(Object.keys(await world.positionsOn('def'))).toEqual(['def:GOLD'])
})

test('an order by an id that has become another market is told, and ends at a kill', async () => {
  const def = { name: 'def', markets: [market('GOLD', '400')] }
  const options = { accountMs: 200, dexRemoval: 'shift' as const }
  const account = { dex_equity: { xyz: '1000', def: '1000' } }
  const rules = { markets: ['*', 'xyz:*'] }
  world = await start({ dexes: [xyz, def], account, rules, simulator: { options } })
  await world.until(() => Number(status().risk.equity) === 12_000, 'the equity of all')
  const warm = await world.ask(orders(order(tesla, true, '390', '0.1', gtc)))
  const { oid } = warm.response.data.statuses[0].resting
  await world.ask({ type: 'cancel', cancels: [{ a: tesla, o: oid }] })
  // Nothing tells Guard that xyz is gone and that its id is def's now.
  const type = 'allDexsClearinghouseState'
  await world.venue.fault({ where: 'ws', kind: 'silence', match: { type }, count: 0 })
  for (const list of ['perpDexs', 'allPerpMetas']) {
    await world.venue.fault({ where: 'info', kind: 'http_500', match: { type: list }, count: 0 })
  }
  await world.venue.control('dex', { dex: 'xyz', remove: true })
  const entry = await world.ask(orders(order(tesla, true, '390', '0.1', gtc)))
  expect(entry.response.data.statuses[0].resting).toBeDefined()
  const rests = async () => (await world.askAbout('frontendOpenOrders', 'def')) as JsonObject[]
  expect((await rests()).map((each) => each['coin'])).toContain('def:GOLD')
  await world.venue.send('DELETE', '/sim/fault')
  await world.until(() => world.guard.markets.byAsset.get(tesla)?.coin === 'def:GOLD', 'its id')
  await world.until(
    () => alertsOf('discrepancy').some((alert) => alert.coin === 'def:GOLD'),
    'what nobody asked for',
  )
  await world.kill('enough')
  await world.until(async () => (await rests()).length === 0, 'no order')
  await world.until(() => status().open_orders === 0 && status().in_flight === 0, 'nothing left')
})

test('a position on a dex that Guard has no room to follow is named, keeps entries out, and is closed', async () => {
  const names = Array.from({ length: 20 }, (_, at) => `d${String.fromCharCode(97 + at)}`)
  const dexes = names.map((name) => ({ name, markets: [market('COIN', '100')] }))
  const dexEquity = Object.fromEntries(names.map((name) => [name, '200']))
  world = await start({ dexes, account: { dex_equity: dexEquity } })
  await world.until(() => Number(status().risk.equity) === 14_000, 'the equity of all')
  const open = async (at: number): Promise<void> => {
    await isolated(110_000 + at * 10_000)
    await buy(110_000 + at * 10_000, '105', '0.5')
  }
  for (let at = 0; at < 16; at += 1) await open(at)
  await world.until(() => status().positions.length === 16, 'sixteen positions')
  expect(alertsOf('dex_unfollowed')).toEqual([])
  await open(19)
  await world.until(() => alertsOf('dex_unfollowed').length === 1, 'the one beyond')
  expect(alertsOf('dex_unfollowed')[0]?.text).toContain('runs on dt, and Guard follows 16')
  await covered('dt:COIN')
  expect(status().entries).toMatchObject({ pass: false })
  expect(status().entries.reason).toContain('dt')
  const entry = await world.ask(orders(order(1, true, '4010', '0.01')))
  expect(entry).toMatchObject({ code: 'account_unknown' })
  expect(JSON.stringify(entry)).toContain('runs on dt')
  await world.outside(orders(order(110_000, false, '95', '0.5', reduceOnly)))
  await world.until(() => alertsOf('dex_unfollowed').length === 0, 'room for it')
  await world.until(() => status().entries.pass, 'entries')
  await world.kill('enough')
  await world.until(() => status().positions.length === 0, 'flat')
  expect(Object.keys(await world.positionsOn('dt'))).toEqual([])
})

test('money that moves between dexes is no profit and no loss', async () => {
  world = await start()
  await world.until(() => Number(status().risk.equity) === 11_000, 'the equity of both')
  await moveToXyz('4000')
  await world.until(
    async () =>
      (await world.askAbout('clearinghouseState', 'xyz')).marginSummary.accountValue === '5000.0',
    'the money there',
  )
  await world.until(() => Number(status().risk.equity) === 11_000, 'the equity of both')
  expect(status().risk).toMatchObject({ state: 'active', daily_loss: '0', drawdown: '0' })
})

test('with a stream that tells nothing, reads alone find and close a position on a dex', async () => {
  world = await start()
  await world.venue.fault({ where: 'ws', kind: 'silence', count: 0 })
  await holdTesla()
  await world.until(() => seen('xyz:TSLA') !== undefined, 'the position')
  await covered('xyz:TSLA')
  await world.kill('enough')
  await world.until(async () => Object.keys(await world.positionsOn('xyz')).length === 0, 'flat')
})

test('with a stream that tells nothing, a position goes with the dex that vanishes', async () => {
  world = await start()
  await holdTesla()
  await covered('xyz:TSLA')
  await world.venue.fault({ where: 'ws', kind: 'silence', count: 0 })
  await world.venue.control('dex', { dex: 'xyz', remove: true })
  await world.until(() => seen('xyz:TSLA') === undefined, 'gone')
  await world.until(() => status().open_orders === 0, 'its orders gone')
  await world.until(() => Number(status().risk.equity) > 10_900, 'the money on the main dex')
  expect(status().risk.state).toBe('active')
})

test('at a start without a stream, money on a dex that cannot be read is no loss', async () => {
  world = await start({ account: { dex_equity: { xyz: '5000' } } })
  await world.until(() => Number(status().risk.equity) === 15_000, 'the equity of both')
  await world.stopGuard()
  await world.venue.fault({ where: 'ws', kind: 'silence', count: 0 })
  let isLost = true
  const lost = err({ kind: 'unreachable', text: 'lost' } as const)
  await world.buildGuard((venue) => ({
    exchange: (request, lane) => venue.exchange(request, lane),
    info: async (request, lane) => {
      const { type, dex } = request as JsonObject
      const isOfDex = type === 'clearinghouseState' && dex === 'xyz'
      return isLost && isOfDex ? lost : await venue.info(request, lane)
    },
  }))
  await world.guard.start()
  await world.until(() => alertsOf('dex_unread').length > 0, 'the dex that cannot be read')
  const entry = () => {
    const nonce = world.nonce() + world.machine.passedMs
    return world.ask(orders(order(1, true, '4010', '0.01')), { nonce })
  }
  for (const ms of [4_000, 4_000, 4_000, 4_000]) {
    world.machine.passedMs += ms
    world.fire(500)
    const { code } = await entry()
    expect(code).not.toBe('allowed')
    expect(status().risk).toMatchObject({ state: 'active', equity: null, daily_loss: null })
  }
  expect(JSON.stringify(await entry())).toContain('xyz')
  isLost = false
  await world.venue.send('DELETE', '/sim/fault')
  await world.until(() => alertsOf('dex_unread').length === 0, 'the dex to be read')
  await world.until(() => status().entries.pass, 'entries')
  expect(status().risk).toMatchObject({ state: 'active', equity: '15000', daily_loss: '0' })
  expect(status().risk).toMatchObject({ drawdown: '0', day_start_equity: '15000' })
  expect(world.events('flatten')).toEqual([])
})

test('a dex that cannot be read keeps nobody from trading on the main dex', async () => {
  world = await World.stopped({ dexes: [xyz], simulator: quick })
  for (const type of ['perpDexs', 'allPerpMetas']) {
    await world.venue.fault({ where: 'info', kind: 'http_500', match: { type }, count: 0 })
  }
  await world.startGuard()
  const entry = await world.ask(orders(order(1, true, '4010', '0.01')))
  expect(entry.response.data.statuses[0].filled).toBeDefined()
  await world.venue.control('faults/clear', {}).catch(() => undefined)
})
