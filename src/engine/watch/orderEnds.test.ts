import { describe, expect, test } from 'vitest'
import type { Json } from '../../core/protocol/action.ts'
import { orderJson } from '../../core/protocol/venue.fixture.ts'
import { address } from '../../core/values/address.ts'
import { millis } from '../../core/values/millis.ts'
import { err, ok } from '../../core/values/result.ts'
import type { VenueHttp } from '../ports.ts'
import { OrderEnds } from './orderEnds.ts'

/** A venue at which orders have ended, in time that is moved. */
class Ended {
  nowMs = 0
  readonly status = new Map<number, string>()
  isListPaid = true
  readonly asked: (readonly [what: string | number, at: number])[] = []
  readonly told: number[] = []
  readonly ends: OrderEnds
  #tasks: { readonly at: number; readonly run: () => void }[] = []

  constructor() {
    this.ends = new OrderEnds({
      clock: { now: () => millis(this.nowMs), monotonicMs: () => this.nowMs },
      timers: {
        after: (ms, run) => {
          this.#tasks.push({ at: this.nowMs + ms, run })
          return () => undefined
        },
      },
      venue: { info: this.info },
      account: address(`0x${'a'.repeat(40)}`),
      deliver: (event) => {
        if (event.kind !== 'order_updates') return
        this.told.push(...event.updates.map(({ oid }) => oid))
      },
    })
  }

  async pass(ms: number): Promise<void> {
    const end = this.nowMs + ms
    for (;;) {
      await new Promise<void>((resolve) => setImmediate(resolve))
      const [next] = [...this.#tasks].sort((one, other) => one.at - other.at)
      if (next === undefined || next.at > end) break
      this.nowMs = next.at
      this.#tasks = this.#tasks.filter((each) => each !== next)
      next.run()
    }
    this.nowMs = end
  }

  readonly info: VenueHttp['info'] = (request) => {
    const { type, oid } = request as { readonly type: string; readonly oid?: number }
    this.asked.push([oid ?? type, this.nowMs])
    const row = (name: number, status: string): Json => ({
      order: { ...orderJson, oid: name },
      ...{ status, statusTimestamp: 1 },
    })
    if (oid === undefined) {
      if (!this.isListPaid) {
        return Promise.resolve(err({ kind: 'no_weight', text: 'spent', retryMs: 1 }))
      }
      const rows = [...this.status].flatMap(([name, word]) => [row(name, word), row(name, 'open')])
      return Promise.resolve(ok({ status: 200, body: rows }))
    }
    const word = this.status.get(oid)
    const body =
      word === undefined ? { status: 'unknownOid' } : { status: 'order', order: row(oid, word) }
    return Promise.resolve(ok({ status: 200, body }))
  }
}

const upTo = (count: number): number[] => Array.from({ length: count }, (_, nth) => nth + 1)

describe('how orders ended', () => {
  test('is asked once for all who wait for it', async () => {
    const world = new Ended()
    for (const oid of upTo(29)) world.status.set(oid, 'canceled')
    for (let waiting = 0; waiting < 29; waiting += 1) world.ends.ask(upTo(29))
    await world.pass(20)
    expect(world.asked).toHaveLength(29)
    expect(world.told).toEqual(upTo(29))
  })

  test('is asked again after a pause that grows, and not told while the order is open', async () => {
    const world = new Ended()
    world.status.set(1, 'open')
    while (world.nowMs < 3_000) {
      world.ends.ask([1])
      await world.pass(50)
    }
    expect(world.asked.map(([, at]) => at)).toEqual([5, 255, 755, 1_755])
    expect(world.told).toEqual([])
    await world.pass(60_000)
    world.status.set(1, 'filled')
    world.ends.ask([2])
    await world.pass(10)
    world.ends.ask([1])
    await world.pass(10)
    expect(world.told).toEqual([1])
  })

  test('of many is asked by one list', async () => {
    const world = new Ended()
    for (const oid of upTo(99)) world.status.set(oid, oid === 50 ? 'open' : 'canceled')
    world.ends.ask(upTo(40))
    world.ends.ask(upTo(99))
    await world.pass(20)
    expect(world.asked).toEqual([['historicalOrders', 5]])
    expect(world.told).toEqual(upTo(99).filter((oid) => oid !== 50))
  })

  test('of many is asked about each where the list cannot be had', async () => {
    const world = new Ended()
    world.isListPaid = false
    for (const oid of upTo(61)) world.status.set(oid, 'canceled')
    world.ends.ask(upTo(61))
    await world.pass(20)
    expect(world.told).toEqual(upTo(61))
  })
})
