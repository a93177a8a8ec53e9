import { Buffer } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { address } from '../values/address.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { decodeBase64url, encodeBase64url } from './base64url.ts'
import { diffRules } from './diffRules.ts'
import { readRules } from './readRules.ts'
import { readRuleBook } from './ruleBook.ts'
import { allowsMarket, dexesNamed } from './marketNames.ts'
import { defaultRules } from './rules.ts'
import type { Rules } from './rules.ts'
import { decodedRules, decodeRules, encodeRules } from './rulesCode.ts'
import { rulesMarkdown } from './rulesMarkdown.fixture.ts'
import { ruleTable } from './ruleTable.ts'
import type { RuleRow } from './ruleTable.ts'
import { ownStopGap, stopGap } from './stopGap.ts'
import { tightness } from './tightness.ts'

/** What is wrong with a section, as `key: text` lines. */
function problemsOf(section: unknown): readonly string[] {
  const read = readRules(section)
  return read.ok ? [] : read.error.map(({ path, text }) => `${path.slice(1).join('.')}: ${text}`)
}

function rowOf(key: string): RuleRow {
  const row = ruleTable.find((each) => each.key === key)
  if (row === undefined) throw new Error(key)
  return row
}

const client = address(`0x${'ab'.repeat(20)}`)

describe('the rule table', () => {
  test('has the rules of the contract, in its order, with its defaults', () => {
    expect(decodedRules(defaultRules)).toEqual({
      risk_per_trade: '0.02',
      open_risk: '0.06',
      daily_loss_stop: '0.06',
      drawdown_halt: '0.25',
      max_leverage: '5',
      max_position: '2',
      max_distance_from_mid: '0.005',
      stop: 'attach',
      stop_distance: '0.02',
      min_liquidation_distance: '0.1',
      margin: 'isolated',
      markets: ['*'],
      dex_stop_gap: null,
      max_book_share: null,
      max_order_value: null,
      max_orders_per_minute: 600,
      max_open_orders: 200,
      flip: 'cut',
      max_builder_fee: null,
      max_priority_fee: '0',
      trigger_entries: 'refuse',
      twap: 'refuse',
      twap_max_minutes: 60,
      max_twaps: 3,
      spot: 'refuse',
      equity_cap: null,
    })
    expect(ruleTable.map((row) => row.field)).toEqual(Object.keys(defaultRules))
    expect(Object.keys(decodedRules(defaultRules))).toEqual(ruleTable.map((row) => row.key))
  })

  test('is what the documentation is made from', async () => {
    await expect(rulesMarkdown()).toMatchFileSnapshot('../../../docs/generated/rules.md')
  })
})

