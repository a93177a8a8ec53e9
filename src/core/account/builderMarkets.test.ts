import { describe, expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import { Account } from './account.ts'
import { dexMarket } from './builders.fixture.ts'

const tesla = coin('xyz:TSLA')
const hood = coin('xyz:HOOD')
const at = (ms: number) => millis(1_700_000_000_000 + ms)
const context = (mark: string, oracle: string, mid: string | null) => ({
  mark: Decimal.of(mark),
  oracle: Decimal.of(oracle),
  mid: mid === null ? null : Decimal.of(mid),
})

test('a perp of a builder dex is as it was last told, with the age of that', () => {
  const account = new Account()
  expect(account.builderMarket(tesla)).toBeNull()
  const contexts = new Map([
    [tesla, context('400', '401', '400.5')],
    [hood, context('100', '100', null)],
  ])
  account.apply({ kind: 'contexts', contexts, at: at(0) })
  expect(account.builderMarket(tesla)).toMatchObject({ at: at(0), hasMid: true, isAtCap: false })
  expect(account.mark(tesla)?.toString()).toBe('400')
  expect(account.mid(tesla)).toEqual({ price: Decimal.of('400.5'), at: at(0) })
  expect(account.builderMarket(hood)).toMatchObject({ hasMid: false })
  expect(account.mid(hood)).toBeNull()
  account.apply({ kind: 'contexts', contexts, at: at(3_000) })
  expect(account.builderMarket(tesla)?.at).toBe(at(3_000))
  account.clockStepped(-1_000)
  expect(account.builderMarket(tesla)?.at).toBe(at(2_000))
})

test('prices that a read answers show no life, unless the oracle has moved since', () => {
  const account = new Account()
  const told = (oracle: string, ms: number, areLastMade?: boolean) => {
    const contexts = new Map([[tesla, context(String(400 + ms), oracle, '400')]])
    account.apply({ kind: 'contexts', contexts, ...(areLastMade && { areLastMade }), at: at(ms) })
    return account.builderMarket(tesla)
  }
  expect(told('401', 0, true)).toMatchObject({ at: null, seenAt: at(0) })
  account.clockStepped(-1)
  expect(account.builderMarket(tesla)).toMatchObject({ at: null, seenAt: at(-1) })
  // It was alive at some moment since it was last seen.
  expect(told('402', 10, true)).toMatchObject({ at: at(-1), seenAt: at(10) })
  // The mark moves with the book alone.
  expect(told('402', 20, true)).toMatchObject({ at: at(-1), seenAt: at(20) })
  expect(told('402', 30)).toMatchObject({ at: at(30), seenAt: at(30) })
  expect(told('402', 40, true)).toMatchObject({ at: at(30), seenAt: at(40) })
})

describe('oracle prices of a dex that move all the time', () => {
  const telling = () => {
    const account = new Account()
    let moves = 0
    const told = (ms: number, hasMoved: boolean) => {
      if (hasMoved) moves += 1
      const contexts = new Map([
        [tesla, context('400', '400', '400')],
        [hood, context('100', String(100 + moves), '100')],
      ])
      account.apply({ kind: 'contexts', contexts, at: at(ms) })
      return account.builderMarket(tesla)?.stillSince
    }
    return { account, told }
  }
  /** One look, and then so many posts that far apart; the last one is at the time that is told. */
  const posted = (count: number, everyMs: number) => {
    const { account, told } = telling()
    told(0, false)
    for (let post = 1; post <= count; post += 1) told(post * everyMs, true)
    return { account, told, last: count * everyMs }
  }

  test('and then stand still, all of them, are noticed by any coin', () => {
    const { account, told, last } = posted(20, 3_000)
    expect(account.builderMarket(tesla)?.stillSince).toBe(at(last))
    expect(account.builderMarket(hood)?.stillSince).toBe(at(last))
    expect(told(last + 60_000, false)).toBe(at(last))
    account.clockStepped(-1_000)
    expect(account.builderMarket(tesla)?.stillSince).toBe(at(last - 1_000))
    expect(account.builderMarket(tesla)?.at).toBe(at(last + 59_000))
    // One that moves again has a new habit to show.
    expect(told(last + 63_000, true)).toBeUndefined()
  })

  test('are those that moved in twenty posts, none of them late', () => {
    expect(posted(19, 3_000).told(60_000, false)).toBeUndefined()
    expect(posted(20, 30_000).told(700_000, false)).toBe(at(600_000))
    expect(posted(100, 30_001).told(9_000_000, false)).toBeUndefined()
    // What moves within two seconds is one post.
    expect(posted(30, 1_000).told(31_000, false)).toBeUndefined()
    expect(posted(40, 1_000).told(41_000, false)).toBe(at(40_000))
  })
})

test('caps are those of the last list, and a halt ends where a price is made again', () => {
  const account = new Account()
  const told = (mid: string | null, ms: number) => {
    const contexts = new Map([[tesla, context('400', '400', mid)]])
    account.apply({ kind: 'contexts', contexts, at: at(ms) })
  }
  told('400', 0)
  account.apply({ kind: 'capped', dex: 'xyz', coins: [tesla], at: at(1) })
  account.apply({ kind: 'halted', coin: tesla, at: at(1) })
  expect(account.builderMarket(tesla)).toMatchObject({ isAtCap: true, isHalted: true })
  account.apply({ kind: 'capped', dex: 'xyz', coins: [], at: at(2) })
  told(null, 2)
  expect(account.builderMarket(tesla)).toMatchObject({ isAtCap: false, isHalted: true })
  told('400', 3)
  expect(account.builderMarket(tesla)?.isHalted).toBe(false)
})

describe('the cap of a coin', () => {
  const cap = Decimal.of('4000')
  const tesla10 = dexMarket('xyz:TSLA', 110_000, { builder: { openInterestCap: cap } })
  const markets = { byAsset: new Map([[110_000, tesla10]]), byCoin: new Map([[tesla, tesla10]]) }
  const capped = () => {
    const account = new Account()
    account.apply({ kind: 'markets', markets, at: at(0) })
    const told = (openInterest: string, ms: number) => {
      const context10 = { ...context('400', '400', '400'), openInterest: Decimal.of(openInterest) }
      account.apply({ kind: 'contexts', contexts: new Map([[tesla, context10]]), at: at(ms) })
    }
    const listed = (ms: number, ...coins: (typeof tesla)[]) => {
      account.apply({ kind: 'capped', dex: 'xyz', coins, at: at(ms) })
    }
    return { account, told, listed, isAtCap: () => account.builderMarket(tesla)?.isAtCap }
  }

  test('is reached in the moment that what all hold is worth it', () => {
    const { told, listed, isAtCap } = capped()
    listed(0)
    told('9.9', 1)
    expect(isAtCap()).toBe(false)
    told('10', 2)
    expect(isAtCap()).toBe(true)
    told('9.9', 3)
    expect(isAtCap()).toBe(false)
  })

  test('is not reached where nobody knows it, or what all hold', () => {
    const { account, told, isAtCap } = capped()
    const contexts = new Map([[tesla, context('400', '400', '400')]])
    account.apply({ kind: 'contexts', contexts, at: at(1) })
    expect(isAtCap()).toBe(false)
    const uncapped = dexMarket('xyz:TSLA', 110_000)
    const byCoin = new Map([[tesla, uncapped]])
    account.apply({ kind: 'markets', markets: { ...markets, byCoin }, at: at(2) })
    told('1000000', 3)
    expect(isAtCap()).toBe(false)
  })

  test('is what the venue lists, where it does so after what all hold was worth it', () => {
    const { account, told, listed, isAtCap } = capped()
    told('10', 2)
    expect(isAtCap()).toBe(true)
    listed(2)
    expect(isAtCap()).toBe(true)
    account.clockStepped(-1)
    expect(isAtCap()).toBe(true)
    listed(3)
    told('11', 4)
    expect(isAtCap()).toBe(false)
    listed(5, tesla)
    expect(isAtCap()).toBe(true)
  })

  test('is reached where an order was refused for it, until a later list lacks it', () => {
    const { account, told, listed, isAtCap } = capped()
    told('1', 1)
    listed(2)
    account.apply({ kind: 'at_cap', coin: tesla, at: at(3) })
    told('1', 4)
    account.clockStepped(-1)
    expect(isAtCap()).toBe(true)
    listed(5)
    expect(isAtCap()).toBe(false)
  })
})

test('of a book counts what stands between two prices, at them too', () => {
  const account = new Account()
  const levels = (prices: readonly string[]) =>
    prices.map((price) => ({ price: Decimal.of(price), size: Decimal.of('2') }))
  const book = { bids: levels(['99', '98', '97']), asks: levels(['101', '102', '103']) }
  expect(account.bookWithin(tesla, Decimal.of('98'), Decimal.of('102'))).toBeNull()
  account.apply({ kind: 'book', coin: tesla, ...book, at: at(3) })
  const depth = account.bookWithin(tesla, Decimal.of('98'), Decimal.of('102'))
  expect([depth?.bids.toString(), depth?.asks.toString(), depth?.at]).toEqual(['4', '4', at(3)])
})

test('what nobody knows of a builder dex may lose all that it is worth beyond its stop', () => {
  const account = new Account()
  expect(account.stopGap(tesla)?.toString()).toBe('1')
  expect(account.stopGap(coin('ETH'))).toBeNull()
})
