import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import {
  booksOf,
  gated,
  group,
  ordersOn,
  pending,
  settled,
  stopLoss,
  stranger,
} from './oneLife.fixture.ts'
import type { Gate } from './oneLife.fixture.ts'
import { gtc, order, orders, reduceOnly } from './world.fixture.ts'
import type { World, WorldOptions } from './world.fixture.ts'

let world: World
let gate: Gate
afterEach(async () => {
  gate.open()
  await world.close()
})

type ModifyType = 'modify' | 'batchModify'

function modifyOf(
  type: ModifyType,
  oid: number,
  to: JsonObject,
  flag: JsonObject = {},
): JsonObject {
  return type === 'modify'
    ? { type, oid, order: to, ...flag }
    : { type, modifies: [{ oid, order: to }], ...flag }
}

/** What the reply says of the one order, in the words of either kind of modify. */
function refusalIn(reply: any): string | null {
  if (reply.status !== 'ok') return reply.response
  return reply.response.data?.statuses[0].error ?? null
}

async function restingOid(action: JsonObject): Promise<number> {
  const placed = await world.ask(action)
  const { oid } = placed.response.data.statuses[0].resting
  await settled(world)
  return oid
}

describe('a resting entry that is modified, and nearly all of it fills before its cancel lands', () => {
  const buy = (price: string, size: string): JsonObject => order(1, true, price, size, gtc)

  interface Asked {
    readonly entry: JsonObject
    readonly to: JsonObject
    readonly fills: string
    readonly type?: ModifyType
    /** The stream tells nothing of the fill, and reads of these types fail. */
    readonly untold?: readonly string[]
  }

  /** The old entry is alone at the mid; a part of it is taken while its cancel is on the way. */
  async function modified(asked: Asked, options?: WorldOptions): Promise<any> {
    const { entry, to, fills, type, untold } = asked
    ;({ world, gate } = await gated(options))
    const oid = await restingOid(entry)
    if (untold !== undefined) await world.venue.fault({ where: 'ws', kind: 'silence', count: 0 })
    for (const failing of untold ?? []) {
      await world.venue.fault({
        where: 'info',
        kind: 'http_500',
        match: { type: failing },
        count: 0,
      })
    }
    gate.keep('request', (action) => action.type === 'cancel')
    const modify = pending(world.ask(modifyOf(type ?? 'modify', oid, to)))
    await world.until(() => gate.waiting.length === 1, 'the cancel to be on its way')
    const taken = await world.outside(orders(order(1, false, '4000', fills)), stranger)
    expect(JSON.stringify(taken)).toContain(`"totalSz":"${fills}"`)
    const isSeen = (): boolean => world.guard.status().positions.some(({ size }) => size === fills)
    if (untold === undefined) await world.until(isSeen, 'the fill to be seen')
    gate.open()
    const reply = await modify.reply
    await world.venue.send('DELETE', '/sim/fault')
    await world.until(isSeen, 'the fill to be seen')
    await settled(world)
    return reply
  }

  /** What was added to the fill is what the bot was told, and a refusal has its code. */
  async function expectTold(reply: any, fills: string): Promise<void> {
    const resting = (await ordersOn(world, 'ETH')).filter((each) => !each.reduceOnly)
    const held = Number((await world.positions())['ETH'])
    const all = resting.reduce((sum, { sz }) => sum + Number(sz), held)
    const isRefused = refusalIn(reply) !== null
    expect(all).toBeCloseTo(Number(fills) + (isRefused ? 0 : Number(reply.size)), 4)
    if (isRefused) expect(refusalIn(reply)).toMatch(/^Guard veto \[[a-z_]+\]: /)
    expect(reply.code).toEqual(expect.any(String))
  }

  test.each<[string, ModifyType, JsonObject]>([
    ['to rest', 'modify', buy('3990', '2.3')],
    ['to rest, in a batch', 'batchModify', buy('3990', '2.3')],
    ['to be taken at once', 'modify', buy('4010', '2.1')],
    ['to be larger', 'modify', buy('4000', '2.36')],
  ])('%s: both together risk what one trade may', async (_, type, to) => {
    const fills = '2.231'
    const reply = await modified({ entry: orders(buy('4000', '2.3')), to, fills, type })
    expect((await booksOf(world)).risk).toBeLessThanOrEqual(200)
    await expectTold(reply, fills)
  })

  test.each<[string, string, RegExp]>([
    ['a read tells what it filled', '2.231', /has filled meanwhile/],
    ['nothing tells what it filled', '0.1', /has filled meanwhile, or may have/],
  ])('the stream tells nothing of the fill, and %s', async (how, fills, text) => {
    const untold = how.startsWith('nothing') ? ['orderStatus'] : []
    const entry = orders(buy('4000', '2.3'))
    const reply = await modified({ entry, to: buy('3990', '2.3'), fills, untold })
    expect(refusalIn(reply)).toMatch(text)
    expect((await booksOf(world)).risk).toBeLessThanOrEqual(200)
    await expectTold(reply, fills)
  })

  test('the open risk stays within its budget', async () => {
    const rules = { riskPerTrade: Decimal.of('0.02'), openRisk: Decimal.of('0.03') }
    const fills = '2.231'
    const entry = orders(buy('4000', '2.3'))
    const reply = await modified({ entry, to: buy('3990', '2.3'), fills }, { rules })
    expect((await booksOf(world)).risk).toBeLessThanOrEqual(300)
    await expectTold(reply, fills)
  })

  test('the coin stays within its cap', async () => {
    const entry = group(buy('4000', '4.9'), stopLoss(1, false, '3990', '3591', '4.9'))
    const fills = '4.753'
    const reply = await modified({ entry, to: buy('3999', '4.9'), fills })
    expect((await booksOf(world)).value).toBeLessThanOrEqual(20_000)
    await expectTold(reply, fills)
  })
})