describe('bounds', () => {
  const inside: readonly [string, unknown, string][] = [
    ['risk_per_trade', '5%', '0.05'],
    ['risk_per_trade', '0.0001', '0.0001'],
    ['open_risk', '0.02', '0.02'],
    ['open_risk', '20%', '0.2'],
    ['daily_loss_stop', '15%', '0.15'],
    ['drawdown_halt', '50%', '0.5'],
    ['max_leverage', '10', '10'],
    ['max_leverage', '2.50', '2.5'],
    ['max_position', '500%', '5'],
    ['max_distance_from_mid', '5%', '0.05'],
    ['stop', 'refuse', 'refuse'],
    ['stop_distance', '9.99%', '0.0999'],
    ['min_liquidation_distance', '50%', '0.5'],
    ['max_order_value', '1500.5', '1500.5'],
    ['margin', 'isolated', 'isolated'],
    ['margin', 'cross', 'cross'],
    ['max_builder_fee', '0.02%', '0.0002'],
    ['max_builder_fee', '0', '0'],
    ['max_priority_fee', '0.1%', '0.001'],
    ['flip', 'refuse', 'refuse'],
    ['flip', 'cut', 'cut'],
    ['trigger_entries', 'refuse', 'refuse'],
    ['trigger_entries', 'watched', 'watched'],
    ['equity_cap', '0.01', '0.01'],
  ]
  test.each(inside)('%s = %j is taken', (key, value, want) => {
    const read = readRules({ [key]: value })
    expect(read.ok && decodedRules(read.value)[key]).toBe(want)
  })

  test.each([
    ['max_orders_per_minute', 1],
    ['max_orders_per_minute', 100_000],
    ['max_open_orders', 1],
    ['max_open_orders', 900],
  ])('%s = %i is taken', (key, value) => {
    const read = readRules({ [key]: value })
    expect(read.ok && decodedRules(read.value)[key]).toBe(value)
  })

  const outside: readonly [string, unknown, RegExp][] = [
    ['risk_per_trade', '0', /above 0% and at most 5%; not "0"/],
    ['risk_per_trade', '5.0001%', /above 0% and at most 5%/],
    ['risk_per_trade', '-1%', /above 0%/],
    ['risk_per_trade', 0.02, /quoted decimal such as "0.02" or "2%".*not 0.02/],
    ['risk_per_trade', 'much', /quoted decimal/],
    ['risk_per_trade', '2 %', /quoted decimal/],
    ['risk_per_trade', '1e-2', /quoted decimal/],
    ['risk_per_trade', null, /not null/],
    ['open_risk', '20.01%', /at most 20%/],
    ['open_risk', '1.9%', /must be at least risk_per_trade, which is 2%; it is 1.9%/],
    ['daily_loss_stop', '16%', /at most 15%/],
    ['drawdown_halt', '51%', /at most 50%/],
    ['max_leverage', '10.1', /at most 10/],
    ['max_leverage', '500%', /quoted decimal such as "5"/],
    ['max_leverage', 5, /quoted decimal/],
    ['max_position', '1001%', /at most 1000%/],
    ['max_position', '501%', /must be at most max_leverage, which is 500%; it is 501%/],
    ['max_distance_from_mid', '5.1%', /at most 5%/],
    ['stop', 'maybe', /"attach" or "refuse", not "maybe"/],
    ['stop_distance', '50%', /below 50%/],
    ['stop_distance', '10%', /must be below min_liquidation_distance, which is 10%/],
    ['min_liquidation_distance', '0.99%', /at least 1%/],
    ['min_liquidation_distance', '51%', /at most 50%/],
    ['markets', [], /1 to 64 market names/],
    ['markets', 'BTC', /list of 1 to 64/],
    ['markets', Array.from({ length: 65 }, (_, at) => `C${at}`), /1 to 64/],
    [
      'markets',
      ['xyz:'],
      /one market of a builder dex such as "xyz:TSLA", or all of them: "xyz:\*"/,
    ],
    ['markets', ['xyz:TSLA:USD'], /one market of a builder dex/],
    [
      'markets',
      ['*', 'xyz'],
      /"xyz" must be a market: every perp of the builder dex xyz is "xyz:\*"/,
    ],
    ['markets', ['XYZ:TSLA'], /name of a builder dex, 1 to 12 lower-case letters/],
    ['markets', ['abcdefghijklm:*'], /name of a builder dex/],
    ['markets', [':TSLA'], /name of a builder dex/],
    ['markets', ['*:TSLA'], /market name/],
    ['markets', ['xyz*'], /or "\*", or "<dex>:\*"/],
    [
      'markets',
      ['xyz:TSLA', 'xyz:*'],
      /"xyz:TSLA" stands beside "xyz:\*", which is every perp of xyz/,
    ],
    ['dex_stop_gap', '50.1%', /at least 0% and at most 50%/],
    ['dex_stop_gap', '-1%', /at least 0%/],
    ['max_book_share', '0', /above 0%/],
    ['max_book_share', '101%', /at most 100%/],
    ['markets', ['BTC', 'BTC'], /names "BTC" twice/],
    ['markets', ['*', '*'], /names "\*" twice/],
    ['markets', ['*', 'BTC'], /"BTC" stands beside "\*", which is every perp of the main dex/],
    ['markets', ['b t c'], /market name/],
    ['markets', [7], /7 must be a market name/],
    ['max_order_value', '0', /above 0/],
    ['max_orders_per_minute', 0, /integer, at least 1 and at most 100000; not 0/],
    ['max_orders_per_minute', 100_001, /at most 100000/],
    ['max_orders_per_minute', '600', /integer.*not "600"/],
    ['max_orders_per_minute', 1.5, /integer/],
    ['max_open_orders', 901, /at least 1 and at most 900; not 901/],
    ['max_open_orders', 0, /at least 1 and at most 900; not 0/],
    ['margin', 'portfolio', /"cross" or "isolated", not "portfolio"/],
    ['max_builder_fee', '0.11%', /at most 0.1%/],
    ['max_priority_fee', '0.11%', /at most 0.1%/],
    ['flip', 'attach', /"cut" or "refuse", not "attach"/],
    ['trigger_entries', 'allow', /"refuse" or "watched", not "allow"/],
    ['spot', 'buy', /"refuse" or "sell", not "buy"/],
    ['stop', 'cut', /"attach" or "refuse", not "cut"/],
    ['equity_cap', '-5', /above 0/],
    ['equity_cap', { usd: '5' }, /not a table/],
    ['equity_cap', ['5'], /not a list/],
    ['equity_cap', undefined, /not nothing/],
    ['equity_cap', 'x'.repeat(100), /x\.\.\.$/],
    ['no_such_rule', '1', /is no rule; rules are: risk_per_trade/],
  ]
  test.each(outside)('%s = %j is refused with the bound', (key, value, want) => {
    const problems = problemsOf({ [key]: value })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(want)
    expect(problems[0]?.startsWith(`${key}: `)).toBe(true)
  })

  test('an integer from TOML may be a bigint', () => {
    const read = readRules({ max_open_orders: 7n })
    expect(read.ok && read.value.maxOpenOrders).toBe(7)
  })

  test('all violations are named at once', () => {
    const section = { risk_per_trade: '9%', stop: 1, typo: 1, max_open_orders: '1', markets: [] }
    expect(problemsOf(section).map((line) => line.split(':')[0])).toEqual([
      'risk_per_trade',
      'stop',
      'typo',
      'max_open_orders',
      'markets',
    ])
  })

  test('a relation is checked only where both values could be read', () => {
    expect(problemsOf({ risk_per_trade: 'x', open_risk: '1%' })).toHaveLength(1)
    expect(problemsOf({ min_liquidation_distance: 'x', stop_distance: '30%' })).toHaveLength(1)
    expect(problemsOf({ stop_distance: '15%', min_liquidation_distance: '20%' })).toEqual([])
  })

  test.each([[null], ['x'], [[]], [7]])('a section must be a table, not %j', (section) => {
    expect(problemsOf(section)).toEqual([expect.stringMatching(/must be a table of rules/)])
  })
})

