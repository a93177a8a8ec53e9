import { expect, test } from 'vitest'
import type { Json } from '../../core/protocol/action.ts'
import { err, ok } from '../../core/values/result.ts'
import type { Urgency } from '../ports.ts'
import { LookupShare } from './lookupShare.ts'

const single = { type: 'orderStatus', oid: 1 }
const list = { type: 'historicalOrders' }

/** A venue that answers every question, and a budget with room but for what is held. */
class Asking {
  nowMs = 0
  limit = 1_200
  rows = 0
  heldMs = 0
  /** What the budget has left to a lane: less than is to be left beside what is not shared out. */
  left = 299
  hasWeight = true
  readonly asked: Urgency[] = []
  readonly #share = new LookupShare({
    venue: {
      info: (request, lane) => {
        if (!this.hasWeight) {
          return Promise.resolve(err({ kind: 'no_weight', text: 'spent', retryMs: 1 }))
        }
        this.asked.push(lane)
        const isList = (request as { type: string }).type === 'historicalOrders'
        const body = isList ? Array.from({ length: this.rows }, () => null) : null
        return Promise.resolve(ok({ status: 200, body }))
      },
    },
    clock: { monotonicMs: () => this.nowMs },
    budget: {
      limit: 1_200,
      roomInMs: (_, weight) => Math.max(this.heldMs, weight > this.left ? 1 : 0),
    },
  })

  /** How many questions of a lane are asked before one is not; and when that may be asked again. */
  async until(request: Json, lane: Urgency): Promise<readonly [asked: number, retryMs: number]> {
    for (let count = 0; count < 10_000; count += 1) {
      const answer = await this.#share.info(request, lane)
      if (!answer.ok && answer.error.kind === 'no_weight') return [count, answer.error.retryMs]
    }
    return [Infinity, 0]
  }
}

test('a lane asks with a fifth of the minute’s weight, and again as that is a minute ago', async () => {
  const asking = new Asking()
  asking.nowMs = 5_000
  expect(await asking.until(single, 'entry')).toEqual([120, 60_000])
  asking.nowMs += 59_999
  expect(await asking.until(single, 'entry')).toEqual([0, 1])
  expect(await asking.until(single, 'watch')).toEqual([120, 60_000])
  asking.nowMs += 1
  expect(await asking.until(single, 'entry')).toEqual([120, 60_000])
})

test('a list counts at its dearest until it is answered, and then with its rows', async () => {
  const asking = new Asking()
  expect(await asking.until(list, 'entry')).toEqual([7, 60_000])
  asking.nowMs += 60_000
  asking.rows = 2_000
  expect(await asking.until(list, 'entry')).toEqual([2, 60_000])
})

test('of what is kept for stops a twentieth; then with the weight for looks', async () => {
  const asking = new Asking()
  await asking.until(single, 'safety')
  expect(asking.asked.filter((lane) => lane === 'safety')).toHaveLength(30)
  expect(asking.asked.filter((lane) => lane === 'watch')).toHaveLength(120)
})

test('what the budget has no room for is not asked, but for stops', async () => {
  const asking = new Asking()
  asking.heldMs = 700
  expect(await asking.until(single, 'entry')).toEqual([0, 700])
  expect(await asking.until(single, 'safety')).toEqual([30, 700])
})

test('what was not asked for want of weight costs nothing of the share', async () => {
  const asking = new Asking()
  asking.hasWeight = false
  for (let nth = 0; nth < 200; nth += 1) await asking.until(single, 'entry')
  asking.hasWeight = true
  expect(await asking.until(single, 'entry')).toEqual([120, 60_000])
})

test('while a quarter of the minute is left beside, nothing is shared out, but what is kept for stops', async () => {
  const asking = new Asking()
  asking.left = 302
  expect(await asking.until(single, 'entry')).toEqual([Infinity, 0])
  await asking.until(single, 'safety')
  expect(asking.asked.filter((lane) => lane === 'safety')).toHaveLength(30)
  asking.nowMs += 60_000
  asking.left = 301
  expect(await asking.until(single, 'entry')).toEqual([120, 60_000])
})
