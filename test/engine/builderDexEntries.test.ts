import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { gtc, order, orders, ownerAddress, reduceOnly, World } from './world.fixture.ts'
import type { WorldOptions } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const market = (name: string, mid: string): JsonObject => ({
  ...{ name, szDecimals: 3, maxLeverage: 10, mid },
})
const xyz = { name: 'xyz', markets: [market('TSLA', '400'), market('HOOD', '100')] }
const tesla = 110_000
const coin = 'xyz:TSLA'

const start = async (more: WorldOptions = {}): Promise<void> => {
  world = await World.start({
    ...{ dexes: [xyz], simulator: { options: { accountMs: 200 } } },
    ...{ account: { dex_equity: { xyz: '3000' } }, ...more },
    rules: { markets: ['*', 'xyz:*'], ...more.rules },
  })
  await world.until(() => status().risk.equity === '13000', 'the equity of both dexes')
}
const status = () => world.guard.status()
const seen = () => status().positions.find((each) => each.coin === coin)
const dex = async (body: JsonObject) => await world.venue.control('dex', { dex: 'xyz', ...body })
const buy = async (size = '10', price = '402') =>
  await world.ask(orders(order(tesla, true, price, size)))
const exit = async () => await world.ask(orders(order(tesla, false, '385', '0.1', reduceOnly)))
const previewed = async (action: JsonObject): Promise<any> => {
  const body = new TextEncoder().encode(JSON.stringify({ action }))
  return (await world.guard.preview(body)).body
}

test('an entry on a named dex is cut by the gap, isolated, stopped, counted, and can be left again', async () => {
  await start()
  const reply = await buy()
  expect(reply.verdict, JSON.stringify(reply)).toBe('resize')
  // 2% of 13000 over the fall from 402 to the worst fill of the stop at 392, 40.2 beyond it, and fees.
  expect(reply.response.data.statuses[0].filled.totalSz).toBe('2.882')
  await world.until(() => seen()?.covered === true, 'covered')
  expect(seen()).toMatchObject({ size: '2.882', stops: [{ price: '392' }], margin: 'isolated' })
  const [{ position }] = (await world.askAbout('clearinghouseState', 'xyz')).assetPositions
  expect(position.leverage.type).toBe('isolated')
  expect(position.leverage.value).toBeLessThanOrEqual(5)
  const risk = Decimal.of('2.882').times(Decimal.of('87.2'))
  await world.until(() => status().risk.open_risk === risk.toString(), 'the risk with the gap')
  const second = await buy('10')
  expect(second.verdict).toBe('resize')
  const all = await world.ask(orders(order(tesla, false, '385', '9', reduceOnly)))
  expect(all.response.data.statuses[0].filled).toBeDefined()
  await world.until(() => seen() === undefined, 'flat')
  expect(status().risk.state).toBe('active')
})

test('a preview tells what is known of the market, and what the gap counts as', async () => {
  await start()
  const { entries } = await previewed(orders(order(tesla, true, '402', '10')))
  expect(entries[0].dex).toMatchObject({ name: 'xyz', stop_gap: '0.1', oracle: '400', mark: '400' })
  expect(entries[0].dex).toMatchObject({ halted: false, at_cap: false, mark_from_oracle: '0' })
  expect(entries[0].dex.documented_session).toContain('as documented')
  expect(entries[0].dex.stop_gap_usd).toBe('115.86')
  const main = await previewed(orders(order(1, true, '4010', '1')))
  expect(main.entries[0].dex).toBeUndefined()
})

