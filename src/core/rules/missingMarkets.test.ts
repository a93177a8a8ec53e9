import { describe, expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { missingMarkets, namedMarkets } from './missingMarkets.ts'
import { readRuleBook } from './ruleBook.ts'

const listed = ['BTC', 'ETH', 'ETC', 'kPEPE', 'SOL', 'xyz:TSLA', 'xyz:NVDA', 'abc:TSLA']
const known = new Map(listed.map((name) => [coin(name), name]))
const client = `0x${'ab'.repeat(20)}`

function named(markets: string[], market: string[] = [], own: string[] = []) {
  const sections = Object.fromEntries(market.map((name) => [name, { max_leverage: '1' }]))
  const clients = own.length === 0 ? {} : { [client]: { markets: own } }
  const book = readRuleBook({ markets }, sections, clients)
  if (!book.ok) throw new Error(JSON.stringify(book.error))
  return namedMarkets(book.value)
}
const missing = (...names: string[]) =>
  missingMarkets(named(names), known, () => true).map(({ text }) => text)

test('every place that names a market is told, and what names all of a dex names none', () => {
  const found = named(['*', 'xyz:TSLA', 'abc:*'], ['BTC', 'xyz:TSLA'], ['BTC'])
  expect(Object.fromEntries(found)).toEqual({
    'xyz:TSLA': 'markets, [market.xyz:TSLA]',
    BTC: `[market.BTC], [client.${client}]`,
  })
})

describe('a market that the venue does not have is told with the names that are most like it', () => {
  const text = (name: string, near: string): string =>
    `markets: the venue has no ${name}, so this protects nothing${near === '' ? '' : `; nearest: ${near}`}`
  test.each([
    ['a letter too many', 'BTCC', 'BTC, ETC'],
    ['a letter too few', 'PEPE', 'kPEPE'],
    ['another letter', 'SOK', 'SOL'],
    ['on a dex, its own before another', 'xyz:TSLAA', 'xyz:TSLA, abc:TSLA'],
    ['without its dex', 'TSLA', 'abc:TSLA, xyz:TSLA'],
    ['of a dex that is not there', 'xyzz:TSLA', 'abc:TSLA, xyz:TSLA'],
    ['like none', 'WIFHAT', ''],
  ])('%s: %s', (_, name, near) => {
    expect(missing(name)).toEqual([text(name, near)])
  })

  test('at most three, and one that is there is not told', () => {
    const many = new Map(['AAA', 'AAB', 'AAC', 'AAD'].map((name) => [coin(name), name]))
    const [found, ...others] = missingMarkets(named(['AAX', 'AAB']), many, () => true)
    expect(found?.text).toContain('nearest: AAA, AAB, AAC')
    expect(others).toEqual([])
  })
})

test('nothing is said of a dex that is not told', () => {
  const names = named(['BTCC', 'xyz:TSLAA'])
  const toldOf = (dex: string) =>
    missingMarkets(names, known, (each) => each === dex).map((each) => each.coin)
  expect(toldOf('')).toEqual(['BTCC'])
  expect(toldOf('xyz')).toEqual(['xyz:TSLAA'])
  expect(toldOf('abc')).toEqual([])
})
