import { expect } from 'vitest'
import type { Seen, Wish } from './bot.ts'
import type { Run } from './steps.ts'

const cloid = '0x1234567890abcdef1234567890abcdef'
const ladder: readonly Wish[] = [3900, 3880, 3860].map((price) => ({ size: 0.1, price }))
const none: readonly string[] = []

const idOf = (seen: Seen): string => seen.orders?.[0]?.id ?? 'no order'

/** Every part of a bot's life, in the order in which it is lived. */
export const scenario: readonly { readonly name: string; run(run: Run): Promise<void> }[] = [
  { name: 'markets and reads', run: reads },
  { name: 'leverage', run: leverage },
  { name: 'limit entries, modify and cancel', run: limits },
  { name: 'entries with stops and targets', run: groups },
  { name: 'market entries, stops and closes', run: positions },
  { name: 'several orders in one action, and at once', run: many },
  { name: 'refusals of the venue and of the rules', run: refusals },
  { name: 'streams', run: streams },
  { name: 'everything forbidden', run: forbidden },
  { name: 'what it sends by itself', run: unasked },
]

async function reads(run: Run): Promise<void> {
  const { bot, rig } = run
  const done = await rig.during(async () => ({ names: await bot.markets(), now: await bot.read() }))
  run.noteUnasked(done.trace)
  expect(done.names).toEqual(expect.arrayContaining(['BTC', 'ETH', 'SOL']))
  expect(done.now).toEqual({ mid: 4000, equity: 10_000, levels: 20, orders: 0 })
  expect(run.asked(done.trace)).toEqual(none)
  expect(done.trace.venue).toEqual(none)
  run.note('markets', `${String(markets)} markets`, 'no decision', 'reads')
  run.note('mids, book, equity, open orders', 'as the venue has them', 'no decision', 'reads')
}
const markets = 7

async function leverage(run: Run): Promise<void> {
  const { bot } = run
  await run.accepted('isolated leverage 3', () => bot.leverage(3, 'isolated'), 'allowed', [
    'updateLeverage',
  ])
  await run.refused('cross margin', () => bot.leverage(3, 'cross'), 'cross_margin')
  await run.refused('leverage 20', () => bot.leverage(20, 'isolated'), 'leverage')
}

async function limits(run: Run): Promise<void> {
  const { bot, rig } = run
  const placed = await run.accepted(
    'limit entry without a stop',
    () => bot.limit('buy', 0.1, 3900),
    'resized',
    ['order buy + sl'],
  )
  expect(placed.orders?.filter(({ id }) => id !== undefined)).toHaveLength(1)
  const moved = await run.accepted(
    'modify it',
    () => bot.modify(idOf(placed), 0.1, 3890),
    'resized',
    ['cancel', 'order buy + sl'],
  )
  const open = await rig.openOrders()
  expect(open.map(({ limitPx, isTrigger }) => [Number(limitPx), isTrigger])).toContainEqual([
    3890,
    false,
  ])
  const id = moved.orders?.[0]?.id ?? String(open.find(({ isTrigger }) => !isTrigger).oid)
  await run.accepted('cancel it', () => bot.cancel(id), 'allowed', ['cancel'])
  expect(await rig.openOrders()).toHaveLength(0)
  await run.accepted(
    'limit entry with a cloid',
    () => bot.limit('buy', 0.1, 3900, { cloid }),
    'resized',
    ['order buy + sl'],
  )
  await run.accepted('cancel by cloid', () => bot.cancelByCloid(cloid), 'allowed', [
    'cancelByCloid',
  ])
  expect(await rig.openOrders()).toHaveLength(0)
}

async function groups(run: Run): Promise<void> {
  const { bot, rig, driver } = run
  if (run.lacks('limitWithStop', 'limit entry with its stop')) return
  // A limit closer than 10% to the trigger would cap the stop's fill, so Guard widens it; orders
  // that are sent side by side are made a group.
  const isChanged = driver.stopRoom < 0.1 || driver.hasNoGroups === true
  const code = isChanged ? 'resized' : 'allowed'
  await run.accepted('limit entry with its stop', () => bot.limitWithStop(0.1, 3900, 3800), code, [
    'order buy + sl',
  ])
  await run.accepted(
    'limit entry with target and stop',
    () => bot.group(0.1, 3880, 4300, 3800),
    code,
    ['order buy + tp + sl'],
  )
  expect(await rig.openOrders()).toHaveLength(5)
  await run.accepted('cancel all', () => bot.cancelAll(), 'allowed', ['cancel'])
  expect(await rig.openOrders()).toHaveLength(0)
}

