import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import { millis } from '../values/millis.ts'
import { openOrder } from './account.fixture.ts'
import { SpotHoldings } from './spotHoldings.ts'

const token = 2
const startMs = 1_790_000_000_000
const at = (ms: number) => millis(startMs + ms)

/** A venue that holds for each sell, told of by messages that may be late, and Guard's view of it. */
class Market {
  readonly spot = new SpotHoldings()
  private hold = 0
  private sells = 0

  constructor() {
    this.tell(0, 0, 'read')
  }

  /** A sell of so many is decided on; it arrives and is answered when it is told so. */
  decide(size: number, ms: number) {
    const id = `${(this.sells += 1)}:0`
    const item = { kind: 'spot_sell', index: 0, token, size: Decimal.whole(size) } as const
    this.spot.reserve(id, [item], at(ms))
    return {
      arrives: () => {
        this.hold += size
      },
      answered: (later: number) => {
        this.spot.settle(id, { outcome: 'accepted' }, at(later), null)
      },
      unknown: (later: number) => {
        this.spot.settle(id, { outcome: 'unknown' }, at(later), null)
      },
    }
  }

  /** The balances as they are now; the message comes when it is called. */
  taken(fromMs: number, source: 'stream' | 'read') {
    const balance = { total: Decimal.whole(100), hold: Decimal.whole(this.hold) }
    const spot = {
      usdcTotal: Decimal.zero,
      usdcHold: Decimal.zero,
      tokens: new Map([[token, balance]]),
    }
    return (ms: number) => {
      const asked = source === 'read' ? { askedAt: at(fromMs) } : {}
      this.spot.told({ kind: 'spot', spot, source, ...asked, at: at(ms) })
    }
  }

  tell(fromMs: number, ms: number, source: 'stream' | 'read'): void {
    this.taken(fromMs, source)(ms)
  }

  get free(): string {
    return this.spot.free(token).toString()
  }
  get mayHaveMore(): boolean {
    return this.spot.mayHaveMore(token)
  }
}

test('a sell counts once, whenever the stream shows it', () => {
  const market = new Market()
  const sell = market.decide(8, 100)
  expect(market.free).toBe('92')
  sell.arrives()
  // The stream may be faster than the answer.
  market.tell(150, 150, 'stream')
  expect(market.free).toBe('92')
  sell.answered(200)
  market.tell(300, 300, 'stream')
  expect(market.free).toBe('92')
  market.tell(2_200, 2_200, 'stream')
  expect([market.free, market.mayHaveMore]).toEqual(['92', false])
})

test('a frame from before it that comes late does not give it back', () => {
  const market = new Market()
  const late = market.taken(50, 'stream')
  const sell = market.decide(8, 100)
  sell.arrives()
  sell.answered(200)
  market.tell(250, 300, 'read')
  expect(market.free).toBe('92')
  const next = market.decide(10, 400)
  late(500)
  expect(market.free).toBe('82')
  next.arrives()
  next.answered(600)
  market.tell(600, 700, 'read')
  expect(market.free).toBe('82')
})

test('nor does a message from before it, once a read has shown it', () => {
  for (const source of ['stream', 'read'] as const) {
    const market = new Market()
    const late = market.taken(50, source)
    const sell = market.decide(8, 100)
    sell.arrives()
    sell.answered(200)
    market.tell(250, 300, 'read')
    late(400)
    expect([market.free, market.mayHaveMore]).toEqual(['92', true])
    market.tell(2_200, 2_200, 'stream')
    expect([market.free, market.mayHaveMore]).toEqual(['92', false])
  }
})

test('a read that was asked before the answer proves nothing, one asked after it does', () => {
  const market = new Market()
  const sell = market.decide(8, 100)
  const early = market.taken(150, 'read')
  sell.arrives()
  sell.answered(200)
  early(300)
  expect([market.free, market.mayHaveMore]).toEqual(['92', true])
  market.tell(200, 400, 'read')
  expect([market.free, market.mayHaveMore]).toEqual(['92', false])
})

