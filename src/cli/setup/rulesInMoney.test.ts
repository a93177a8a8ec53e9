import { expect, test } from 'vitest'
import { defaultRules } from '../../core/rules/rules.ts'
import type { Rules } from '../../core/rules/rules.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { rulesInMoney } from './rulesInMoney.ts'

const named: Rules = { ...defaultRules, markets: ['*', 'xyz:*', 'abc:OIL'] }
const equity = Decimal.of('10000')
const dexLines = (rules: Rules, of: Decimal | null = equity) =>
  rulesInMoney(rules, of).filter((line) => /builder|book/.test(line))

test('what a builder dex counts is told in money where one is named, and nothing where none is', () => {
  expect(dexLines(defaultRules)).toEqual([])
  // The stop 2% away fills 11.8% away at worst, and a tenth beyond it counts: 2% over 21.8%.
  expect(dexLines(named)).toEqual([
    'markets: every perp of the main dex, every perp of the builder dex xyz, abc:OIL',
    'on a builder dex a trade counts 1/max leverage of the market (10% where that is 10x) beyond the worst fill of its stop (dex_stop_gap): with the stop 2% away one entry is worth at most 9.17% ($917.00) on a 10x market',
  ])
})

test('a gap and a share of the book that are set are in it', () => {
  const rules = { ...named, dexStopGap: Decimal.of('0.3'), maxBookShare: Decimal.of('0.25') }
  expect(dexLines(rules).slice(1)).toEqual([
    'on a builder dex a trade counts 30% beyond the worst fill of its stop (dex_stop_gap): with the stop 2% away one entry is worth at most 4.78% ($478.00)',
    'there it is at most 25% of what the book shows',
  ])
})

test('an equity that is not known leaves percent, and a cap bounds it', () => {
  expect(dexLines(named, null)[1]).toContain('at most 9.17% on a 10x market')
  const capped = { ...named, equityCap: Decimal.of('1000') }
  expect(dexLines(capped)[1]).toContain('9.17% ($91.70)')
})
