import { describe, expect, test } from 'vitest'
import { markets } from '../../core/account/account.fixture.ts'
import type { Action, Json, Order } from '../../core/protocol/action.ts'
import { encodeAction } from '../../core/protocol/encodeAction.ts'
import { infoWeight } from '../../core/protocol/requestWeight.ts'
import { orderJson } from '../../core/protocol/venue.fixture.ts'
import { address } from '../../core/values/address.ts'
import { cloid } from '../../core/values/cloid.ts'
import type { Cloid } from '../../core/values/cloid.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { millis } from '../../core/values/millis.ts'
import { err, ok } from '../../core/values/result.ts'
import { Alerts } from '../alerts.ts'
import type { VenueHttp } from '../ports.ts'
import { lookUpOpen } from '../start/recovery.ts'
import { UnknownOutcomes } from './unknownOutcomes.ts'

const startMs = 1_790_000_000_000
const lifeMs = 10_000
const builderDexAsset = 110_001

/** A venue with these orders open, whose questions are counted, in time that is moved. */
class Crowded {
  nowMs = 0
  open = new Set<number | string>()
  filled = new Set<number | string>()
  isReachable = true
  readonly asked: { readonly type: string; readonly at: number }[] = []
  readonly settled: (readonly [string, string, number])[] = []
  readonly recorded: { readonly of: number; readonly outcome: string }[] = []
  private tasks: { readonly at: number; readonly run: () => void }[] = []
  private readonly deps
  private readonly unknowns: UnknownOutcomes

  constructor() {
    this.deps = {
      venue: { info: this.info },
      account: address(`0x${'a'.repeat(40)}`),
      markets: () => markets(),
      clock: { now: () => millis(startMs + this.nowMs), monotonicMs: () => this.nowMs },
      timers: {
        after: (ms: number, run: () => void) => {
          this.tasks.push({ at: this.nowMs + ms, run })
          return () => undefined
        },
        every: () => () => undefined,
      },
      isStopped: () => false,
      heard: () => undefined,
    }
    this.unknowns = new UnknownOutcomes({
      ...{ ...this.deps, alerts: new Alerts() },
      settle: (id, { outcome }) => {
        this.settled.push([id, outcome, this.nowMs])
      },
      settleOrder: () => undefined,
    })
  }

  get weight(): number {
    return this.asked.reduce((sum, each) => sum + infoWeight(each), 0)
  }

  track(id: string, action: Action): void {
    const expiresMonotonicMs = this.nowMs + lifeMs
    const unknown = { id, action, place: null, at: millis(startMs + this.nowMs) }
    const steps = { say: () => undefined }
    void this.unknowns.track({ ...unknown, expiresMonotonicMs, lane: 'safety', steps })
  }

  /** A start that finds these without an outcome, written down so long ago. */
  recover(actions: readonly Action[], ageMs: number): void {
    const recorder = {
      record: (body: { readonly of: number; readonly outcome: string }) => {
        this.recorded.push(body)
      },
    } as never
    void lookUpOpen(
      { ...this.deps, recorder, log: { log: () => undefined } },
      actions.map((action, of) => {
        return { of, index: 0, at: millis(startMs - ageMs), action: encodeAction(action) }
      }),
    )
  }

  async pass(ms: number): Promise<void> {
    const end = this.nowMs + ms
    for (;;) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      const [next] = [...this.tasks].sort((left, right) => left.at - right.at)
      if (next === undefined || next.at > end) break
      this.nowMs = Math.max(this.nowMs, next.at)
      this.tasks = this.tasks.filter((each) => each !== next)
      next.run()
    }
    this.nowMs = end
  }

  private readonly info: VenueHttp['info'] = (request) => {
    const { type, oid } = request as { readonly type: string; readonly oid?: number | string }
    this.asked.push({ type, at: this.nowMs })
    if (!this.isReachable) return Promise.resolve(err({ kind: 'unreachable', text: 'lost' }))
    const rows = [...this.open].map((name) =>
      typeof name === 'number' ? { ...orderJson, oid: name } : { ...orderJson, cloid: name },
    )
    const isOpen = oid !== undefined && this.open.has(oid)
    const word = isOpen ? 'open' : 'filled'
    const order = { order: orderJson, status: word, statusTimestamp: startMs }
    const status =
      oid !== undefined && (isOpen || this.filled.has(oid))
        ? { status: 'order', order }
        : { status: 'unknownOid' }
    const body: Json = type === 'frontendOpenOrders' ? rows : status
    return Promise.resolve(ok({ status: 200, body }))
  }
}