const ratio = (max: number): fc.Arbitrary<Decimal> =>
  fc.integer({ min: 1, max }).map((units) => new Decimal(BigInt(units), 4).normalised())
const usd = fc
  .option(fc.integer({ min: 1, max: 1e9 }))
  .map((units) => (units === null ? null : new Decimal(BigInt(units), 2).normalised()))

const anyRules: fc.Arbitrary<Rules> = fc
  .record({
    riskPerTrade: ratio(500),
    openRisk: fc.integer({ min: 500, max: 2000 }).map((units) => new Decimal(BigInt(units), 4)),
    dailyLossStop: ratio(1500),
    drawdownHalt: ratio(5000),
    maxLeverage: fc.integer({ min: 10, max: 100 }).map((units) => new Decimal(BigInt(units), 1)),
    maxPosition: ratio(10_000),
    maxDistanceFromMid: ratio(500),
    stop: fc.constantFrom<Rules['stop']>('attach', 'refuse'),
    stopDistance: ratio(99),
    minLiquidationDistance: fc
      .integer({ min: 100, max: 5000 })
      .map((units) => new Decimal(BigInt(units), 4)),
    margin: fc.constantFrom<Rules['margin']>('isolated', 'cross'),
    markets: fc.constantFrom<readonly string[]>(
      ['*'],
      ['BTC'],
      ['ETH', 'BTC'],
      ['BTC', 'ETH'],
      ['*', 'xyz:*'],
      ['xyz:TSLA'],
    ),
    dexStopGap: fc.constantFrom(null, Decimal.zero, Decimal.of('0.2')),
    maxBookShare: fc.constantFrom(null, Decimal.of('0.1')),
    maxOrderValue: usd,
    maxBuilderFee: fc.constantFrom(null, Decimal.zero, Decimal.of('0.0005')),
    maxPriorityFee: fc.constantFrom(Decimal.zero, Decimal.of('0.0001')),
    maxOrdersPerMinute: fc.integer({ min: 1, max: 100_000 }),
    maxOpenOrders: fc.integer({ min: 1, max: 900 }),
    flip: fc.constantFrom<Rules['flip']>('cut', 'refuse'),
    triggerEntries: fc.constantFrom<Rules['triggerEntries']>('refuse', 'watched'),
    twap: fc.constantFrom<Rules['twap']>('refuse', 'watched'),
    twapMaxMinutes: fc.integer({ min: 5, max: 10_080 }),
    maxTwaps: fc.integer({ min: 1, max: 20 }),
    spot: fc.constantFrom<Rules['spot']>('refuse', 'sell'),
    equityCap: usd,
  })
  .map((rules) => ({ ...rules, maxPosition: Decimal.min(rules.maxPosition, rules.maxLeverage) }))