describe('nothing opens, and an exit passes,', () => {
  const refused = async (text: string): Promise<void> => {
    await world.until(async () => (await buy('0.1')).code === 'market_state', 'a refusal')
    const reply = await buy('0.1')
    expect(reply).toMatchObject({ verdict: 'veto', code: 'market_state' })
    expect(JSON.stringify(reply)).toContain(text)
  }
  const held = async (rules: WorldOptions['rules'] = {}): Promise<void> => {
    await start({ rules })
    expect((await buy('0.5')).response.data.statuses[0].filled).toBeDefined()
    await world.until(() => seen()?.covered === true, 'covered')
  }
  const leave = async (): Promise<void> => {
    const { response } = await exit()
    expect(response.data.statuses[0].filled, JSON.stringify(response)).toBeDefined()
  }

  test('while the market is at its cap', async () => {
    await held()
    await dex({ coin, cap: '100' })
    await refused("at the venue's cap")
    await leave()
  })

  test('from the first context on that shows the cap reached, by whomever', async () => {
    const others = [{ address: ownerAddress, equity: '0', dex_equity: { xyz: '100000' } }]
    const full = { ...xyz, markets: [{ ...market('TSLA', '400'), cap: '4000' }] }
    await start({ dexes: [full], others })
    await world.until(async () => (await buy('0.1')).status === 'ok', 'an entry')
    const entry = orders(order(tesla, true, '402', '10'))
    await world.outside(entry, ownerAddress)
    await world.until(async () => (await previewed(entry)).code === 'market_state', 'the cap')
    expect(JSON.stringify(await buy('0.1'))).toContain("at the venue's cap")
    expect(world.events('sent').every(({ outcome }) => outcome !== 'rejected')).toBe(true)
    await leave()
  })

  test('once the venue has refused one for the cap, until it lists the coin no more', async () => {
    await held()
    await dex({ coin, cap: '100' })
    const refused = await buy('0.1')
    expect(JSON.stringify(refused)).toContain('open interest')
    const next = await buy('0.1')
    expect(next).toMatchObject({ verdict: 'veto', code: 'market_state' })
    await dex({ coin, cap: '1000000' })
    world.machine.passedMs += 10_000
    const nonce = () => world.nonce() + 10_000
    const opens = async () => {
      const { response } = await world.ask(orders(order(tesla, true, '402', '0.1')), {
        nonce: nonce(),
      })
      return response?.data?.statuses[0].filled !== undefined
    }
    await world.until(opens, 'entries again')
  })

  test('while the mark is far from the oracle price', async () => {
    await held()
    await dex({ coin, oracle: '404', marks: ['400', '400'] })
    await refused('from its oracle price 404')
    await leave()
  })

  test('while the market is halted', async () => {
    await held()
    await dex({ coin, halt: true })
    await refused(coin)
    const reply = await exit()
    expect(reply.verdict ?? 'allow').not.toBe('veto')
  })

  test('and opens again once the halt has ended', async () => {
    await held()
    await dex({ coin, halt: true })
    await refused(coin)
    await dex({ coin, halt: false })
    const entry = orders(order(tesla, true, '402', '0.1'))
    const opens = async () => (await previewed(entry)).verdict === 'resize'
    await world.until(opens, 'entries after the halt')
  })

  test('once the market is delisted', async () => {
    await held()
    await dex({ coin, delist: true })
    await refused(coin)
  })

  test('where the size is more than the share of the book that the rules allow', async () => {
    // Makers show 2,500 at each price: what is within 0.5% is a small share of one.
    await held({ maxBookShare: Decimal.of('0.00001') })
    const reply = await buy('10')
    expect(reply).toMatchObject({ code: 'market_state' })
    expect(JSON.stringify(reply)).toContain('max_book_share')
    await leave()
  })
})

test('an entry is cut to its share of the book, which is read once for it', async () => {
  await start({ rules: { maxBookShare: Decimal.of('0.00003') } })
  const { entries } = await previewed(orders(order(tesla, true, '402', '10')))
  expect(entries[0].code).toBe('resized')
  const reply = await buy()
  expect(reply).toMatchObject({ verdict: 'resize', size: entries[0].size })
  expect(world.events('decision').at(-1)?.text).toContain('max_book_share')
})

test('a ladder comes to no more of the book than its share, at whatever prices its rungs stand', async () => {
  await start({ rules: { maxBookShare: Decimal.of('0.000005') } })
  const { entries } = await previewed(orders(order(tesla, false, '402', '10', gtc)))
  const most = Decimal.of(entries[0].size)
  const half = most.over(Decimal.whole(2), 3, 'floor').toString()
  await world.ask(orders(order(tesla, false, '402', half, gtc)))
  for (const price of ['420', '430', '440', '450', '460']) {
    await world.ask(orders(order(tesla, false, price, half, gtc)))
  }
  const open = (await world.askAbout('openOrders', 'xyz')) as any[]
  const entered = open.filter((each) => each.side === 'A' && each.reduceOnly !== true)
  const size = entered.reduce((sum, each) => sum.plus(Decimal.of(each.sz)), Decimal.zero)
  expect(entered.length).toBeGreaterThan(1)
  expect(size.lte(most), `${size.toString()} of ${most.toString()}`).toBe(true)
})

