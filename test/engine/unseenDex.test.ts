import { afterEach, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { accountAddress, gtc, order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const market = (name: string, mid: string): JsonObject => ({
  ...{ name, szDecimals: 3, maxLeverage: 10, mid },
})
const xyz = { name: 'xyz', markets: [market('TSLA', '400')] }
const abc = { name: 'abc', markets: [market('OIL', '60')] }
const tesla = 110_000
const rules = { markets: ['*', 'xyz:*'] }
const status = () => world.guard.status()
const alertsOf = (code: string) => status().alerts.filter((alert) => alert.code === code)
const isCovered = (): boolean =>
  status().positions.some((each) => each.coin === 'xyz:TSLA' && each.covered)
const entry = () => world.ask(orders(order(1, true, '3900', '0.01', gtc)))

/** The stream goes on about everything but xyz, whose state it repeats. */
async function blind(): Promise<void> {
  const match = { dex: 'xyz' }
  for (const kind of ['stale', 'silence']) {
    const types =
      kind === 'stale'
        ? ['allDexsClearinghouseState']
        : ['openOrders', 'orderUpdates', 'userFills', 'userEvents']
    for (const type of types) {
      await world.venue.fault({ where: 'ws', kind, match: { ...match, type }, count: 0 })
    }
  }
}

async function openByHand(): Promise<void> {
  await world.outside(orders(order(tesla, true, '410', '1')))
}

async function start(mode: string): Promise<void> {
  const account = { mode, ...(mode === 'disabled' ? { dex_equity: { xyz: '1000' } } : {}) }
  const simulator = { options: { accountMs: 200 } }
  world = await World.stopped({ dexes: [xyz, abc], rules, account, simulator })
  await world.outside({ type: 'updateLeverage', asset: tesla, isCross: false, leverage: 5 })
  await world.startGuard()
  await world.until(() => status().entries.pass, 'entries')
}

test.each(['unifiedAccount', 'disabled'])(
  'a dex that stands still in the stream and cannot be read keeps entries out, is told and is named (%s)',
  async (mode) => {
    await start(mode)
    await world.venue.fault({
      ...{ where: 'info', kind: 'http_500', match: { dex: 'xyz' }, count: 0 },
    })
    await blind()
    await openByHand()
    await world.until(() => alertsOf('dex_unread').length > 0, 'the dex that cannot be read')
    expect(alertsOf('dex_unread')[0]?.text).toContain('xyz')
    const isTold = (): boolean => status().entries.reason?.includes('not been seen on xyz') === true
    await world.until(isTold, 'the reason why nothing opens')
    expect(status().entries).toMatchObject({ pass: false })
    const inFlight = status().in_flight
    const refused = await entry()
    expect(refused).toMatchObject({ code: 'account_stale' })
    expect(JSON.stringify(refused)).toContain('xyz')
    expect(await world.ask(orders(order(tesla, true, '390', '0.1', gtc)))).toMatchObject({
      code: 'account_stale',
    })
    expect(status().in_flight).toBe(inFlight)
    await world.venue.send('DELETE', '/sim/fault')
    await world.until(() => status().entries.pass, 'entries again')
    await world.until(isCovered, 'the stop')
    expect(alertsOf('dex_unread')).toEqual([])
  },
)

test('one that stands still and can be read is read within seconds: what is there is covered', async () => {
  await start('unifiedAccount')
  await blind()
  const before = status().venue.last_reconcile_ms
  await openByHand()
  await world.until(isCovered, 'the stop')
  // No round of reads had to come by.
  expect(status().venue.last_reconcile_ms).toBe(before)
  expect(alertsOf('dex_unread')).toEqual([])
})

test.each([
  ['', 'xyz'],
  ['xyz', ''],
])(
  'money that moves from "%s" to "%s" while xyz cannot be read is neither profit nor loss',
  async (sourceDex, destinationDex) => {
    await start('disabled')
    const { tokens } = await world.venue.info({ type: 'spotMeta' })
    const { name, tokenId } = tokens.find((each: any) => each.name === 'USDC')
    const { peak_equity: peak, day_start_equity: dayStart } = status().risk
    await world.venue.fault({
      ...{ where: 'info', kind: 'http_500', match: { dex: 'xyz' }, count: 0 },
    })
    await blind()
    await world.outside({
      ...{ type: 'sendAsset', signatureChainId: '0x66eee', hyperliquidChain: 'Testnet' },
      ...{ destination: accountAddress, sourceDex, destinationDex, token: `${name}:${tokenId}` },
      ...{ amount: '900', fromSubAccount: '', nonce: 1 },
    })
    // It is raised later than what nothing explains would count as profit or loss.
    await world.until(() => alertsOf('equity_unknown').length > 0, 'the alert')
    expect(status().risk).toMatchObject({ state: 'active', equity: null, daily_loss: null })
    await world.venue.send('DELETE', '/sim/fault')
    await world.until(() => status().entries.pass, 'entries again')
    expect(status().risk).toMatchObject({ state: 'active', peak_equity: peak })
    expect(status().risk.day_start_equity).toBe(dayStart)
  },
)