test('what was cancelled beside a sell is free again by a read that is newer than the answer', () => {
  const market = new Market()
  const old = market.decide(50, 0)
  old.arrives()
  old.answered(10)
  market.tell(3_000, 3_000, 'stream')
  const sell = market.decide(8, 3_100)
  sell.arrives()
  sell.answered(3_200)
  expect(market.free).toBe('42')
  const cancelled = market.decide(-50, 3_300)
  cancelled.arrives()
  cancelled.answered(3_400)
  market.tell(3_500, 3_600, 'read')
  expect(market.free).toBe('92')
})

test('balances that are passed over for too long are taken, and may count a sell twice', () => {
  const market = new Market()
  const lost = market.decide(8, 100)
  lost.arrives()
  lost.unknown(200)
  market.tell(limits.spotKeptMs - 1, limits.spotKeptMs - 1, 'stream')
  expect([market.free, market.mayHaveMore]).toEqual(['92', true])
  market.tell(limits.spotKeptMs, limits.spotKeptMs, 'stream')
  expect([market.free, market.mayHaveMore]).toEqual(['84', false])
  market.tell(62_100, 62_100, 'stream')
  expect(market.free).toBe('92')
})

test('of another token nothing is known', () => {
  const market = new Market()
  market.decide(8, 0).answered(10)
  expect(market.spot.free(3).toString()).toBe('0')
  expect(market.spot.mayHaveMore(3)).toBe(false)
})

test('at every moment each sell counts exactly once', () => {
  const delay = fc.integer({ min: 1, max: 900 })
  const sell = fc.record({
    kind: fc.constant('sell' as const),
    wait: delay,
    out: delay,
    back: delay,
  })
  const source = fc.constantFrom('stream' as const, 'read' as const)
  const look = fc.record({ kind: fc.constant('look' as const), wait: delay, late: delay, source })
  fc.assert(
    fc.property(fc.array(fc.oneof(sell, look), { maxLength: 24 }), (steps) => {
      const market = new Market()
      const due: { readonly ms: number; readonly run: () => void }[] = []
      let startedMs = 0
      let left = 100
      for (const step of steps) {
        startedMs += step.wait
        const ms = startedMs
        if (step.kind === 'look') {
          const message: { come?: (ms: number) => void } = {}
          due.push(
            { ms, run: () => (message.come = market.taken(ms, step.source)) },
            { ms: ms + step.late, run: () => message.come?.(ms + step.late) },
          )
          continue
        }
        const sold: { one?: ReturnType<Market['decide']> } = {}
        const answeredMs = ms + step.out + step.back
        due.push(
          {
            ms,
            run: () => {
              sold.one = market.decide(1, ms)
              left -= 1
            },
          },
          { ms: ms + step.out, run: () => sold.one?.arrives() },
          { ms: answeredMs, run: () => sold.one?.answered(answeredMs) },
        )
      }
      const lastMs = Math.max(0, ...due.map(({ ms }) => ms))
      fc.pre(lastMs < limits.spotKeptMs)
      for (const { run } of due.sort((one, other) => one.ms - other.ms)) {
        run()
        expect(market.free).toBe(String(left))
      }
    }),
    { numRuns: 1_000 },
  )
})

test('an order on a spot pair is known until the list of the main dex is without it', () => {
  const holdings = new SpotHoldings()
  const sell = openOrder({ coin: '@107', oid: 7, isBuy: false, price: '31', size: '4' })
  const told = (more: object) =>
    holdings.told({ kind: 'orders', orders: [], source: 'stream', at: at(1), ...more })
  told({ spot: [sell] })
  told({ dex: 'xyz' })
  expect(holdings.order({ oid: 7 })).toBe(sell)
  told({})
  expect(holdings.order({ oid: 7 })).toBeNull()
})
