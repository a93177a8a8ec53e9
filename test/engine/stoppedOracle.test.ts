import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { order, orders, reduceOnly, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const market = (name: string, mid: string): JsonObject => ({
  ...{ name, szDecimals: 3, maxLeverage: 10, mid },
})
const xyz = { name: 'xyz', markets: [market('TSLA', '400'), market('HOOD', '100')] }
const tesla = 110_000
const hood = 110_001

type Reading = 'silent' | 'told'

const start = async (stoppedOracle: Reading = 'silent'): Promise<void> => {
  world = await World.start({
    ...{ dexes: [xyz], simulator: { options: { accountMs: 200, stoppedOracle } } },
    ...{ account: { dex_equity: { xyz: '3000' } }, rules: { markets: ['*', 'xyz:*'] } },
  })
  await world.until(() => status().risk.equity === '13000', 'the equity of both dexes')
  expect((await buy(tesla, '402', '0.5')).response.data.statuses[0].filled).toBeDefined()
  await world.until(() => seen()?.covered === true, 'covered')
}
const status = () => world.guard.status()
const seen = () => status().positions.find((each) => each.coin === 'xyz:TSLA')
const dex = async (body: JsonObject) => await world.venue.control('dex', { dex: 'xyz', ...body })
/** By a bot whose clock goes with Guard's. */
const ask = async (each: JsonObject) =>
  await world.ask(orders(each), { nonce: world.nonce() + world.machine.passedMs })
const buy = async (asset: number, price: string, size: string) =>
  await ask(order(asset, true, price, size))
/** The oracle price by which Guard would judge an entry. */
async function oracleOf(asset: number, price: string): Promise<unknown> {
  const action = orders(order(asset, true, price, '0.5'))
  const body = new TextEncoder().encode(JSON.stringify({ action }))
  const { entries } = (await world.guard.preview(body)).body as any
  return entries?.[0]?.dex?.oracle
}
const isFilled = (reply: any): boolean => reply.response?.data?.statuses[0].filled !== undefined

/** Time passes for both, and whatever the venue tells has been heard since. */
async function pass(ms: number): Promise<void> {
  await world.venue.control('clock', { advance_ms: ms })
  world.machine.passedMs += ms
  const heard = status().venue.last_message_ms ?? 0
  await world.until(
    () => (status().venue.last_message_ms ?? 0) > heard && status().entries.pass,
    'a word of the venue',
  )
}

/** Entries every five seconds, as of a bot that does not stop trying; the last one is told. */
async function triedFor(ms: number): Promise<any> {
  for (let passed = 0; passed + 5_000 <= ms; passed += 5_000) {
    await pass(Math.min(5_000, ms - passed))
    await buy(tesla, '402', '0.1')
  }
  await pass(ms % 5_000)
  return await buy(tesla, '402', '0.1')
}

describe.each([[{}], [{ coin: 'xyz:TSLA' }]])('the oracle of %o has stopped', (what) => {
  test.each([33_000, 60_000, 120_000])(
    'for %d ms: nothing opens, and an exit passes',
    async (ms) => {
      await start()
      await dex({ ...what, oracle_stops: true })
      const reply = await triedFor(ms)
      expect(reply).toMatchObject({ verdict: 'veto', code: 'market_state' })
      expect(JSON.stringify(reply)).toContain('nothing was told of the mark and oracle of xyz:TSLA')
      const exit = await ask(order(tesla, false, '385', '0.1', reduceOnly))
      expect(isFilled(exit), JSON.stringify(exit)).toBe(true)
      if (Object.keys(what).length > 0) {
        await world.until(async () => isFilled(await buy(hood, '100.5', '0.5')), 'its neighbour')
      }
      await dex({ ...what, oracle_stops: false })
      await world.until(async () => isFilled(await buy(tesla, '402', '0.1')), 'entries again')
    },
  )

  test('for 10 s: entries pass', async () => {
    await start()
    await dex({ ...what, oracle_stops: true })
    await pass(10_000)
    await world.until(async () => isFilled(await buy(tesla, '402', '0.1')), 'an entry')
  })
})

test('a Guard that starts beside a stopped oracle opens nothing', async () => {
  await start()
  await dex({ oracle_stops: true })
  await world.stopGuard()
  await world.startGuard()
  await world.until(() => seen()?.covered === true, 'covered')
  for (const ms of [0, 11_000, 11_000]) {
    await pass(ms)
    const reply = await buy(tesla, '402', '0.1')
    expect(reply).toMatchObject({ code: 'market_state' })
    expect(JSON.stringify(reply)).toContain('nothing was told yet')
  }
})

describe('where the venue tells contexts as always', () => {
  test.each([10_000, 33_000, 60_000, 120_000])(
    'after %d ms an entry is measured by how far the mark is from the last oracle price',
    async (ms) => {
      await start('told')
      await dex({ oracle_stops: true })
      await pass(ms)
      await world.until(async () => isFilled(await buy(tesla, '402', '0.1')), 'an entry')
      // The book makes the mark, and leaves the oracle behind.
      await world.venue.control('price', { coin: 'xyz:TSLA', mid: '396', oracle: '400' })
      await pass(12_000)
      const refused = async () => (await buy(tesla, '398', '0.1')).code === 'market_state'
      await world.until(refused, 'a refusal')
      expect(JSON.stringify(await buy(tesla, '398', '0.1'))).toContain('from its oracle price 400')
    },
  )

  test('after prices of the dex moved all the time and none does, nothing opens, and an exit passes', async () => {
    await start('told')
    // Those of its neighbour alone: one that stands still is no sign of anything.
    const move = async (oracle: string) => {
      await pass(3_000)
      await world.venue.control('price', { coin: 'xyz:HOOD', mid: '100', oracle })
      await world.until(async () => (await oracleOf(hood, '100')) === oracle, 'the oracle price')
    }
    for (let post = 1; post <= 21; post += 1) await move(post % 2 === 0 ? '100' : '100.1')
    expect(isFilled(await buy(tesla, '402', '0.1'))).toBe(true)
    await dex({ oracle_stops: true })
    await pass(25_000)
    await world.until(async () => isFilled(await buy(tesla, '402', '0.1')), 'an entry')
    await pass(8_000)
    const reply = await buy(tesla, '402', '0.1')
    expect(reply).toMatchObject({ verdict: 'veto', code: 'market_state' })
    expect(JSON.stringify(reply)).toContain('no oracle price of the dex xyz has moved for')
    const exit = await ask(order(tesla, false, '385', '0.1', reduceOnly))
    expect(isFilled(exit), JSON.stringify(exit)).toBe(true)
    await dex({ oracle_stops: false })
    await move('100.2')
    await world.until(async () => isFilled(await buy(tesla, '402', '0.1')), 'entries again')
  })
})
