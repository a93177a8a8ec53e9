import { expect, test } from 'vitest'
import type { Json } from '../../core/protocol/action.ts'
import { readRuleBook } from '../../core/rules/ruleBook.ts'
import { err, ok } from '../../core/values/result.ts'
import { missingMarketLines } from './missingMarketLines.ts'

const perps = (...names: string[]): Json => ({
  universe: names.map((name) => ({ name, szDecimals: 2, maxLeverage: 10 })),
  marginTables: [],
  collateralToken: 0,
})
const answers: { readonly [type: string]: Json } = {
  meta: perps('BTC', 'ETH'),
  perpDexs: [null, { name: 'xyz', fullName: 'xyz', deployer: `0x${'cd'.repeat(20)}` }],
  allPerpMetas: [perps('BTC', 'ETH'), perps('xyz:TSLA')],
}

async function lines(
  market: readonly string[],
  failing: readonly string[] = [],
  markets: readonly string[] = ['*', 'xyz:*'],
) {
  const asked: string[] = []
  const sections = Object.fromEntries(market.map((name) => [name, { max_leverage: '1' }]))
  const book = readRuleBook({ markets }, sections, {})
  if (!book.ok) throw new Error(JSON.stringify(book.error))
  const ask = async (request: Json) => {
    const { type } = request as { readonly type: string }
    asked.push(type)
    await Promise.resolve()
    return failing.includes(type) ? err('nobody answers') : ok(answers[type] ?? null)
  }
  const found = await missingMarketLines(ask, book.value)
  return { asked, found: found.map((line) => line.slice(0, line.indexOf(','))) }
}
const main = '[market.BTCC]: the venue has no BTCC'
const builder = '[market.xyz:TSLAA]: the venue has no xyz:TSLAA'

test('rules that name no market and no dex ask the venue nothing', async () => {
  expect(await lines([], [], ['*'])).toEqual({ asked: [], found: [] })
})

const dexes = '`markets` names nope'
const traded = ['*', 'xyz:*', 'nope:*', 'gone:TSLA']

test.each([
  {
    failing: [],
    asked: ['perpDexs', 'meta', 'allPerpMetas'],
    is: [dexes, 'markets: the venue has no gone:TSLA'],
  },
  { failing: ['perpDexs'], asked: ['perpDexs', 'meta'], is: [] },
])('a dex that the venue does not have is told: without $failing', async (row) => {
  expect(await lines([], row.failing, traded)).toEqual({ asked: row.asked, found: row.is })
})

test('a dex is looked for alone where no market is named', async () => {
  expect(await lines([], [], ['*', 'xyz:*'])).toEqual({ asked: ['perpDexs'], found: [] })
  expect(await lines([], [], ['nope:*'])).toEqual({ asked: ['perpDexs'], found: [dexes] })
})

test.each([
  { failing: [], is: [main, builder] },
  { failing: ['meta'], is: [builder] },
  { failing: ['perpDexs'], is: [main] },
  { failing: ['allPerpMetas'], is: [main] },
  { failing: ['meta', 'perpDexs'], is: [] },
])('what cannot be read is not judged: without $failing', async ({ failing, is }) => {
  const { found } = await lines(['BTC', 'BTCC', 'xyz:TSLA', 'xyz:TSLAA'], failing)
  expect(found).toEqual(is)
})