/** The cancels of a crowd: so many actions of so many orders each. */
function cancelsOf(actions: number, orders: number, asset = 1): Action[] {
  return Array.from({ length: actions }, (_, nth) => ({
    type: 'cancel',
    cancels: Array.from({ length: orders }, (_each, at) => ({ asset, oid: 1 + nth * orders + at })),
  }))
}

describe('cancels without an answer, of a thousand orders', () => {
  test('are settled by one list', async () => {
    const world = new Crowded()
    cancelsOf(25, 40).forEach((action, nth) => {
      world.track(`${nth}`, action)
    })
    await world.pass(1_000)
    expect(world.settled.map(([, outcome, at]) => [outcome, at])).toEqual(
      Array.from({ length: 25 }, () => ['accepted', 250]),
    )
    expect(world.asked).toEqual([{ type: 'frontendOpenOrders', at: 250 }])
  })

  test('cost little, however long the orders stay open and whenever the cancels were sent', async () => {
    const world = new Crowded()
    world.open = new Set(Array.from({ length: 1_000 }, (_, nth) => 1 + nth))
    for (const [nth, action] of cancelsOf(25, 40).entries()) {
      world.track(`${nth}`, action)
      await world.pass(500)
    }
    await world.pass(60_000)
    expect(world.settled.map(([, outcome]) => outcome)).toEqual(
      Array.from({ length: 25 }, () => 'refused'),
    )
    for (const [id, , at] of world.settled) {
      const finalMs = Number(id) * 500 + lifeMs + 2_000
      expect(world.asked.some((each) => each.at > finalMs && each.at <= at)).toBe(true)
    }
    expect(world.weight).toBeLessThanOrEqual(5 * 20)
  })

  test('wait for a list that was asked for after they were sent', async () => {
    const world = new Crowded()
    for (const [nth, action] of cancelsOf(1, 40).entries()) world.track(`early ${nth}`, action)
    await world.pass(1_000)
    world.open.add(5_000)
    const cancels = Array.from({ length: 20 }, (_, nth) => ({ asset: 1, oid: 5_000 + nth }))
    world.track('late', { type: 'cancel', cancels })
    await world.pass(4_000)
    expect(world.settled.map(([id]) => id)).toEqual(['early 0'])
    world.open.clear()
    await world.pass(4_000)
    expect(world.settled.map(([id, outcome]) => [id, outcome])).toEqual([
      ['early 0', 'accepted'],
      ['late', 'accepted'],
    ])
  })

  test('where nothing answers, the list is asked for every eight seconds and no more', async () => {
    const world = new Crowded()
    world.isReachable = false
    for (const [nth, action] of cancelsOf(25, 40).entries()) {
      world.track(`${nth}`, action)
      await world.pass(300)
    }
    await world.pass(52_500)
    expect(world.settled).toEqual([])
    expect(world.weight).toBeLessThanOrEqual(8 * 20)
    world.isReachable = true
    await world.pass(17_000)
    expect(world.settled).toHaveLength(25)
  })

  test('by their client ids too', async () => {
    const names = Array.from({ length: 20 }, (_, nth) =>
      cloid(`0x${String(nth).padStart(32, '0')}`),
    )
    const action: Action = {
      type: 'cancelByCloid',
      cancels: names.map((name) => ({ asset: 1, cloid: name })),
    }
    const world = new Crowded()
    world.open.add(names[7] ?? '')
    world.track('a', action)
    await world.pass(9_000)
    expect(world.settled).toEqual([])
    world.open.clear()
    await world.pass(9_000)
    expect(world.settled.map(([, outcome]) => outcome)).toEqual(['accepted'])
  })

  test.each<[string, readonly Action[], number]>([
    ['a few orders are asked about one by one', cancelsOf(2, 5), 10],
    ['and so are those that the list has not', cancelsOf(1, 30, builderDexAsset), 30],
    // The list settles all but ten of them, or more.
    ['small cancels count together', cancelsOf(60, 1), 10],
  ])('%s', async (_, actions, mostAskedOneByOne) => {
    const world = new Crowded()
    actions.forEach((action, nth) => {
      world.track(`${nth}`, action)
    })
    await world.pass(1_000)
    expect(world.settled).toHaveLength(actions.length)
    const oneByOne = world.asked.filter(({ type }) => type === 'orderStatus')
    expect(oneByOne.length).toBeLessThanOrEqual(mostAskedOneByOne)
    const lists = actions.length === 60 ? 1 : 0
    expect(world.asked.length - oneByOne.length).toBe(lists)
  })
})

