import { afterEach, describe, expect, test } from 'vitest'
import type { Driver } from './bot.ts'
import { account, clientKey, owner, Rig } from './rig.fixture.ts'
import { Run } from './steps.ts'
import { keepResult } from './suite.ts'

type RigOptions = Parameters<typeof Rig.start>[0]

interface Mode {
  readonly name: string
  readonly rig: RigOptions
  /** What the bot names as the account it trades. */
  readonly vault?: string
  run(run: Run): Promise<void>
}

/** What an owner can turn on, or have, beside an account of its own on isolated margin. */
const modes: readonly Mode[] = [
  { name: 'cross margin', rig: { rules: ['margin = "cross"'] }, run: cross },
  { name: 'sub-account, named', rig: { isSubAccount: true }, vault: account, run: subAccount },
  { name: 'sub-account, not named', rig: { isSubAccount: true }, run: subAccount },
  { name: 'sub-account, another named', rig: { isSubAccount: true }, vault: owner, run: another },
  {
    name: 'trigger entries',
    rig: { rules: ['trigger_entries = "watched"'] },
    run: triggers,
  },
  { name: 'trigger entries, not turned on', rig: {}, run: noTriggers },
]

/** Every mode with one driver, each against a venue and a Guard of its own. */
export function modeSuite(driver: Driver): void {
  describe(`${driver.name}, modes`, () => {
    let ended: (() => Promise<void>) | null = null
    afterEach(async () => {
      await ended?.()
      ended = null
    })
    test.each(modes)('$name', async ({ name, rig: options, vault, run: act }) => {
      const { client } = driver
      const rig = await Rig.start(options)
      const target = { url: rig.url, wsUrl: rig.wsUrl, key: clientKey, account }
      const bot = await driver.open(vault === undefined ? target : { ...target, vault })
      ended = async () => {
        await bot.end()
        await rig.close()
      }
      const run = new Run(rig, driver, bot)
      await run.traced(async () => {
        await bot.markets()
        return { orders: [] }
      })
      await act(run)
      keepResult(`mode ${driver.name} ${name}`, {
        mode: name,
        driver: driver.name,
        client,
        steps: run.rows,
      })
    })
  })
}

const entered = ['order buy + sl']
const closed = ['order sell reduce-only']

async function cross(run: Run): Promise<void> {
  const { bot, rig } = run
  const set = () => bot.leverage(5, 'cross')
  await run.accepted('cross leverage 5', set, 'allowed', ['updateLeverage'])
  await run.accepted('market entry', () => bot.market('buy', 0.1), 'resized', entered)
  const { assetPositions } = (await rig.venue.state(account)).clearinghouseState
  expect(assetPositions[0].position.leverage).toMatchObject({ type: 'cross', value: 5 })
  const stop = (await rig.openOrders()).map(({ isTrigger, reduceOnly }) => isTrigger && reduceOnly)
  expect(stop).toEqual([true])
  await run.accepted('limit entry', () => bot.limit('buy', 0.1, 3900), 'resized', entered)
  const [resting] = (await rig.openOrders()).filter(({ isTrigger }) => !isTrigger)
  await run.accepted('cancel it', () => bot.cancel(String(resting.oid)), 'allowed', ['cancel'])
  await run.accepted('close', () => bot.close(0.1), 'allowed', closed)
  expect(await rig.held('ETH')).toBe(0)
}

async function subAccount(run: Run): Promise<void> {
  const { bot, rig } = run
  const set = () => bot.leverage(3, 'isolated')
  await run.accepted('isolated leverage 3', set, 'allowed', ['updateLeverage'])
  const placed = await run.accepted('limit entry', () => bot.limit('buy', 0.1, 3900), 'resized', [
    'order buy + sl',
  ])
  const id = placed.orders?.[0]?.id ?? ''
  await run.accepted('cancel it', () => bot.cancel(id), 'allowed', ['cancel'])
  await run.accepted('market entry', () => bot.market('buy', 0.1), 'resized', entered)
  expect(await rig.held('ETH')).toBe(0.1)
  await run.accepted('close', () => bot.close(0.1), 'allowed', closed)
  // What reached the venue was for the sub-account, and left its owner alone.
  const log = await rig.venue.log()
  expect(log.length).toBeGreaterThan(0)
  for (const each of log) expect(each).toMatchObject({ vaultAddress: account, user: account })
  expect((await rig.venue.state(owner)).openOrders).toEqual([])
}

async function another(run: Run): Promise<void> {
  const { bot } = run
  await run.refused('limit entry', () => bot.limit('buy', 0.1, 3900), 'vault')
}

async function triggers(run: Run): Promise<void> {
  const { bot, rig } = run
  const set = () => bot.leverage(3, 'isolated')
  await run.accepted('isolated leverage 3', set, 'allowed', ['updateLeverage'])
  const wait = () => bot.triggerEntry(0.1, 4100)
  await run.accepted('a buy that waits for a price above', wait, 'resized', [
    'order buy on a trigger',
  ])
  const [waiting] = await rig.openOrders()
  expect(waiting).toMatchObject({ isTrigger: true, reduceOnly: false, triggerPx: '4100.0' })
  await rig.venue.control('price', { coin: 'ETH', mid: '4105' })
  await rig.until(async () => {
    const [position] = (await rig.get('/guard/status')).positions
    return position?.covered === true
  }, 'the position to be covered')
  const [stop] = await rig.openOrders()
  expect(stop).toMatchObject({ isTrigger: true, reduceOnly: true, sz: '0.1' })
  run.note('it fires', 'filled', 'its stop is placed', 'order sl')
  await rig.settle()
  await run.accepted('close', () => bot.close(0.1), 'allowed', closed)
}

async function noTriggers(run: Run): Promise<void> {
  const { bot } = run
  const wait = () => bot.triggerEntry(0.1, 4100)
  await run.refused('a buy that waits for a price above', wait, 'unsupported_order')
}
