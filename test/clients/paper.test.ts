import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Bot, Driver, Seen } from './bot.ts'
import { ccxtDrivers } from './drivers/ccxt.ts'
import { go, goDriver, goSkipped } from './drivers/go.ts'
import { nktkasDrivers } from './drivers/nktkas.ts'
import { nomeidaDrivers } from './drivers/nomeida.ts'
import { python, pythonDriver, pythonSkipped } from './drivers/python.ts'
import { rust, rustDriver, rustSkipped } from './drivers/rust.ts'
import { account, clientKey, Rig } from './rig.fixture.ts'
import { keepResult } from './suite.ts'

const drivers: readonly Driver[] = [
  ...[...nktkasDrivers, ...ccxtDrivers, ...nomeidaDrivers].filter(
    ({ signedAs }) => signedAs === 'mainnet',
  ),
  ...(python === null ? [] : [pythonDriver()]),
  ...(rust === null ? [] : [rustDriver(rust)]),
  ...(go === null ? [] : [goDriver(go)]),
]

let rig: Rig
beforeAll(async () => {
  rig = await Rig.start({ mode: 'paper' })
})
afterAll(() => rig.close())

if (python === null) test.skip(`the official Python SDK: ${pythonSkipped}`, () => undefined)
if (rust === null) test.skip(`the official Rust SDK: ${rustSkipped}`, () => undefined)
if (go === null) test.skip(`a Go SDK: ${goSkipped}`, () => undefined)

describe.each(drivers)('$name, in paper mode', (driver) => {
  let bot: Bot
  beforeEach(async () => {
    // One of the clients prints all it does.
    vi.spyOn(console, 'log').mockReturnValue()
    vi.spyOn(console, 'warn').mockReturnValue()
    vi.spyOn(console, 'error').mockReturnValue()
    bot = await driver.open({ url: rig.url, wsUrl: rig.wsUrl, key: clientKey, account })
    await bot.markets()
  })
  afterEach(() => bot.end())

  test('every order is answered with what would have been, and nothing is sent', async () => {
    const asks: readonly [verdict: string, code: string, ask: () => Promise<Seen>][] = [
      ['allow', 'allowed', () => bot.leverage(3, 'isolated')],
      ['resize', 'resized', () => bot.market('buy', 0.1)],
      ['resize', 'resized', () => bot.limit('buy', 0.1, 3900)],
      ['resize', 'resized', () => bot.several([3900, 3880].map((price) => ({ size: 0.1, price })))],
      ['allow', 'allowed', () => bot.limit('sell', 0.1, 4300, { reduceOnly: true })],
      ['allow', 'allowed', () => bot.cancel('77')],
    ]
    for (const [verdict, code, ask] of asks) {
      const { refused } = (await ask()) as Seen & { refused: string }
      expect(refused).toContain(`Guard paper mode: would ${verdict} [${code}]: `)
      expect(refused).toContain('(nothing was sent)')
    }
    const { refused } = (await bot.limit('buy', 0.001, 3900)) as Seen & { refused: string }
    expect(refused).toContain('Guard veto [below_minimum]: ')
    expect(await rig.venue.log()).toEqual([])
    const events: any[] = await rig.get('/guard/events')
    expect(events.filter(({ kind }) => kind === 'sent')).toEqual([])
    keepResult(`paper ${driver.name}`, { paper: driver.name })
  })
})