async function positions(run: Run): Promise<void> {
  const { bot, rig } = run
  const bought = await run.accepted(
    'market entry without a stop',
    () => bot.market('buy', 0.1),
    'resized',
    ['order buy + sl'],
  )
  expect(bought.orders?.[0]?.filled).toBe(0.1)
  expect(await rig.held('ETH')).toBe(0.1)
  await run.refused('cancel all with Guard’s stop among them', () => bot.cancelAll(), 'guard_stop')
  const own = await run.accepted(
    'a tighter stop of its own',
    () => bot.stop(0.1, 3950),
    run.driver.stopRoom < 0.1 ? 'resized' : 'allowed',
    ['order sl', 'cancel'],
  )
  await run.refused('loosen it', () => bot.modifyStop(idOf(own), 0.1, 3700), 'stop_loosened')
  await run.accepted('tighten it', () => bot.modifyStop(idOf(own), 0.1, 3960), 'resized', [
    'order sl',
    'cancel',
  ])
  const [stop] = await rig.openOrders()
  expect(stop).toMatchObject({ triggerPx: '3960.0', reduceOnly: true })
  await run.refused('cancel the only stop', () => bot.cancel(String(stop.oid)), 'stop_removed')
  const target = await run.accepted(
    'reduce-only limit exit',
    () => bot.limit('sell', 0.1, 4300, { reduceOnly: true }),
    'allowed',
    ['order sell reduce-only'],
  )
  await run.accepted('cancel the exit', () => bot.cancel(idOf(target)), 'allowed', ['cancel'])
  await run.accepted('turn the position around', () => bot.market('sell', 0.3), 'resized', [
    'order sell reduce-only',
  ])
  expect(await rig.held('ETH')).toBe(0)
  const enter = (): Promise<Seen> =>
    run.driver.lacks['limitWithStop'] === undefined
      ? bot.marketWithStop(0.1, 3850)
      : bot.market('buy', 0.1)
  await run.accepted('enter again', enter, 'resized', ['order buy + sl'])
  const closed = await run.accepted('close', () => bot.close(0.1), 'allowed', [
    'order sell reduce-only',
  ])
  expect(closed.orders?.[0]?.filled).toBe(0.1)
  expect(await rig.held('ETH')).toBe(0)
  if (run.lacks('limitWithStop', 'market entry with its stop')) {
    await run.traced(enter)
  } else {
    await run.accepted('market entry with its stop', enter, 'resized', ['order buy + sl'])
  }
  await run.accepted(
    'reduce-only exit larger than the position',
    () => bot.limit('sell', 0.3, 3990, { reduceOnly: true, tif: 'Ioc' }),
    'resized',
    ['order sell reduce-only'],
  )
  expect(await rig.held('ETH')).toBe(0)
  expect(await rig.openOrders()).toHaveLength(0)
}

async function many(run: Run): Promise<void> {
  const { bot, rig } = run
  const three = ['order buy + sl', 'order buy + sl', 'order buy + sl']
  const placed = await run.accepted(
    'three entries in one action',
    () => bot.several(ladder),
    'resized',
    three,
  )
  expect(placed.orders).toHaveLength(3)
  expect(new Set(placed.orders?.map(({ id }) => id)).size).toBe(3)
  await run.traced(() => bot.cancelAll())
  const together = await rig.during(async () => ({ seen: await bot.together(ladder) }))
  expect(together.seen.map(({ refused }) => refused)).toEqual([undefined, undefined, undefined])
  const decisions = run.asked(together.trace)
  expect(decisions.map(({ code }) => code)).toEqual(['resized', 'resized', 'resized'])
  expect(run.got(together.trace)).toEqual(three)
  run.note('three requests at once', 'resting, each', '3 × resize `resized`', three.join('; '))
  await run.traced(() => bot.cancelAll())
  expect(await rig.openOrders()).toHaveLength(0)
}

async function refusals(run: Run): Promise<void> {
  const { bot, rig } = run
  const crossing = await run.traced(() => bot.limit('buy', 0.1, 4010, { tif: 'Alo' }))
  expect(JSON.stringify(crossing.refused ?? crossing.orders)).toContain(
    'Post only order would have immediately matched',
  )
  expect(run.got(crossing.trace)).toEqual(['order buy + sl'])
  run.keep('post-only that would match', crossing)
  const posted = await run.accepted(
    'post-only entry',
    () => bot.limit('buy', 0.1, 3900, { tif: 'Alo' }),
    'resized',
    ['order buy + sl'],
  )
  await run.traced(() => bot.cancel(idOf(posted)))
  const cut = await run.accepted('market entry of 50 ETH', () => bot.market('buy', 50), 'resized', [
    'order buy + sl',
  ])
  expect(cut.orders?.[0]?.filled).toBeLessThan(2)
  expect(await rig.held('ETH')).toBe(cut.orders?.[0]?.filled)
  await run.accepted('close all of it', () => bot.close(filledOf(cut)), 'allowed', [
    'order sell reduce-only',
  ])
  await run.refused('an entry below 10 USD', () => bot.limit('buy', 0.001, 3900), 'below_minimum')
}
const filledOf = (seen: Seen): number => seen.orders?.[0]?.filled ?? 0

async function streams(run: Run): Promise<void> {
  const { bot, driver } = run
  if (bot.watch === undefined) {
    run.note(
      'streams: book and fills',
      driver.lacks['watch'] ?? 'not tried',
      'no decision',
      'nothing',
    )
    return
  }
  const watched = await bot.watch()
  expect(await watched.book()).toBe(20)
  await run.accepted('market entry while it watches', () => bot.market('buy', 0.1), 'resized', [
    'order buy + sl',
  ])
  expect(await watched.fill()).toBe(0.1)
  await run.traced(() => bot.close(0.1))
  run.note('streams: book and fills', 'come', 'no decision', 'one subscription each')
}

async function forbidden(run: Run): Promise<void> {
  const { bot } = run
  for (const { name, code, run: ask } of bot.forbidden) await run.refused(name, ask, code)
}

/** A client that asks for fees or referrers by itself is refused, and goes on. */
function unasked(run: Run): Promise<void> {
  const { driver, unasked: sent } = run
  expect([...sent.keys()].sort()).toEqual([...driver.unasked].sort())
  for (const [action, code] of [...sent].sort()) {
    run.note(`${action}, unasked`, 'goes on without it', `veto \`${code}\``, 'nothing')
  }
  return Promise.resolve()
}
