import { describe, expect, test } from 'vitest'
import { accountWith, fixtureNow } from '../../account/account.fixture.ts'
import type { Account } from '../../account/account.ts'
import type { Json } from '../../protocol/action.ts'
import type { Rules } from '../../rules/rules.ts'
import { coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import type { Decision } from '../decision.ts'
import { judged, wire } from '../judge.fixture.ts'
import type { JudgeSpec } from '../judge.fixture.ts'

const dec = (text: string): Decimal => Decimal.of(text)
const eth = coin('ETH')
const mids = { ETH: '4000', BTC: '60000' }
const watched: Partial<Rules> = { twap: 'watched' }
/** Room for all that these tables ask for, but where one of them bounds it. */
const roomy: Partial<Rules> = {
  ...{ ...watched, riskPerTrade: dec('0.05'), openRisk: dec('0.2'), dailyLossStop: dec('0.15') },
  ...{ maxLeverage: dec('10'), maxPosition: dec('10') },
}

type Wire = { readonly [key: string]: Json }

function twap(more: Wire = {}, details?: Wire): Json {
  const asked = { a: 1, b: true, s: '0.5', r: false, m: 30, t: false, ...more }
  return { type: 'twapOrder', twap: asked, ...(details === undefined ? {} : { details }) }
}

function account(spec: Parameters<typeof accountWith>[0] = {}, mark?: string): Account {
  const made = accountWith({ equity: '10000', mids, ...spec })
  if (mark !== undefined) made.apply({ kind: 'mark', coin: eth, mark: dec(mark), at: fixtureNow })
  return made
}

function ask(json: Json, spec: JudgeSpec = {}): Decision {
  return judged(json, { account: account(), ...spec, rules: { ...roomy, ...spec.rules } })
}

/** What goes out: its size, where it ends; and what it is held as. */
function sent(decision: Decision) {
  const forward = decision.forward === null ? null : wire(decision.forward)
  const asked = forward?.['twap'] as { readonly s?: string } | undefined
  const details = forward?.['details'] as { readonly s?: string } | undefined
  const held = decision.reservations.flat().find((each) => each.kind === 'twap')
  return {
    size: asked?.s,
    end: details?.s,
    worst: held?.opens?.price.toString(),
    stop: held?.opens?.stop.toString(),
    worth: held?.opens?.worth.toString(),
  }
}

describe('the prices of a TWAP', () => {
  const at = (p: string, a: boolean, s: string | null = null): Wire => ({ t: { p, a }, s })
  const buy = {}
  const sell = { b: false }

  test.each<[string, Wire, Wire | undefined, string, string, string, string]>([
    ['a buy: 3% above the mid', buy, undefined, '4120', '3920', '4120', '4120'],
    ['a sell: 3% below the mid', sell, undefined, '3880', '4080', '4000', '3880'],
    ['its own end, nearer', buy, { t: null, s: '4050' }, '4120', '3920', '4120', '4050'],
    ['its own end, further', buy, { t: null, s: '4500' }, '4120', '3920', '4120', '4120'],
    ["a sell's own end, further", sell, { t: null, s: '3000' }, '3880', '4080', '4000', '3880'],
    ["a sell's own end, nearer", sell, { t: null, s: '3900' }, '3880', '4080', '4000', '3900'],
    ['a buy that starts above', buy, at('4100', true), '4223', '4018', '4223', '4223'],
    ['a buy that starts below', buy, at('3900', false), '4120', '3822', '4120', '4120'],
    ['a sell that starts below', sell, at('3900', false), '3783', '3978', '4000', '3783'],
    ['a sell that starts above', sell, at('4100', true), '3880', '4182', '4100', '3880'],
    ['a start that is past', buy, at('3950', true), '4120', '3920', '4120', '4120'],
    ['a start that is past, below', sell, at('4050', false), '3880', '4080', '4050', '3880'],
  ])('%s', (_, more, details, worst, stop, worth, end) => {
    const decision = ask(twap(more, details), { account: account({}, '4000') })
    expect(decision).toMatchObject({ verdict: 'resize', code: 'resized', lane: 'entry' })
    expect(sent(decision)).toEqual({ size: '0.5', worst, stop, worth, end })
  })

  test.each([
    ['a buy', {}, { t: null, s: '4000' }],
    ['a sell', { b: false }, { t: null, s: '4001' }],
    ['a buy that starts above', {}, { t: { p: '4100', a: true }, s: '4090' }],
  ])('%s that would end before it begins is refused', (_, more, details) => {
    expect(ask(twap(more, details))).toMatchObject({ verdict: 'veto', code: 'invalid' })
  })

  // The mark is at its start or past it, so that it begins now: its stop is measured from the mid.
  test.each([
    ['above', at('4100', true), '4100', '3920'],
    ['above, still ahead', at('4100', true), '4099.9', '4018'],
    ['below', at('3900', false), '3900', '3920'],
    ['below, still ahead', at('3900', false), '3900.1', '3822'],
  ])('a buy whose start lies %s', (_, details, mark, stop) => {
    expect(sent(ask(twap({}, details), { account: account({}, mark) })).stop).toBe(stop)
  })

  test.each([
    ['a buy at the mid', {}, '4000', 'above 4000'],
    ['a sell at the mid', { b: false }, '4000', 'below 4000'],
  ])('%s that would end there is refused, and told why', (_, more, end, words) => {
    const decision = ask(twap(more, { t: null, s: end }))
    expect(decision.text).toContain(`before it has filled anything: it must be ${words}`)
  })

  test.each([
    ['a buy', {}, '4120', []],
    ['a buy', {}, '4119', []],
    ['a buy', {}, '4121', ['details.s']],
    ['a sell', { b: false }, '3880', []],
    ['a sell', { b: false }, '3881', []],
    ['a sell', { b: false }, '3879', ['details.s']],
  ])('the own end of %s is changed only beyond its worst price: %s %s', (_, more, end, fields) => {
    const { changeRecords } = ask(twap(more, { t: null, s: end }))
    expect(changeRecords.map(({ field }) => field)).toEqual([...fields, 'stop'])
  })

  test('each change is told', () => {
    const { changes, changeRecords } = ask(twap({}, { t: null, s: '4500' }))
    expect(changes).toEqual([
      'the ETH buy TWAP ends at 4120, the worst price that it may fill at, and not at 4500',
      expect.stringContaining('a stop at 3920 attached to the ETH buy'),
    ])
    expect(changeRecords[0]).toEqual({ field: 'details.s', from: '4500', to: '4120', rule: 'twap' })
    expect(ask(twap()).changeRecords[0]).toMatchObject({ field: 'details.s', from: null })
  })
})

describe('its size', () => {
  test.each<[string, Partial<Rules>, string, string]>([
    // 2% of 10,000 over 200 and 0.11% of 4120.
    ['the risk of a trade', { riskPerTrade: dec('0.02') }, '100', '0.9778'],
    ['the value of an order', { maxOrderValue: dec('1000') }, '1', '0.2427'],
    ['the lot', {}, '0.50009', '0.5'],
  ])('%s', (_, rules, asked, size) => {
    const decision = ask(twap({ s: asked }), { rules })
    expect(sent(decision).size).toBe(size)
    expect(decision.entries).toMatchObject([{ at: 0, verdict: 'resize', coin: 'ETH', side: 'buy' }])
    expect(decision.entries[0]?.requestedSize.toString()).toBe(asked)
  })

  test('of one that waits is bounded by what it could lose while Guard is away', () => {
    const waiting = twap({ s: '5' }, { t: { p: '4100', a: true }, s: null })
    const decision = ask(waiting, { rules: { dailyLossStop: dec('0.01') } })
    // 100 over 4223 x 10%.
    expect(sent(decision).size).toBe('0.2367')
    expect(decision.text).toContain('daily_loss_stop')
  })

  test('may be as long as the rules allow, and as short as the venue takes', () => {
    for (const m of [5, 60]) expect(ask(twap({ m })).verdict).toBe('resize')
  })

  test('needs one place among the open orders, for its stop', () => {
    expect(ask(twap(), { rules: { maxOpenOrders: 1 } }).verdict).toBe('resize')
  })

  test('below what the venue takes is refused', () => {
    const decision = ask(twap({ s: '0.0249' }))
    expect(decision).toMatchObject({ verdict: 'veto', code: 'below_minimum' })
    expect(decision.entries).toMatchObject([
      { at: 0, verdict: 'veto', coin: 'ETH', code: 'below_minimum' },
    ])
    expect(ask(twap({ s: '0.025' })).verdict).toBe('resize')
    const cut = ask(twap(), { rules: { maxOrderValue: dec('50') } })
    expect(cut.text).toContain('bound by max_order_value')
  })

  test('what it is sized with is what it then counts as', () => {
    const held = account()
    const decision = ask(twap({ s: '100' }), { account: held, rules: { openRisk: dec('0.05') } })
    held.reserve('1', decision.reservations.flat(), fixtureNow)
    const { openRisk, openValue } = held.exposure()
    expect(openRisk.lte(dec('500'))).toBe(true)
    expect(openRisk.toString()).toBe(
      dec(sent(decision).size ?? '0')
        .times(dec('200'))
        .toString(),
    )
    expect(openValue.toString()).toBe(
      dec(sent(decision).size ?? '0')
        .times(dec('4120'))
        .toString(),
    )
    expect(held.coinExposure(eth, true).sideValue.toString()).toBe(openValue.toString())
  })
})

describe('a new position', () => {
  test('gets its leverage first', () => {
    const decision = ask(twap())
    expect(decision.pre).toMatchObject([{ type: 'updateLeverage', asset: 1, isCross: false }])
    expect(decision.needs).toEqual([[], [0]])
  })

  test('that has its leverage already gets none', () => {
    const set = account()
    const leverage = { type: 'isolated', value: 1 } as const
    set.apply({ kind: 'leverage', coin: eth, leverage, at: fixtureNow })
    expect(ask(twap(), { account: set })).toMatchObject({ pre: [], needs: [[]] })
  })
})

describe('refused', () => {
  test.each<[string, Json, JudgeSpec, string]>([
    ['by its rule', twap(), { rules: { twap: 'refuse' } }, 'unsupported_action'],
    ['on a market nobody knows', twap({ a: 99 }), {}, 'unknown_market'],
    ['on a spot market', twap({ a: 10_001 }), {}, 'unsupported_market'],
    ['while killed', twap(), { latched: true }, 'kill_switch'],
    ['too long', twap({ m: 61 }), {}, 'invalid'],
    ['too short', twap({ m: 4 }), {}, 'invalid'],
    ['without a size', twap({ s: '0' }), {}, 'invalid'],
    ['with a start at zero', twap({}, { t: { p: '0', a: true }, s: null }), {}, 'invalid'],
    ['with an end at zero', twap({}, { t: null, s: '0' }), {}, 'invalid'],
    ['where entries bring their stops', twap(), { rules: { stop: 'refuse' } }, 'stop_required'],
    ['too many orders', twap(), { rules: { maxOpenOrders: 0 } }, 'too_many_orders'],
    ['too often', twap(), { entriesLastMinute: 600 }, 'order_rate'],
    ['withheld', twap(), { withheld: { code: 'rate_limited', text: 'no weight' } }, 'rate_limited'],
  ])('%s', (_, json, spec, code) => {
    expect(ask(json, spec)).toMatchObject({
      verdict: 'veto',
      code,
      forward: null,
      reservations: [],
    })
  })

  test('as one too many, whoever started the others', () => {
    const crowded = account()
    const other = {
      ...{ coin: eth, isBuy: true, size: dec('1'), executedSize: dec('0'), isReduceOnly: true },
      ...{ minutes: 30, isRandomized: false, triggerPrice: null, endPrice: null, at: fixtureNow },
    }
    const twaps = [1, 2].map((id) => ({ ...other, id }))
    crowded.apply({ kind: 'twaps', twaps, source: 'stream', at: fixtureNow })
    expect(ask(twap(), { account: crowded }).verdict).toBe('resize')
    crowded.reserve('1', ask(twap(), { account: crowded }).reservations.flat(), fixtureNow)
    const decision = ask(twap({ s: '0.1' }), { account: crowded })
    expect(decision).toMatchObject({ code: 'too_many_orders' })
    expect(decision.text).toBe('3 TWAPs run, wait or are on their way; max_twaps is 3')
  })
})

describe('one that can only reduce', () => {
  test.each<[string, JudgeSpec]>([
    ['whatever its rule says', { rules: { twap: 'refuse' } }],
    ['while killed', { latched: true }],
    ['longer than the rules let others be', { rules: { twapMaxMinutes: 5 } }],
    ['with no weight for entries', { withheld: { code: 'rate_limited', text: 'none' } }],
  ])('passes %s', (_, spec) => {
    const decision = ask(twap({ b: false, r: true }), spec)
    expect(decision).toMatchObject({ verdict: 'allow', code: 'allowed', lane: 'exit' })
    expect(decision.reservations).toMatchObject([[{ kind: 'twap', coin: 'ETH', opens: null }]])
    expect(decision.exits).toMatchObject([{ at: 0, code: 'allowed' }])
    expect(decision.text).toBe('a TWAP that can only reduce: forwarded as sent')
  })

  test('passes though the account is old', () => {
    const spec = { now: (fixtureNow + 60_000) as typeof fixtureNow }
    const decision = ask(twap({ r: true }), spec)
    expect(decision).toMatchObject({ code: 'exit_unjudged', verdict: 'allow' })
    expect(decision.text).toContain('though the account could not be read recently enough')
  })

  test('passes on a market that Guard does not follow, and on no spot market', () => {
    expect(ask(twap({ r: true, a: 99 }))).toMatchObject({ code: 'allowed', reservations: [[]] })
    expect(ask(twap({ r: true, a: 10_001 }))).toMatchObject({ code: 'unsupported_market' })
    expect(ask(twap({ r: true, a: 100_001 }))).toMatchObject({ code: 'unknown_market' })
  })

  test('against a position without its flag it is made so, and cut to it', () => {
    const held = account({ positions: { ETH: { size: '0.3' } } })
    const cut = ask(twap({ b: false }), { account: held })
    expect(cut).toMatchObject({ verdict: 'resize', lane: 'exit', entries: [] })
    expect(wire(cut.forward as never)['twap']).toMatchObject({ r: true, s: '0.3' })
    expect(cut.changes).toHaveLength(2)
    const whole = ask(twap({ b: false, s: '0.2' }), { account: held })
    expect(whole.changes).toEqual(['the TWAP closes the ETH position and goes as reduce-only'])
    const refused = ask(twap({ b: false }), { account: held, rules: { flip: 'refuse' } })
    expect(refused).toMatchObject({ verdict: 'veto', code: 'flip' })
  })
})

describe('one that was made elsewhere', () => {
  const elsewhere = account()
  const other = {
    ...{ id: 7, coin: eth, isBuy: true, size: dec('1'), executedSize: dec('0') },
    ...{ isReduceOnly: false, minutes: 30, isRandomized: false, triggerPrice: null },
    ...{ endPrice: null, at: fixtureNow },
  }
  elsewhere.apply({ kind: 'twaps', twaps: [other], source: 'read', at: fixtureNow })

  test('lets nothing open beside it', () => {
    const decision = ask(twap(), { account: elsewhere })
    expect(decision).toMatchObject({ verdict: 'veto', code: 'unprotected_order' })
    expect(decision.text).toMatch(/a TWAP on ETH was made elsewhere.* until it has ended or is/)
  })

  test('is cancelled on its own coin, and on no other', () => {
    const cancel = { type: 'twapCancel', a: 1, t: 7 }
    expect(ask(cancel, { account: elsewhere })).toMatchObject({ verdict: 'allow', lane: 'exit' })
    const wrong = ask({ ...cancel, a: 0 }, { account: elsewhere })
    expect(wrong).toMatchObject({ verdict: 'veto', code: 'invalid', reservations: [] })
    expect(wrong.text).toBe('TWAP 7 is on ETH, and not on the market of asset 0')
  })
})

test('a cancel of a number that nobody knows passes, whatever else holds', () => {
  const cancel = { type: 'twapCancel', a: 1, t: 7 }
  const decision = ask(cancel, { latched: true, rules: { twap: 'refuse' } })
  expect(decision).toMatchObject({ verdict: 'allow', lane: 'cancel' })
  expect(decision.reservations).toEqual([[{ kind: 'twap_cancel', twapId: 7 }]])
})