describe('the rules code', () => {
  test('of the defaults is the empty object', () => {
    expect(encodeRules(defaultRules)).toBe('gr1_e30')
    expect(decodeRules('gr1_e30')).toEqual({ ok: true, value: defaultRules })
  })

  test('is the canonical JSON of what differs, in the order of the table', () => {
    const rules: Rules = {
      ...defaultRules,
      maxOpenOrders: 5,
      flip: 'refuse',
      markets: ['BTC', 'ETH'],
      equityCap: Decimal.of('2000.50'),
      riskPerTrade: Decimal.of('0.010'),
    }
    const json =
      '{"risk_per_trade":"0.01","markets":["BTC","ETH"],"max_open_orders":5,"flip":"refuse","equity_cap":"2000.5"}'
    expect(encodeRules(rules)).toBe(`gr1_${Buffer.from(json).toString('base64url')}`)
  })

  test('gives back what was encoded, and the same code again', () => {
    fc.assert(
      fc.property(anyRules, (rules) => {
        const code = encodeRules(rules)
        const decoded = decodeRules(code)
        expect(decoded.ok && decodedRules(decoded.value)).toEqual(decodedRules(rules))
        expect(decoded.ok && encodeRules(decoded.value)).toBe(code)
      }),
      { numRuns: 2000 },
    )
  })

  const coded = (json: string): string => `gr1_${Buffer.from(json).toString('base64url')}`
  test.each<[string, string, RegExp]>([
    ['another prefix', 'gr2_e30', /start with gr1_/],
    ['padding', 'gr1_e30=', /base64url without padding/],
    ['a letter outside the alphabet', 'gr1_e3+0', /base64url/],
    ['bits left over', 'gr1_e31', /base64url/],
    ['a lone sextet', 'gr1_e30ab', /base64url|no JSON|canonical/],
    ['bytes beyond ASCII', coded('{"é":1}'), /base64url/],
    ['no JSON', coded('{'), /no JSON object/],
    ['a JSON list', coded('[]'), /must be a table/],
    ['null', coded('null'), /no JSON object/],
    ['white space', coded('{ }'), /not canonical; the same rules are gr1_e30/],
    ['a default', coded('{"stop":"attach"}'), /not canonical/],
    ['percent', coded('{"risk_per_trade":"1%"}'), /not canonical/],
    ['trailing zeros', coded('{"risk_per_trade":"0.010"}'), /not canonical/],
    ['another order', coded('{"stop":"refuse","risk_per_trade":"0.01"}'), /not canonical/],
    ['a key twice', coded('{"stop":"refuse","stop":"refuse"}'), /not canonical/],
    ['an unknown field', coded('{"speed":"1"}'), /is no rule/],
    ['out of bounds', coded('{"risk_per_trade":"0.06"}'), /at most 5%/],
    ['too long', `gr1_${'A'.repeat(9000)}`, /at most 8192 characters/],
  ])('refuses %s', (_, code, want) => {
    const decoded = decodeRules(code)
    expect(decoded.ok).toBe(false)
    expect(!decoded.ok && decoded.error.map((each) => each.text).join('; ')).toMatch(want)
  })

  test('base64url is that of the platform', () => {
    const ascii = fc.string({ unit: 'binary-ascii', maxLength: 50 })
    fc.assert(
      fc.property(ascii, (text) => {
        const code = Buffer.from(text, 'latin1').toString('base64url')
        expect(encodeBase64url(text)).toBe(code)
        expect(decodeBase64url(code)).toBe(text)
      }),
    )
  })
})

