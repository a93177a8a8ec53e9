import { describe, expect, test } from 'vitest'
import type { Action } from '../../core/protocol/action.ts'
import { infoWeight } from '../../core/protocol/requestWeight.ts'
import { botCloid, markets } from '../../core/account/account.fixture.ts'
import { address } from '../../core/values/address.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { millis } from '../../core/values/millis.ts'
import { err, ok } from '../../core/values/result.ts'
import { Alerts } from '../alerts.ts'
import type { Urgency, VenueHttp } from '../ports.ts'
import { UnknownOutcomes } from './unknownOutcomes.ts'

const user = address(`0x${'a'.repeat(40)}`)
const lifeMs = 10_000

/** Actions that got no answer, at a venue that says what leverage is set, in time that is moved. */
class Unanswered {
  nowMs = 0
  set = { type: 'isolated', value: 3 }
  isReachable = true
  readonly asked: {
    readonly type: string
    readonly coin: string
    readonly at: number
    readonly lane: Urgency
  }[] = []
  readonly settled: (readonly [string, string, number])[] = []
  readonly alerts = new Alerts()
  private readonly unknowns: UnknownOutcomes
  private tasks: { readonly at: number; readonly run: () => void }[] = []

  constructor() {
    const info: VenueHttp['info'] = (request, lane) => {
      const { type, coin } = request as { readonly type: string; readonly coin: string }
      this.asked.push({ type, coin, at: this.nowMs, lane })
      if (!this.isReachable) return Promise.resolve(err({ kind: 'unreachable', text: 'lost' }))
      return Promise.resolve(ok({ status: 200, body: { coin, leverage: this.set } }))
    }
    this.unknowns = new UnknownOutcomes({
      ...{ venue: { info }, account: user, markets: () => markets(), alerts: this.alerts },
      clock: { now: () => millis(this.nowMs), monotonicMs: () => this.nowMs },
      timers: {
        after: (ms, run) => {
          this.tasks.push({ at: this.nowMs + ms, run })
          return () => undefined
        },
        every: () => () => undefined,
      },
      settle: (id, { outcome }) => {
        this.settled.push([id, outcome, this.nowMs])
      },
      settleOrder: (id, place, { outcome }) => {
        this.settled.push([`${id} ${place}`, outcome, this.nowMs])
      },
      isStopped: () => false,
      heard: () => undefined,
    })
  }

  track(id: string, action: Action, lane: Urgency = 'entry'): void {
    const expiresMonotonicMs = this.nowMs + lifeMs
    const steps = { say: () => undefined }
    void this.unknowns.track({
      id,
      action,
      place: null,
      at: millis(this.nowMs),
      expiresMonotonicMs,
      lane,
      steps,
    })
  }

  async pass(ms: number): Promise<void> {
    const end = this.nowMs + ms
    for (;;) {
      const [next] = [...this.tasks].sort((left, right) => left.at - right.at)
      if (next === undefined || next.at > end) break
      this.nowMs = Math.max(this.nowMs, next.at)
      this.tasks = this.tasks.filter((each) => each !== next)
      next.run()
      await new Promise<void>((resolve) => setImmediate(resolve))
    }
    this.nowMs = end
  }
}

const leverage = (asset: number, value: number): Action => {
  return { type: 'updateLeverage', asset, isCross: false, leverage: value }
}

describe('what became of an action is asked', () => {
  const cancel: Action = { type: 'cancel', cancels: [{ asset: 0, oid: 7 }] }

  test.each<[Urgency, Urgency, string]>([
    ['safety', 'watch', 'as urgently as Guard looks at the account'],
    ['exit', 'entry', 'with what is left for entries'],
    ['cancel', 'entry', 'with what is left for entries'],
    ['entry', 'entry', 'with what is left for entries'],
  ])('of %s by %s: %s', async (sentBy, asks) => {
    for (const action of [cancel, leverage(1, 3)]) {
      const world = new Unanswered()
      world.track('a', action, sentBy)
      await world.pass(300)
      expect(world.asked.map(({ lane }) => lane)).toEqual([asks])
    }
  })
})

