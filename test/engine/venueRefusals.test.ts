import { afterEach, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import type { RefusalKind } from '../../src/core/venueLimits/refusal.ts'
import { venueTexts } from '../../src/core/venueLimits/venueTexts.fixture.ts'
import type { VenueHttp } from '../../src/engine/ports.ts'
import { order, orders, reduceOnly, World } from './world.fixture.ts'

/**
 * Every refusal text of the venue's reference, each on a coin of its own, while a kill or a halt
 * closes everything and while positions are protected: what is tried next, and how it ends.
 */

let world: World
afterEach(async () => {
  await world.close()
})

/** Proves that nothing was done: Guard asks for the venue's time and sends once more. */
const expired = 'Action already expired'
const texts = venueTexts.filter(([, text]) => text !== '')
/** A world has a coin for each of this many texts, and one more. */
const perWorld = 20
const parts = Array.from({ length: Math.ceil(texts.length / perWorld) }, (_, at) =>
  texts.slice(at * perWorld, (at + 1) * perWorld),
)

const nameOf = (at: number): string => `T${String(at).padStart(2, '0')}`
/** The first coin is the one whose close is outside the band, or whose price falls. */
const firstCoin = 'A0'
const namesOf = (part: typeof texts): string[] => part.map((_, at) => nameOf(at))
const allNames = [firstCoin, ...Array.from({ length: perWorld }, (_, at) => nameOf(at))]
const markets = allNames.map((name) => ({ name, szDecimals: 1, maxLeverage: 10, mid: '100' }))
const assetOf = (name: string): number => allNames.indexOf(name)
const leverage: JsonObject = { type: 'isolated', value: 5 }
const positions = (names: readonly string[]): JsonObject[] =>
  names.map((coin) => ({ coin, szi: '20', leverage }))
/** Slow machines answer late; that is another test's matter. */
const timeoutMs = 15_000

interface Tried {
  readonly p: string
  readonly s: string
  /** How many orders its action had. */
  readonly together: number
}

/** The closes (or stops) that went out for a coin, oldest first. */
function triedOf(name: string, kind: 'flatten' | 'protect', isStop = false): Tried[] {
  return world
    .events(kind)
    .flatMap(({ actions }) =>
      actions.flatMap((action: any): Tried[] =>
        (action.orders ?? [])
          .filter((each: any) => each.a === assetOf(name) && 'trigger' in each.t === isStop)
          .map(({ p, s }: any) => ({ p, s, together: action.orders.length })),
      ),
    )
}

/** What the second try of a refused close of 20 at 95 looks like. */
const nextClose: Record<RefusalKind, Partial<Tried>> = {
  too_many_orders: { p: '95' },
  // The pieces are halved only where they are large: this one is far below the limit.
  too_large: { p: '95', s: '20' },
  outside_band: { p: '20' },
  below_minimum: { p: '95', s: '20' },
  nothing_to_reduce: { p: '95' },
  gone: { p: '95' },
  expired: { p: '95' },
  nonce: { p: '95' },
  allowance: { p: '95' },
  too_long: { p: '95' },
  stop_price: { p: '95' },
  off_grid: { p: '95' },
  no_match: { p: '92.5' },
  margin: { p: '95' },
  closed_market: { p: '95' },
  not_listed: { p: '95' },
  form: { p: '95' },
  signer: { p: '95' },
  unknown: { p: '95' },
}

const flat = async (): Promise<boolean> => Object.keys(await world.positions()).length === 0
const alertCodes = (): string[] => world.guard.status().alerts.map(({ code }) => code)

const isOver = (): boolean => alertCodes().every((code) => !code.endsWith('_refused'))

const covered = (): boolean => {
  const { positions: held } = world.guard.status()
  return held.length > 0 && held.every((each) => each.covered)
}

test.each(parts)(
  'kill x every text, order by order: each coin is tried again in its way, and all are closed (%#)',
  async (...part) => {
    world = await World.start({
      ...{ markets, timeoutMs, simulator: { options: { referencePrice: 'oracle' } } },
      account: { equity: '1000000', positions: positions([firstCoin, ...namesOf(part)]) },
    })
    await world.until(covered, 'covered')
    // The batch is refused whole for the band; then each coin goes by itself and meets its text.
    await world.venue.control('price', { coin: firstCoin, mid: '100', mark: '100', oracle: '10' })
    await world.venue.fault(refusal(firstCoin, 'used up by the batch'))
    for (const [at, [, text]] of part.entries()) await world.venue.fault(refusal(nameOf(at), text))
    await world.kill('enough')
    await world.until(flat, 'flat')
    for (const [at, [kind, text]] of part.entries()) {
      const [first, alone, next] = triedOf(nameOf(at), 'flatten')
      const what = `${kind}: ${text}`
      expect(first, what).toMatchObject({ p: '95', s: '20', together: part.length + 1 })
      expect(alone, what).toMatchObject({ p: '95', s: '20', together: 1 })
      const edge = text.includes('95%') ? { p: '5' } : {}
      expect(next, what).toMatchObject({ ...nextClose[kind], ...edge })
    }
    await world.until(() => alertCodes().length === 0, 'no alert')
  },
)

const refusal = (coin: string, text: string): JsonObject => ({
  ...{ where: 'exchange', kind: 'refuse', match: { type: 'order', coin }, text, count: 1 },
})

/** Refuses actions whole, each coin's once, in the venue's words. */
function refusingWhole(
  words: Map<number, string>,
  isMeant: (order: any) => boolean,
): (venue: VenueHttp) => VenueHttp {
  return ({ exchange, info }) => ({
    info,
    exchange: async (request, lane) => {
      const { orders = [] } = request.action as { orders?: readonly any[] }
      const asset = orders.map(({ a }) => a).find((each) => words.has(each))
      if (asset === undefined || !orders.every(isMeant)) return await exchange(request, lane)
      const text = words.get(asset) ?? ''
      words.delete(asset)
      return { kind: 'reply', reply: { status: 'err', response: text } }
    },
  })
}

test.each(parts)(
  'halt x every text, as a refusal of the whole action: all are closed, and each is told (%#)',
  async (...part) => {
    const words = new Map(part.map(([, text], at) => [assetOf(nameOf(at)), text]))
    world = await World.stopped({
      ...{ markets, timeoutMs, rules: { dailyLossStop: Decimal.of('0.001') } },
      account: { equity: '200000', positions: positions([...namesOf(part), firstCoin]) },
    })
    const isHalted = { value: false }
    const isClose = (each: any): boolean => isHalted.value && each.t.limit?.tif === 'Ioc'
    await world.startGuard(refusingWhole(words, isClose))
    await world.until(covered, 'covered')
    isHalted.value = true
    await world.venue.control('price', { coin: firstCoin, mid: '85' })
    await world.event('risk', (each) => each.state === 'halted_for_day')
    await world.until(flat, 'flat')
    expect(words.size).toBe(0)
    const told = new Set(world.events('error').map((each) => each.text))
    const tries = new Set(world.events('flatten').flatMap((each) => each.tries))
    for (const [at, [, text]] of part.entries()) {
      // What the venue refuses by its clock is learned from, and sent again at once.
      if (text === expired) continue
      expect(told).toContain(`a close was refused: ${text}`)
      expect(
        [...tries].some((each) => String(each).endsWith(`: ${text}`)),
        `${at} ${text}`,
      ).toBe(true)
    }
    await world.until(isOver, 'no alert of a refusal')
  },
)

test.each(parts)(
  'protect x every text: a limit is met in another way, only a refused price closes (%#)',
  async (...part) => {
    const names = namesOf(part)
    world = await World.stopped({
      ...{ markets, timeoutMs },
      account: { equity: '1000000', positions: positions(names) },
    })
    for (const [at, [kind, text]] of part.entries()) {
      const count = kind === 'unknown' ? 2 : 1
      await world.venue.fault({ ...refusal(nameOf(at), text), count })
    }
    await world.startGuard()
    const closing = names.filter((_, at) => isForItsPrice(part[at]?.[0]))
    const staying = names.filter((name) => !closing.includes(name))
    await world.until(async () => {
      const held = Object.keys(await world.positions())
      return held.length === staying.length && staying.every((name) => held.includes(name))
    }, 'only those with a stop held')
    const isCovered = (): boolean => {
      const { positions: held } = world.guard.status()
      return held.length === staying.length && held.every((each) => each.covered)
    }
    await world.until(isCovered, 'all that is held covered')
    for (const name of staying) {
      expect(triedOf(name, 'protect'), name).toEqual([])
      expect(triedOf(name, 'protect', true).length, name).toBeGreaterThan(1)
    }
    for (const name of closing) expect(triedOf(name, 'protect').length, name).toBeGreaterThan(0)
    const tries = new Set(world.events('protect').flatMap((each) => each.tries))
    for (const [at, [, text]] of part.entries()) {
      expect(tries).toContain(`${nameOf(at)}: ${text}`)
    }
    await world.until(isOver, 'no alert of a refusal')
  },
)

/** Words that nobody knows, said twice, may be about the price: no position is left without a stop for them. */
function isForItsPrice(kind: RefusalKind | undefined): boolean {
  return kind === 'stop_price' || kind === 'unknown'
}

test('a rest that the venue calls too small again and again is told, and not asked for for ever', async () => {
  const text = 'Order must have minimum value of $10. asset=1'
  world = await World.start({
    account: { positions: [{ coin: 'ETH', szi: '0.001', leverage }] },
  })
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  await world.venue.fault({ ...refusal('ETH', text), count: 0 })
  await world.kill('enough')
  const told = `ETH: the rest of 0.001 is too small to be closed, the venue says: ${text}`
  await world.event('flatten', ({ problems }) => problems.includes(told))
  const sizes = world
    .events('flatten')
    .flatMap(({ actions }) => actions.flatMap((action: any) => action.orders ?? []))
    .map(({ s }) => s)
  expect(sizes).toEqual(['0.001', '0.0027'])
  const before = world.events('flatten').length
  world.fire(500)
  await world.venueState()
  expect(world.events('flatten').length).toBe(before)
  expect(alertCodes()).toContain('flattening')
})

test.each(parts)(
  'a bot’s exit x every text: the bot gets the words, a person is told, and the next one goes (%#)',
  async (...part) => {
    const names = namesOf(part)
    const words = new Map(part.map(([, text], at) => [assetOf(nameOf(at)), text]))
    world = await World.stopped({
      ...{ markets, timeoutMs },
      account: { equity: '1000000', positions: positions(names) },
    })
    await world.startGuard(refusingWhole(words, (each) => each.t.limit?.tif === 'Ioc'))
    await world.until(covered, 'covered')
    const exit = (name: string): JsonObject =>
      orders(order(assetOf(name), false, '90', '20', reduceOnly))
    // Where the venue has said that nothing is left of the allowance, exits are paced: that comes last.
    const isLast = ([, text]: (typeof part)[number]): boolean => /^Too many cumulative/.test(text)
    const inTurn = [...part.entries()].sort((a, b) => Number(isLast(a[1])) - Number(isLast(b[1])))
    for (const [at, [, text]] of inTurn) {
      const name = nameOf(at)
      if (text === expired) {
        expect(await world.ask(exit(name)), name).toMatchObject({ status: 'ok' })
        continue
      }
      expect(await world.ask(exit(name)), name).toMatchObject({ status: 'err', response: text })
      expect(exitAlerts()).toEqual([[name, expect.stringContaining(text)]])
      await world.event('error', (each) => each.text === `a bot's exit was refused: ${text}`)
      // Its stop is still there, and nothing was closed for it.
      expect(world.guard.status().positions.find((each) => each.coin === name)?.covered).toBe(true)
      expect(await world.ask(exit(name)), name).toMatchObject({ status: 'ok' })
      expect(exitAlerts()).toEqual([])
    }
    await world.until(flat, 'flat')
  },
)

const exitAlerts = (): (readonly [string | undefined, string])[] =>
  world.guard
    .status()
    .alerts.filter(({ code }) => code === 'exit_refused')
    .map(({ coin, text }) => [coin, text])
