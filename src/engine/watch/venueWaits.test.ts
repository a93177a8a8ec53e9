import { describe, expect, test } from 'vitest'
import { Decimal } from '../../core/values/decimal.ts'
import { limits } from '../../core/values/limits.ts'
import { VenueWaits } from './venueWaits.ts'

/** Orders that were cancelled, and whose ends are told when a test says so, in time that is moved. */
class Cancelled {
  nowMs = 0
  readonly asked: (readonly [oid: number, at: number])[] = []
  readonly ended = new Set<number>()
  readonly ends: VenueWaits
  private tasks: { readonly at: number; readonly run: () => void }[] = []

  constructor() {
    this.ends = new VenueWaits({
      timers: {
        after: (ms, run) => {
          const task = { at: this.nowMs + ms, run }
          this.tasks.push(task)
          return () => (this.tasks = this.tasks.filter((each) => each !== task))
        },
        every: () => () => undefined,
      },
      account: { fillingOf: (oid) => ({ filled: Decimal.zero, isFinal: this.ended.has(oid) }) },
      ends: {
        ask: (oids) => {
          for (const oid of oids) this.asked.push([oid, this.nowMs])
        },
      },
    })
  }

  get timersLeft(): number {
    return this.tasks.length
  }

  /** The time at which the wait for these orders was over; null while it is not. */
  wait(...oids: readonly number[]): { at: number | null } {
    const over: { at: number | null } = { at: null }
    this.ends.untilEnded(oids).then(
      () => (over.at = this.nowMs),
      () => undefined,
    )
    return over
  }

  async to(ms: number): Promise<void> {
    for (;;) {
      const [next] = [...this.tasks].sort((one, other) => one.at - other.at)
      if (next === undefined || next.at > ms) break
      this.nowMs = next.at
      this.tasks = this.tasks.filter((each) => each !== next)
      next.run()
      await Promise.resolve()
    }
    this.nowMs = ms
    await Promise.resolve()
  }

  tell(oid: number): void {
    this.ended.add(oid)
    this.ends.lookAgain()
  }
}

describe('the wait for the told ends of cancelled orders', () => {
  test('is over as soon as all are told, and asks nothing by then', async () => {
    const orders = new Cancelled()
    const over = orders.wait(50, 51)
    await orders.to(20)
    orders.tell(50)
    await orders.to(30)
    expect(over.at).toBeNull()
    orders.tell(51)
    await orders.to(30)
    expect(over.at).toBe(30)
    await orders.to(5_000)
    expect([orders.asked, orders.timersLeft]).toEqual([[], 0])
  })

  test('asks for those that are not told, again and again, and ends', async () => {
    const orders = new Cancelled()
    const over = orders.wait(50, 51)
    orders.tell(51)
    await orders.to(400)
    expect(orders.asked).toEqual([
      [50, 100],
      [50, 350],
    ])
    await orders.to(10_000)
    expect(over.at).toBe(limits.endToldMsMax)
    expect(orders.timersLeft).toBe(0)
    const { length } = orders.asked
    orders.tell(50)
    await orders.to(20_000)
    expect(orders.asked).toHaveLength(length)
  })
})
