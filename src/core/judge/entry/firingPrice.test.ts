import { describe, expect, test } from 'vitest'
import { stopOrder } from '../../account/account.fixture.ts'
import { dexAccount } from '../../account/builders.fixture.ts'
import type { DexSpec } from '../../account/builders.fixture.ts'
import type { Json } from '../../protocol/action.ts'
import type { Rules } from '../../rules/rules.ts'
import { Decimal } from '../../values/decimal.ts'
import type { Decision } from '../decision.ts'
import { judged, limitOrder, orderAction, triggerOrder } from '../judge.fixture.ts'

// The mark fires stops, and on a builder dex the mid of a thin book may be far from it.

const tesla = 110_001
const name = 'xyz:TSLA'
const rules: Partial<Rules> = {
  ...{ markets: ['*', 'xyz:*'], twap: 'watched', triggerEntries: 'watched' },
  maxDistanceFromMid: Decimal.of('0.05'),
}

function decide(
  action: Json,
  mid: string,
  mark: string,
  spec: DexSpec = {},
  more: Partial<Rules> = {},
): Decision {
  const prices = { mids: { [name]: mid }, marks: { [name]: mark }, oracles: { [name]: mark } }
  return judged(action, {
    account: dexAccount({ ...spec, ...prices }),
    rules: { ...rules, ...more },
  })
}

describe('the stop of an entry loses from mid and mark', () => {
  test.each([
    { what: 'above the mark', mid: '405', mark: '390', stop: '392', is: 'stop_wrong_side' },
    { what: 'at the mark', mid: '405', mark: '392', stop: '392', is: 'stop_wrong_side' },
    { what: 'below both', mid: '405', mark: '393', stop: '392', is: 'passed' },
    { what: 'above the mid', mid: '390', mark: '405', stop: '392', is: 'stop_wrong_side' },
  ])('of a buy, $what: $is', ({ mid, mark, stop, is }) => {
    const own = triggerOrder(tesla, false, '1', stop, '350')
    const { verdict, code, text } = decide(
      orderAction([limitOrder(tesla, true, '1', '405'), own], 'normalTpsl'),
      mid,
      mark,
    )
    expect(verdict === 'veto' ? code : 'passed', text).toBe(is)
    if (is !== 'passed') expect(text).toContain('the lowest of limit, mid and mark')
  })

  test.each([
    { what: 'below the mark', mid: '395', mark: '410', stop: '408', is: 'stop_wrong_side' },
    { what: 'above both', mid: '395', mark: '407', stop: '408', is: 'passed' },
  ])('of a sell, $what: $is', ({ mid, mark, stop, is }) => {
    const own = triggerOrder(tesla, true, '1', stop, '450')
    const { verdict, code, text } = decide(
      orderAction([limitOrder(tesla, false, '1', '395'), own], 'normalTpsl'),
      mid,
      mark,
    )
    expect(verdict === 'veto' ? code : 'passed', text).toBe(is)
  })

  test.each([
    { what: 'the mark is lower', isBuy: true, mid: '405', mark: '390', stop: '382.2' },
    { what: 'the mid is lower', isBuy: true, mid: '390', mark: '405', stop: '382.2' },
    { what: 'the mark is higher', isBuy: false, mid: '390', mark: '405', stop: '413.1' },
    { what: 'the mid is higher', isBuy: false, mid: '405', mark: '390', stop: '413.1' },
  ])('Guard puts its own as far from the worse of them: $what', ({ isBuy, mid, mark, stop }) => {
    const limit = orderAction([limitOrder(tesla, isBuy, '1', mid)])
    const twap = {
      type: 'twapOrder',
      twap: { a: tesla, b: isBuy, s: '1', r: false, m: 30, t: false },
    }
    for (const action of [limit, twap]) {
      const { entries, text } = decide(action, mid, mark)
      expect(entries[0]?.stop?.toString(), text).toBe(stop)
    }
  })

  test('a trigger that is near fires where the mark is, and not at the mid', () => {
    const trigger = { isMarket: true, triggerPx: '391', tpsl: 'sl' }
    const order = { a: tesla, b: true, p: '406', s: '1', r: false, t: { trigger } }
    const { entries, text } = decide(orderAction([order]), '405', '390')
    expect(entries[0]?.stop?.toString(), text).toBe('382.2')
  })
})

describe('nothing is added to a position whose stops the mark has passed', () => {
  const short = { stop: '408', mid: '395', isLong: false }
  test.each([
    { mark: '390', isPassed: true },
    { mark: '392', isPassed: true },
    { mark: '393', isPassed: false },
    { mark: '405', isPassed: false },
    { ...short, mark: '409', isPassed: true },
    { ...short, mark: '407', isPassed: false },
    { ...short, mark: '380', isPassed: false },
  ])('$mark: $isPassed', ({ mark, isPassed, ...given }) => {
    const { stop, mid, isLong } = { stop: '392', mid: '405', isLong: true, ...given }
    const held = stopOrder({ coin: name, oid: 3, isBuy: !isLong, size: '0.5', trigger: stop })
    const positions = { [name]: { size: isLong ? '0.5' : '-0.5' } }
    const entry = orderAction([limitOrder(tesla, isLong, '0.1', mid)])
    const { code, text } = decide(entry, mid, mark, { positions, orders: [held] })
    expect(code === 'unprotected_position', text).toBe(isPassed)
  })
})

test.each([
  { mark: '415', isFar: true },
  { mark: '405', isFar: false },
])('a liquidation at 330 is to be 20% from the mark of $mark, too: $isFar', ({ mark, isFar }) => {
  const leverage = { type: 'isolated', value: 3 } as const
  const positions = { [name]: { size: '0.5', leverage, liquidation: '330' } }
  const orders = [stopOrder({ coin: name, oid: 3, size: '0.5', trigger: '390' })]
  const own = triggerOrder(tesla, false, '0.1', '391', '350')
  const entry = orderAction([limitOrder(tesla, true, '0.1', '415'), own], 'normalTpsl')
  const more = { minLiquidationDistance: Decimal.of('0.2') }
  const { verdict, text } = decide(entry, '415', mark, { positions, orders }, more)
  expect(verdict === 'veto', text).toBe(!isFar)
  if (!isFar) expect(text).toContain('at least 20% from the price 405')
})
