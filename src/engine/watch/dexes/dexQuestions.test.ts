import { expect, test } from 'vitest'
import type { ClearinghouseState, OpenOrder } from '../../../core/protocol/venueState.ts'
import { coin } from '../../../core/values/coin.ts'
import type { Coin } from '../../../core/values/coin.ts'
import { millis } from '../../../core/values/millis.ts'
import { err, ok } from '../../../core/values/result.ts'
import { DexQuestions } from './dexQuestions.ts'
import { OrderLists } from './orderLists.ts'

const tesla = coin('xyz:TSLA')

/** What is asked about the dex xyz, on which nothing was ever told. */
class Quiet {
  nowMs = 1_000_000
  readonly unfollowed: string[] = []
  doubtful = new Set<Coin>()
  unlisted = new Set<Coin>()
  orders: readonly Pick<OpenOrder, 'isReduceOnly'>[] = []
  readonly asked: string[] = []
  /** Those whose orders nobody has listed since the start. */
  readonly notListed: string[] = []
  readonly lists = new OrderLists()
  areReadsAnswered = true
  isGone = false
  /** How many lists there is request weight for. */
  paid = Infinity
  /** When the orders were listed last; null: just now. */
  listedAt: number | null = null
  readonly inUse: string[] = []
  readonly letGo: string[] = []
  readonly account = {
    stream: 'live' as 'live' | 'down',
    ...{ positions: new Map(), builderMarket: () => null },
    dexOrdersAt: () => millis(this.listedAt ?? this.nowMs),
    doubtfulCoins: () => this.doubtful,
    unlistedCoins: () => this.unlisted,
    coinsWithOrders: () => (this.orders.length > 0 ? [tesla] : []),
    ordersOf: () => this.orders as readonly OpenOrder[],
  }
  readonly questions = new DexQuestions({
    clock: { now: () => millis(this.nowMs), monotonicMs: () => this.nowMs },
    account: this.account,
    dexes: {
      ...{ named: [], inUse: this.inUse, unfollowed: this.unfollowed, isGone: () => this.isGone },
      ...{ lists: this.lists, unlisted: this.notListed },
      letGo: (dex) => {
        this.letGo.push(dex)
      },
    },
    budget: { roomInMs: () => (this.paid > 0 ? 0 : 20_000) },
    reads: {
      orders: (_, dex = '') => {
        this.asked.push(dex)
        this.paid -= 1
        return Promise.resolve(this.areReadsAnswered ? ok(null) : err('lost'))
      },
      capped: () => Promise.resolve(ok(null)),
      mids: () => Promise.resolve(ok(null)),
      dexPrices: () => Promise.resolve(ok(null)),
    },
  })

  after(ms: number): void {
    this.nowMs += ms
    this.questions.tick(millis(this.nowMs))
  }
}

test.each(['live', 'down'] as const)(
  'an entry of which nothing was told is asked about on any dex, the stream %s',
  (stream) => {
    const quiet = new Quiet()
    quiet.account.stream = stream
    quiet.after(0)
    expect(quiet.asked).toEqual([])
    quiet.doubtful = new Set([coin('ETH'), tesla])
    quiet.after(1_000)
    quiet.after(1_000)
    expect(quiet.asked).toEqual(['xyz'])
    quiet.after(6_000)
    expect(quiet.asked).toEqual(['xyz', 'xyz'])
  },
)

test('what was on its way to a dex that is no more is let go of, and nobody is asked', () => {
  const quiet = new Quiet()
  quiet.after(0)
  quiet.isGone = true
  quiet.unlisted = new Set([tesla])
  quiet.after(1_000)
  quiet.after(1_000)
  quiet.after(6_000)
  expect([quiet.asked, quiet.letGo]).toEqual([[], ['xyz', 'xyz']])
})

test('an exit of which no list has come since is asked about', () => {
  const quiet = new Quiet()
  quiet.unlisted = new Set([coin('ETH'), tesla])
  quiet.after(1_000)
  expect(quiet.asked).toEqual(['xyz'])
  quiet.unlisted = new Set()
  quiet.after(20_000)
  expect(quiet.asked).toEqual(['xyz'])
})