describe('a leverage that got no answer', () => {
  test('is settled as soon as it is seen', async () => {
    const world = new Unanswered()
    world.track('a', leverage(1, 3))
    await world.pass(1_000)
    expect(world.settled).toEqual([['a', 'accepted', 250]])
    expect(world.alerts.has('unknown_outcome')).toBe(false)
  })

  test('is settled as refused only by an answer that was asked for after it had expired', async () => {
    const world = new Unanswered()
    world.track('a', leverage(1, 5))
    await world.pass(11_000)
    world.track('b', leverage(1, 6))
    await world.pass(1_000)
    expect(world.settled).toEqual([])
    expect(world.alerts.has('unknown_outcome')).toBe(true)
    await world.pass(30_000)
    expect(world.settled.map(([id, outcome]) => [id, outcome])).toEqual([
      ['a', 'refused'],
      ['b', 'refused'],
    ])
    for (const [id, , at] of world.settled) {
      const finalMs = (id === 'a' ? 0 : 11_000) + lifeMs + 2_000
      expect(at).toBeGreaterThan(finalMs)
      expect(world.asked.some((each) => each.at > finalMs && each.at <= at)).toBe(true)
    }
    expect(world.alerts.has('unknown_outcome')).toBe(false)
  })

  test('a setting made late is found by the next question', async () => {
    const world = new Unanswered()
    world.track('a', leverage(1, 5))
    await world.pass(9_000)
    world.set = { type: 'isolated', value: 5 }
    await world.pass(20_000)
    expect(world.settled.map(([id, outcome]) => [id, outcome])).toEqual([['a', 'accepted']])
  })

  test('a venue that cannot be asked settles nothing', async () => {
    const world = new Unanswered()
    world.isReachable = false
    world.track('a', leverage(1, 5))
    await world.pass(60_000)
    expect(world.settled).toEqual([])
    world.isReachable = true
    await world.pass(16_000)
    expect(world.settled.map(([id, outcome]) => [id, outcome])).toEqual([['a', 'refused']])
  })

  test('many of them cost each coin a question every eight seconds, and no more', async () => {
    const world = new Unanswered()
    for (let nth = 0; nth < 120; nth += 1) {
      world.track(`${nth}`, leverage(nth % 3, 4 + (nth % 7)))
      await world.pass(500)
    }
    await world.pass(30_000)
    expect(world.settled).toHaveLength(120)
    for (const coin of ['BTC', 'ETH', 'SOL']) {
      const times = world.asked.filter((each) => each.coin === coin).map(({ at }) => at)
      const gaps = times.slice(1).map((at, nth) => at - (times[nth] ?? 0))
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(8_000)
    }
    const spent = world.asked.filter(({ at }) => at < 60_000)
    expect(spent.reduce((sum, each) => sum + infoWeight(each), 0)).toBeLessThanOrEqual(3 * 8 * 20)
  })
})

describe('the last question about an order of Guard’s own', () => {
  const stops = (count: number): Action => ({
    ...{ type: 'order', grouping: 'na', builder: null },
    orders: Array.from({ length: count }, (_, nth) => ({
      ...{ asset: 1, isBuy: false, price: Decimal.of('2100'), size: Decimal.of('1') },
      ...{ isReduceOnly: true, cloid: botCloid(nth + 1) },
      type: { kind: 'limit', tif: 'Ioc' },
    })),
  })
  const lanesAfterExpiry = async (action: Action, lane: Urgency): Promise<readonly Urgency[]> => {
    const world = new Unanswered()
    world.isReachable = false
    world.track('7:0', action, lane)
    await world.pass(lifeMs + 30_000)
    const lanes = (isExpired: boolean): readonly Urgency[] => [
      ...new Set(
        world.asked.filter(({ at }) => at > lifeMs + 2_000 === isExpired).map((each) => each.lane),
      ),
    ]
    expect(lanes(false)).toEqual([lane === 'safety' ? 'watch' : 'entry'])
    return lanes(true)
  }

  test('has the weight for stops and closes, which nothing else can spend', async () => {
    expect(await lanesAfterExpiry(stops(1), 'safety')).toEqual(['safety'])
    expect(await lanesAfterExpiry(stops(10), 'safety')).toEqual(['safety'])
  })

  test('has not where it would cost more than the orders did, nor where a bot sent them', async () => {
    expect(await lanesAfterExpiry(stops(11), 'safety')).toEqual(['watch'])
    expect(await lanesAfterExpiry(stops(1), 'exit')).toEqual(['entry'])
  })
})