describe('a resting close that is modified to a price at which it is taken', () => {
  const sell = (price: string, tif: string): JsonObject =>
    order(1, false, price, '0.5', { ...reduceOnly, t: { limit: { tif } } })

  async function modified(type: ModifyType, tif: string, flag: JsonObject): Promise<any> {
    ;({ world, gate } = await gated())
    await world.ask(orders(order(1, true, '4010', '0.5')))
    await settled(world)
    const oid = await restingOid(orders(sell('4100', 'Gtc')))
    const reply = await world.ask(modifyOf(type, oid, sell('3990', tif), flag))
    await settled(world)
    return reply
  }

  test.each<[ModifyType, string]>([
    ['modify', 'Ioc'],
    ['modify', 'Gtc'],
    ['batchModify', 'Ioc'],
    ['batchModify', 'Gtc'],
  ])('by %s to %s with the flag a: it closes, and can only close', async (type, tif) => {
    const reply = await modified(type, tif, { a: true })
    expect(refusalIn(reply)).toBe(null)
    expect(await world.positions()).toEqual({})
    expect(await ordersOn(world, 'ETH')).toEqual([])
    const { forward, forward_more: more } = world.events('decision').at(-1)
    const sent = [forward, ...more].flatMap((each: any) => [
      ...(each.orders ?? []),
      ...(each.modifies ?? []).map(({ order: one }: any) => one),
      ...(each.type === 'modify' ? [each.order] : []),
    ])
    expect(sent.map(({ r }: any) => r)).toEqual([true])
  })

  test.each<[ModifyType, string]>([
    ['modify', 'Gtc'],
    ['batchModify', 'Gtc'],
  ])('by %s to %s without the flag: it is never lost', async (type, tif) => {
    const reply = await modified(type, tif, {})
    const isClosed = Object.keys(await world.positions()).length === 0
    const resting = (await ordersOn(world, 'ETH')).filter(({ isTrigger }) => !isTrigger)
    // Closed, or refused with the old one where it was.
    expect({ isRefused: refusalIn(reply) !== null, resting: resting.length }).toEqual({
      isRefused: !isClosed,
      resting: isClosed ? 0 : 1,
    })
  })
})