test('orders that can reduce nothing are asked about once they have stood for a while', () => {
  const quiet = new Quiet()
  quiet.orders = [{ isReduceOnly: true }, { isReduceOnly: false }]
  quiet.after(0)
  quiet.after(20_000)
  expect(quiet.asked).toEqual([])
  quiet.orders = [{ isReduceOnly: true }]
  quiet.after(0)
  quiet.after(2_000)
  expect(quiet.asked).toEqual([])
  quiet.after(8_000)
  expect(quiet.asked).toEqual(['xyz'])
  quiet.after(10_000)
  expect(quiet.asked).toEqual(['xyz'])
  quiet.orders = []
  quiet.after(20_000)
  expect(quiet.asked).toEqual(['xyz'])
})

test('dexes that the stream has no room for are asked about in turn, one a minute', () => {
  const quiet = new Quiet()
  quiet.unfollowed.push('dq', 'dr')
  for (let minute = 0; minute <= 4; minute += 1) quiet.after(60_000)
  expect(quiet.asked).toEqual(['dq', 'dr', 'dq', 'dr'])
})

test('orders that a stream which came back does not list are read', () => {
  const quiet = new Quiet()
  quiet.inUse.push('xyz')
  quiet.after(0)
  quiet.listedAt = quiet.nowMs
  quiet.account.stream = 'down'
  quiet.after(1_000)
  quiet.account.stream = 'live'
  quiet.after(500)
  quiet.after(1_900)
  expect(quiet.asked).toEqual([])
  quiet.after(100)
  expect(quiet.asked).toEqual(['xyz'])
  quiet.listedAt = quiet.nowMs
  quiet.after(6_000)
  expect(quiet.asked).toEqual(['xyz'])
})

test('orders that nobody has listed since the start are read at once, and every 3 s until they are', async () => {
  const quiet = new Quiet()
  quiet.lists.restore(quiet.nowMs)
  const state = { time: millis(quiet.nowMs) } as ClearinghouseState
  const at = millis(quiet.nowMs)
  quiet.lists.told({ kind: 'dex_states', states: new Map([['xyz', state]]), source: 'stream', at })
  quiet.lists.told({ kind: 'orders', orders: [], dex: 'xyz', source: 'stream', at })
  quiet.notListed.push('xyz')
  quiet.areReadsAnswered = false
  quiet.after(1_000)
  quiet.after(1_000)
  expect(quiet.asked).toEqual(['xyz'])
  // Who opens meanwhile waits for that answer, and asks for no other.
  expect(quiet.lists.has('xyz')).toBe(false)
  await quiet.questions.freshen([coin('ETH')], millis(quiet.nowMs))
  expect(quiet.asked).toEqual(['xyz'])
  // The stream's list counts, since it cannot be read.
  expect(quiet.lists.has('xyz')).toBe(true)
  expect(quiet.questions.freshen([coin('ETH')], millis(quiet.nowMs))).toBeNull()
  quiet.after(2_000)
  expect(quiet.asked).toEqual(['xyz', 'xyz'])
})

test('an entry has the orders read that nobody has listed since the start, and waits for them', () => {
  const quiet = new Quiet()
  quiet.notListed.push('xyz')
  expect(quiet.questions.freshen([coin('ETH')], millis(quiet.nowMs))).not.toBeNull()
  expect(quiet.asked).toEqual(['xyz'])
})

test('what the stream cannot list is asked for first, and as soon as there is weight for it', () => {
  const quiet = new Quiet()
  quiet.notListed.push('abc', 'xyz', 'hyn')
  quiet.unfollowed.push('xyz', 'hyn')
  quiet.paid = 1
  quiet.after(0)
  expect(quiet.asked).toEqual(['xyz'])
  quiet.paid = 2
  quiet.after(1_000)
  expect(quiet.asked).toEqual(['xyz', 'hyn', 'abc'])
})