describe('sections', () => {
  const book = readRuleBook(
    { max_leverage: '4', max_position: '300%' },
    { BTC: { max_leverage: '3', risk_per_trade: '1%', stop: 'refuse' } },
    {
      [client]: {
        max_leverage: '2',
        risk_per_trade: '1.5%',
        markets: ['BTC', 'ETH'],
        max_orders_per_minute: 10,
        min_liquidation_distance: '20%',
        max_order_value: '500',
      },
    },
  )
  if (!book.ok) throw new Error(JSON.stringify(book.error))
  const { rulesFor, rules } = book.value

  test('the tightest of all that apply holds', () => {
    const both = rulesFor(client, coin('BTC'))
    expect(decodedRules(both)).toEqual({
      ...decodedRules(rules),
      max_leverage: '2',
      risk_per_trade: '0.01',
      stop: 'refuse',
      markets: ['BTC', 'ETH'],
      max_orders_per_minute: 10,
      min_liquidation_distance: '0.2',
      max_order_value: '500',
    })
    expect(decodedRules(rulesFor(client, coin('ETH')))).toMatchObject({
      risk_per_trade: '0.015',
      stop: 'attach',
    })
    expect(decodedRules(rulesFor(null, coin('BTC')))).toMatchObject({
      max_leverage: '3',
      markets: ['*'],
      dex_stop_gap: null,
      max_book_share: null,
      max_order_value: null,
    })
    expect(rulesFor(null, null)).toBe(rules)
    expect(rulesFor(address(`0x${'01'.repeat(20)}`), coin('ETH'))).toBe(rules)
    expect(rulesFor(client, coin('BTC'))).toBe(both)
  })

  test.each<[string, unknown, unknown, RegExp]>([
    ['a looser market', { BTC: { max_leverage: '6' } }, {}, /looser \(6\) than \[rules\] \(5\)/],
    ['a looser client', {}, { [client]: { risk_per_trade: '3%' } }, /looser \(3%\)/],
    [
      'a smaller liquidation distance',
      { BTC: { min_liquidation_distance: '9%' } },
      {},
      /looser \(9%\) than \[rules\] \(10%\)/,
    ],
    ['an account rule for a market', { BTC: { open_risk: '5%' } }, {}, /only be set in \[rules\]/],
    ['a flip for a client', {}, { [client]: { flip: 'refuse' } }, /only be set in \[rules\]/],
    ['a margin for a client', {}, { [client]: { margin: 'isolated' } }, /only be set in \[rules\]/],
    [
      'looser trigger entries for a market',
      { BTC: { trigger_entries: 'watched' } },
      {},
      /looser \(watched\) than/,
    ],
    ['cross margin for a market', { BTC: { margin: 'cross' } }, {}, /looser \(cross\) than/],
    ['a client rule for a market', { BTC: { markets: ['BTC'] } }, {}, /only be set in \[rules\]/],
    ['out of bounds', { BTC: { max_leverage: '11' } }, {}, /at most 10/],
    ['no address', {}, { bot: {} }, /must be an address/],
    ['all of a builder dex', { 'xyz:*': {} }, {}, /must name one market/],
    ['a misspelt dex', { 'Xyz:TSLA': {} }, {}, /name of a builder dex/],
    ['a gap for a client', {}, { [client]: { dex_stop_gap: '5%' } }, /only be set in \[rules\]/],
    [
      'dexes that [rules] has not',
      {},
      { [client]: { markets: ['xyz:*'] } },
      /is looser \(xyz:\*\)/,
    ],
    ['no coin', { 'B T C': {} }, {}, /market name/],
    ['no table', { BTC: '5' }, {}, /table of rules/],
    ['no tables', 'BTC', {}, /must be tables, one for each market/],
    ['no client tables', {}, [], /must be tables, one for each client/],
    ['one client twice', {}, { [client]: {}, [`0x${'AB'.repeat(20)}`]: {} }, /is set twice/],
  ])('%s is refused', (_, market, clients, want) => {
    const read = readRuleBook({}, market, clients)
    expect(!read.ok && read.error.map((each) => each.text).join('; ')).toMatch(want)
  })

  test('sections may be left out, and problems of all of them come at once', () => {
    expect(readRuleBook({}, undefined, undefined).ok).toBe(true)
    const read = readRuleBook({ stop: 1 }, { BTC: { stop: 2 } }, { [client]: { nothing: 3 } })
    expect(!read.ok && read.error.map((each) => each.path.join('.'))).toEqual([
      'rules.stop',
      'market.BTC.stop',
      `client.${client}.nothing`,
    ])
  })

  test('a list of markets is looser as soon as it names one that is not allowed', () => {
    const row = rowOf('markets')
    expect(tightness(row, ['BTC'], ['*'])).toBe('tighter')
    expect(tightness(row, ['*'], ['BTC'])).toBe('looser')
    expect(tightness(row, ['BTC', 'SOL'], ['BTC', 'ETH'])).toBe('looser')
    expect(tightness(row, ['ETH', 'BTC'], ['BTC', 'ETH'])).toBe('same')
    expect(tightness(row, ['xyz:TSLA'], ['*'])).toBe('looser')
    expect(tightness(row, ['xyz:TSLA'], ['xyz:*', 'BTC'])).toBe('tighter')
    expect(tightness(row, ['xyz:*'], ['xyz:TSLA'])).toBe('looser')
    expect(tightness(row, ['*'], ['*', 'xyz:*'])).toBe('tighter')
    const gap = rowOf('dex_stop_gap')
    expect(tightness(gap, Decimal.one, Decimal.zero)).toBe('tighter')
    expect(tightness(gap, Decimal.zero, null)).toBe('tighter')
    expect(tightness(gap, null, Decimal.one)).toBe('looser')
    expect(tightness(gap, null, null)).toBe('same')
    expect(tightness(rowOf('stop'), 'attach', 'refuse')).toBe('looser')
    expect(tightness(rowOf('stop'), 'refuse', 'attach')).toBe('tighter')
    expect(tightness(rowOf('flip'), 'cut', 'refuse')).toBe('looser')
    expect(tightness(rowOf('flip'), 'refuse', 'cut')).toBe('tighter')
    expect(tightness(rowOf('trigger_entries'), 'watched', 'refuse')).toBe('looser')
    expect(tightness(rowOf('trigger_entries'), 'refuse', 'watched')).toBe('tighter')
    expect(tightness(rowOf('margin'), 'cross', 'isolated')).toBe('looser')
    expect(tightness(rowOf('margin'), 'isolated', 'cross')).toBe('tighter')
    expect(tightness(rowOf('margin'), 'cross', 'cross')).toBe('same')
    expect(tightness(rowOf('equity_cap'), null, Decimal.one)).toBe('looser')
    expect(tightness(rowOf('equity_cap'), Decimal.one, null)).toBe('tighter')
    expect(tightness(rowOf('max_open_orders'), 5, 6)).toBe('tighter')
  })
})

