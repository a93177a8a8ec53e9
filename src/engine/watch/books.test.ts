import { expect, test } from 'vitest'
import { dexAccount } from '../../core/account/builders.fixture.ts'
import { actionOf, limitOrder, orderAction } from '../../core/judge/judge.fixture.ts'
import type { Json } from '../../core/protocol/action.ts'
import { defaultRules } from '../../core/rules/rules.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { millis } from '../../core/values/millis.ts'
import { ok } from '../../core/values/result.ts'
import { Books } from './books.ts'

const tesla = 110_001
const entry = (asset: number): Json => orderAction([limitOrder(asset, true, '1', '400')])

function booksWith(share: string | null) {
  let nowMs = 0
  const asked: string[] = []
  const books = new Books({
    clock: { now: () => millis(1_700_000_000_000 + nowMs), monotonicMs: () => nowMs },
    account: dexAccount(),
    rulesFor: () => ({ ...defaultRules, maxBookShare: share === null ? null : Decimal.of(share) }),
    reads: {
      book: async (coin, lane) => {
        asked.push(`${coin} ${lane}`)
        return await Promise.resolve(ok(null))
      },
    },
  })
  const wanted = (json: Json): Promise<void> | null => books.wanted(actionOf(json))
  return { wanted, asked, later: (ms: number) => (nowMs += ms) }
}

test('a book is read once a second for an entry that is measured against it', async () => {
  const { wanted, asked, later } = booksWith('0.1')
  const first = wanted(entry(tesla))
  const second = wanted(entry(tesla))
  expect(first).not.toBeNull()
  expect(second).not.toBeNull()
  await Promise.all([first, second])
  expect(asked).toEqual(['xyz:TSLA entry'])
  later(999)
  expect(wanted(entry(tesla))).toBeNull()
  later(1)
  await wanted(entry(tesla))
  expect(asked).toHaveLength(2)
})

test.each([
  ['a rule that is not set', null, entry(tesla)],
  ['a perp of the main dex', '0.1', entry(1)],
  ['a market that nobody lists', '0.1', entry(110_099)],
  ['an exit', '0.1', orderAction([limitOrder(tesla, false, '1', '400', 'Ioc', true)])],
  ['a leverage', '0.1', { type: 'updateLeverage', asset: tesla, isCross: false, leverage: 2 }],
])('%s needs none', (_, share, json) => {
  const { wanted, asked } = booksWith(share)
  expect(wanted(json)).toBeNull()
  expect(asked).toEqual([])
})

test('a read that fails lets the request be judged, and is tried again', async () => {
  const account = dexAccount()
  let count = 0
  const books = new Books({
    clock: { now: () => millis(1), monotonicMs: () => count * 2_000 },
    account,
    rulesFor: () => ({ ...defaultRules, maxBookShare: Decimal.one }),
    reads: {
      book: async () => {
        count += 1
        return await Promise.reject(new Error('no answer'))
      },
    },
  })
  await books.wanted(actionOf(entry(tesla)))
  await books.wanted(actionOf(entry(tesla)))
  expect(count).toBe(2)
})