test('a resting entry on a dex can be modified and cancelled, and its stop waits with it', async () => {
  await start()
  const { response } = await world.ask(orders(order(tesla, true, '390', '1', gtc)))
  const { oid } = response.data.statuses[0].resting
  await world.until(() => status().in_flight === 0 && status().open_orders === 2, 'shown')
  const moved = { type: 'modify', oid, order: order(tesla, true, '391', '1', gtc) }
  expect(await world.ask(moved)).toMatchObject({ status: 'ok' })
  await world.until(() => status().in_flight === 0, 'told')
  const open = (await world.askAbout('openOrders', 'xyz')) as any[]
  const resting = open.find((each) => each.limitPx === '391.0')
  const cancelled = await world.ask({ type: 'cancel', cancels: [{ a: tesla, o: resting.oid }] })
  expect(cancelled.response.data.statuses).toEqual(['success'])
  await world.until(() => status().open_orders === 0, 'gone')
})

test('leverage on a dex is isolated, whatever the rules say', async () => {
  await start({ rules: { margin: 'cross' } })
  const set = (isCross: boolean) => ({ type: 'updateLeverage', asset: tesla, isCross, leverage: 3 })
  expect(await world.ask(set(true))).toMatchObject({ code: 'cross_margin' })
  expect(await world.ask(set(false))).toMatchObject({ status: 'ok' })
})

test('a TWAP of a bot there has ended once the venue says so, also at a kill', async () => {
  await start({ rules: { twap: 'watched' } })
  const twap = { a: tesla, b: true, s: '1', r: false, m: 30, t: false }
  expect((await world.ask({ type: 'twapOrder', twap })).status).toBe('ok')
  await world.until(() => seen()?.covered === true, 'its first slice, covered')
  expect(status().twaps).toHaveLength(1)
  await world.kill('enough')
  await world.until(() => seen() === undefined, 'flat')
  await world.until(() => status().twaps.length === 0, 'the end of the TWAP')
  const isDone = () => status().alerts.every(({ code }) => code !== 'flattening')
  await world.until(isDone, 'nothing left to close')
})

test('the stream comes back where a dex that is traded has vanished', async () => {
  await start()
  await buy()
  await world.until(() => seen()?.covered === true, 'covered')
  await world.venue.control('dex', { dex: 'xyz', remove: true })
  await world.until(() => seen() === undefined, 'gone')
  const before = status().venue.last_message_ms ?? 0
  const isBack = () => (status().venue.last_message_ms ?? 0) > before + 3_000
  await world.until(() => isBack() && status().venue.stream === 'live', 'the stream')
})

test('margin that is on its way counts: what each may add alone is not added by several', async () => {
  await start()
  await buy()
  await world.until(() => seen()?.covered === true, 'covered')
  const add = async (usd: number): Promise<any> =>
    await world.ask({
      ...{ type: 'updateIsolatedMargin', asset: tesla, isBuy: true, ntli: usd * 1_000_000 },
    })
  const [{ position }] = (await world.askAbout('clearinghouseState', 'xyz')).assetPositions
  const [risk, held] = [Number(status().risk.open_risk), Number(position.marginUsed)]
  // Half of what is left to twice the risk, and a little more: once it goes, twice it does not.
  const half = Math.floor((2 * risk - held) / 2) + 5
  for (const where of ['ws', 'info']) {
    const kind = where === 'ws' ? 'silence' : 'http_500'
    await world.venue.fault({ where, kind, count: 0 })
  }
  const [first, second] = await Promise.all([add(half), add(half)])
  expect([first.status, second.status].sort()).toEqual(['err', 'ok'])
  const refused = first.status === 'err' ? first : second
  expect(refused.response).toMatch(/Guard veto \[leverage\]: xyz:TSLA has .*all of it may be lost/)
  expect(await add(half)).toMatchObject({ status: 'err' })
})