test('the gap of a coin is its own until the account says another; a section only makes it larger', () => {
  const tesla = coin('xyz:TSLA')
  const gapOf = (rules: object, section: object): string => {
    const read = readRuleBook(rules, { 'xyz:TSLA': section }, {})
    if (!read.ok) throw new Error(read.error.map(({ text }) => text).join())
    return stopGap(read.value.rulesFor, tesla, 8).toString()
  }
  expect(gapOf({}, {})).toBe('0.125')
  expect(gapOf({ dex_stop_gap: '0' }, {})).toBe('0')
  expect(gapOf({}, { dex_stop_gap: '1%' })).toBe('0.125')
  expect(gapOf({}, { dex_stop_gap: '20%' })).toBe('0.2')
  expect(gapOf({ dex_stop_gap: '1%' }, { dex_stop_gap: '2%' })).toBe('0.02')
  expect(() => gapOf({ dex_stop_gap: '2%' }, { dex_stop_gap: '1%' })).toThrow(/looser/)
  expect(ownStopGap(3).toString()).toBe('0.333333333334')
})

test('what a change of the gap means depends on the market where one side is its own', () => {
  const set = { ...defaultRules, dexStopGap: Decimal.of('0.05') }
  expect(diffRules(defaultRules, set).map(({ text }) => text)).toEqual([
    'dex_stop_gap: 1/max leverage of the coin -> 5% (by market)',
  ])
  expect(diffRules(set, { ...set, dexStopGap: Decimal.of('0.1') })[0]?.direction).toBe('tighter')
})

