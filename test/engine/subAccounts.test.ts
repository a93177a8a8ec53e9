import { afterEach, describe, expect, test } from 'vitest'
import { address } from '../../src/core/values/address.ts'
import { accountAddress, gtc, order, orders, ownerAddress, World } from './world.fixture.ts'
import { reduceOnly } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const entry = orders(order(1, true, '4010', '0.1'))
const stranger = address('0x00000000000000000000000000000000000000dd')

const sent = async (): Promise<any[]> => (await world.venue.send('GET', '/sim/log')).json

/** Everything that reached the venue was for the account, and nothing of it for its owner. */
async function allForTheAccount(): Promise<void> {
  for (const each of await sent()) {
    expect(each, JSON.stringify(each.action)).toMatchObject({
      ...{ vaultAddress: accountAddress, user: accountAddress },
    })
    expect(JSON.stringify(each.reply)).not.toContain('Vault')
  }
  const owner = await world.venue.state(ownerAddress)
  expect(owner.clearinghouseState.assetPositions).toEqual([])
  expect(owner.openOrders).toEqual([])
  expect(owner.clearinghouseState.marginSummary.accountValue).toBe('777.0')
}

describe.each(['sub', 'vault'] as const)('an account that is a %s', (owned) => {
  test('is traded by its owner’s API wallet: leverage, entry, stop, cancel, close', async () => {
    world = await World.start({ owned })
    expect(world.guard.status()).toMatchObject({ account: accountAddress, via: ownerAddress })
    await world.ask({ type: 'updateLeverage', asset: 1, isCross: false, leverage: 3 })
    expect(await world.ask(entry)).toMatchObject({ status: 'ok' })
    expect(await world.positions()).toEqual({ ETH: '0.1' })
    await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
    const placed = await world.ask(orders(order(0, true, '99000', '0.001', gtc)))
    const oid = placed.response.data.statuses[0].resting.oid
    const cancel = { type: 'cancel', cancels: [{ a: 0, o: oid }] }
    expect((await world.ask(cancel)).response.data.statuses).toEqual(['success'])
    await world.ask(orders(order(1, false, '3900', '0.1', reduceOnly)))
    expect(await world.positions()).toEqual({})
    expect((await sent()).map((each) => each.action.type)).toContain('updateLeverage')
    await allForTheAccount()
  })

  test('is closed by a kill, and what opens outside afterwards too', async () => {
    world = await World.start({ owned })
    await world.ask(entry)
    await world.ask(orders(order(0, true, '99000', '0.001', gtc)))
    await world.kill('enough')
    await world.until(async () => Object.keys(await world.positions()).length === 0, 'flat')
    await world.outside(orders(order(2, true, '201', '2')))
    await world.until(async () => Object.keys(await world.positions()).length === 0, 'flat again')
    await allForTheAccount()
  })

  test('is covered again by a Guard that starts after a crash', async () => {
    world = await World.start({ owned })
    await world.ask(entry)
    await world.crash()
    const { openOrders } = await world.venueState()
    await world.outside({
      type: 'cancel',
      cancels: openOrders.map((each: any) => ({ a: 1, o: each.oid })),
    })
    await world.startGuard()
    await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
    await allForTheAccount()
  })
})

test.each([
  ['none', undefined],
  ['the account', accountAddress],
  ['the account without its prefix', accountAddress.slice(2)],
  ['the account in capitals', `0x${accountAddress.slice(2).toUpperCase()}`],
])('a bot may name %s', async (_, vault) => {
  world = await World.start({ owned: 'sub' })
  const reply = await world.ask(entry, vault === undefined ? {} : { vault: vault as never })
  expect(reply).toMatchObject({ status: 'ok' })
  expect(await world.positions()).toEqual({ ETH: '0.1' })
  await allForTheAccount()
})

test.each([
  ['its owner', ownerAddress],
  ['another account', stranger],
])('a bot may not name %s', async (_, vault) => {
  world = await World.start({ owned: 'sub' })
  expect(await world.ask(entry, { vault })).toMatchObject({ verdict: 'veto', code: 'vault' })
  expect(await world.ask({ type: 'setReferrer' }, { vault })).toMatchObject({ verdict: 'veto' })
  expect(await world.kill('x', { vault: accountAddress })).toMatchObject({ code: 'vault' })
  expect(await sent()).toEqual([])
})

describe('withdrawals from a vault', () => {
  const position = { coin: 'ETH', szi: '1', leverage: { type: 'isolated', value: 4 } }

  test('are flows: what they close is no loss, is told, and is covered for what is left', async () => {
    world = await World.start({
      owned: 'vault',
      account: { equity: '2000', positions: [position] },
    })
    await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
    await world.venue.control('flow', { user: accountAddress, amount: '-1200' })
    await world.until(async () => (await world.positions())['ETH'] !== '1.0', 'a part closed')
    const left = (await world.positions())['ETH']
    await world.until(
      () => Number(world.guard.status().positions[0]?.size) === Number(left),
      left ?? '',
    )
    await world.until(() => Number(world.guard.status().risk.equity) < 900, 'the equity told')
    const { risk } = world.guard.status()
    expect(risk.state).toBe('active')
    expect(Number(risk.daily_loss)).toBeLessThan(0.01)
    await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
    expect(world.events('flatten')).toEqual([])
    await allForTheAccount()
  })

  test('that end stops have them placed anew', async () => {
    world = await World.start({
      owned: 'vault',
      account: { equity: '2000', positions: [position] },
      simulator: { options: { vaultWithdrawalCancels: 'all' } },
    })
    await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
    const before = (await world.venueState()).openOrders[0].oid
    await world.venue.control('flow', { user: accountAddress, amount: '-1200' })
    await world.until(async () => {
      const { openOrders } = await world.venueState()
      return openOrders.some((each: any) => each.oid !== before && each.reduceOnly)
    }, 'a new stop')
    await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
    await allForTheAccount()
  })
})