/** A ladder whose answers were lost: so many actions of an entry and its stop. */
function ladderOf(actions: number, asset = 1): Action[] {
  const place = (digit: string, nth: number, isReduceOnly: boolean): Order => ({
    ...{ asset, isBuy: !isReduceOnly, price: Decimal.one, size: Decimal.one, isReduceOnly },
    type: { kind: 'limit', tif: 'Gtc' },
    cloid: nameOf(digit, nth),
  })
  return Array.from({ length: actions }, (_, nth) => ({
    ...{ type: 'order', grouping: 'normalTpsl', builder: null },
    orders: [place('e', nth, false), place('5', nth, true)],
  }))
}

function nameOf(digit: string, nth: number): Cloid {
  return cloid(`0x${digit}${String(nth).padStart(31, '0')}`)
}

describe('placed orders without an answer, of a ladder', () => {
  test('that rest are settled by one list', async () => {
    const world = new Crowded()
    for (let nth = 0; nth < 60; nth += 1) world.open.add(nameOf('e', nth))
    ladderOf(60).forEach((action, nth) => {
      world.track(`${nth}`, action)
    })
    await world.pass(1_000)
    expect(world.settled.filter(([, outcome]) => outcome === 'accepted')).toHaveLength(60)
    expect(world.asked.filter(({ type }) => type !== 'orderStatus')).toHaveLength(1)
    // Five of two ids are asked about one by one.
    expect(world.weight).toBeLessThanOrEqual(20 + 10 * 2)
  })

  test('that the list lacks keep their room until the question about each says that it never came', async () => {
    const world = new Crowded()
    world.filled.add(nameOf('e', 3))
    ladderOf(20).forEach((action, nth) => {
      world.track(`${nth}`, action)
    })
    await world.pass(lifeMs + 1_999)
    expect(world.settled).toEqual([])
    expect(world.asked.map(({ type }) => type)).toEqual(['frontendOpenOrders'])
    await world.pass(60_000)
    const happened = world.settled.flatMap(([id, outcome]) => (outcome === 'accepted' ? [id] : []))
    expect([world.settled.length, happened]).toEqual([20, ['3']])
    expect(world.asked.filter(({ type }) => type === 'orderStatus')).toHaveLength(39)
  })

  test('an open order with the id that is older than the action is another one', async () => {
    const world = new Crowded()
    world.nowMs = orderJson.timestamp - startMs + 60_000
    for (let nth = 0; nth < 20; nth += 1) world.open.add(nameOf('e', nth))
    ladderOf(20).forEach((action, nth) => {
      world.track(`${nth}`, action)
    })
    await world.pass(60_000)
    expect(world.settled.map(([, outcome]) => outcome)).toEqual(
      Array.from({ length: 20 }, () => 'refused'),
    )
  })

  test('on a builder dex, which the list lacks, are asked about one by one', async () => {
    const world = new Crowded()
    ladderOf(20, builderDexAsset).forEach((action, nth) => {
      world.track(`${nth}`, action)
    })
    await world.pass(1_000)
    expect(new Set(world.asked.map(({ type }) => type))).toEqual(new Set(['orderStatus']))
  })

  test('a start finds those that rest by one list, and asks about each of the others', async () => {
    const world = new Crowded()
    for (let nth = 0; nth < 18; nth += 1) world.open.add(nameOf('e', nth))
    world.filled.add(nameOf('5', 18))
    world.recover(ladderOf(20), lifeMs + 60_000)
    await world.pass(1)
    expect(world.recorded.map(({ outcome }) => outcome)).toEqual([
      ...Array.from({ length: 19 }, () => 'happened'),
      'did_not_happen',
    ])
    expect(world.weight).toBe(20 + 4 * 2)
  })
})

describe('a start that finds the cancels of a thousand orders without an outcome', () => {
  test('asks one list', async () => {
    const world = new Crowded()
    world.recover(cancelsOf(25, 40), 1_000)
    await world.pass(1)
    expect(world.recorded.map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: 25 }, () => 'happened'),
    )
    expect(world.weight).toBe(20)
  })

  test('takes what is still open for refused by a list that was asked for after its time', async () => {
    const world = new Crowded()
    world.open = new Set([7, 90, 555])
    world.recover(cancelsOf(25, 40), 1_000)
    await world.pass(10_000)
    expect(world.recorded).toEqual([])
    await world.pass(8_001)
    const refused = world.recorded.flatMap(({ of, outcome }) =>
      outcome === 'did_not_happen' ? [of] : [],
    )
    expect([world.recorded.length, refused]).toEqual([25, [0, 2, 13]])
    expect(world.asked.some(({ at }) => at > lifeMs)).toBe(true)
    expect(world.weight).toBeLessThanOrEqual(3 * 20)
  })
})