test('the dexes that rules name are told each once', () => {
  const markets = ['*', 'xyz:TSLA', 'para:*', 'xyz:NVDA']
  expect(dexesNamed({ markets })).toEqual(['xyz', 'para'])
  expect(dexesNamed(defaultRules)).toEqual([])
})

test('a market is allowed by its name or by the star of its dex', () => {
  expect(allowsMarket(defaultRules, coin('xyz:TSLA'))).toBe(false)
  expect(allowsMarket({ markets: ['xyz:*'] }, coin('xyz:TSLA'))).toBe(true)
  expect(allowsMarket({ markets: ['xyz:TSLA'] }, coin('xyz:TSLA'))).toBe(true)
  expect(allowsMarket({ markets: ['xyz:TSLA'] }, coin('xyz:NVDA'))).toBe(false)
  expect(allowsMarket({ markets: ['xyz:*'] }, coin('BTC'))).toBe(false)
  expect(allowsMarket(defaultRules, coin('BTC'))).toBe(true)
  expect(allowsMarket({ ...defaultRules, markets: ['ETH'] }, coin('BTC'))).toBe(false)
  expect(allowsMarket({ ...defaultRules, markets: ['ETH'] }, coin('ETH'))).toBe(true)
})

describe('a difference', () => {
  test('names what changes, from what to what, and whether it gets tighter', () => {
    const to: Rules = {
      ...defaultRules,
      riskPerTrade: Decimal.of('0.01'),
      minLiquidationDistance: Decimal.of('0.05'),
      markets: ['BTC', 'ETH'],
      equityCap: Decimal.of('1000'),
    }
    expect(diffRules(defaultRules, to).map((each) => each.text)).toEqual([
      'risk_per_trade: 2% -> 1% (tighter)',
      'min_liquidation_distance: 10% -> 5% (looser)',
      'markets: * -> BTC, ETH (tighter)',
      'equity_cap: none -> 1000 USD (tighter)',
    ])
    expect(diffRules(to, { ...to, markets: ['ETH', 'BTC'] }).map((each) => each.direction)).toEqual(
      ['reordered'],
    )
  })

  test('of a set with itself is empty', () => {
    fc.assert(
      fc.property(anyRules, (rules) => {
        expect(diffRules(rules, rules)).toEqual([])
      }),
    )
  })

  test('turns around', () => {
    const turned = {
      tighter: 'looser',
      looser: 'tighter',
      reordered: 'reordered',
      'by market': 'by market',
    } as const
    fc.assert(
      fc.property(anyRules, anyRules, (left, right) => {
        const forth = diffRules(left, right)
        const back = diffRules(right, left)
        expect(back.map((each) => each.key)).toEqual(forth.map((each) => each.key))
        for (const [at, each] of forth.entries()) {
          if (each.key === 'markets') continue
          expect(back[at]?.direction).toBe(turned[each.direction])
        }
      }),
    )
  })
})
