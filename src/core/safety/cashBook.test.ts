import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Decimal } from '../values/decimal.ts'
import { CashBook } from './cashBook.ts'
import type { CashChange, CashSeen } from './cashBook.ts'

const dec = (text: string): Decimal => Decimal.of(text)
const change = (id: string, usdc: string, at: number): CashChange => ({ id, usdc: dec(usdc), at })
const seen = (cash: string, other: string | null = null): CashSeen => ({
  cash: dec(cash),
  otherCash: other === null ? null : dec(other),
  tolerance: dec('0.05'),
})

function started(cash = '1000', from = 100): CashBook {
  const book = new CashBook()
  book.start(seen(cash), from)
  return book
}

describe('what is news', () => {
  test('a movement of before the start is in the base, a flow may be late', () => {
    const book = started()
    expect(book.isNewMovement(change('a', '1', 100))).toBe(false)
    expect(book.isNewMovement(change('b', '1', 101))).toBe(true)
    expect(book.isNewMovement(change('b', '1', 101))).toBe(false)
    const late = started('1000', 700_000)
    expect(late.isNewFlow(change('c', '1', 100_001))).toBe(true)
    expect(late.isNewFlow(change('c', '1', 100_001))).toBe(false)
    expect(late.isNewFlow(change('d', '1', 100_000))).toBe(false)
  })

  test('before a start everything is news, once', () => {
    const book = new CashBook()
    expect(book.isNewMovement(change('a', '1', 1))).toBe(true)
    expect(book.isNewMovement(change('a', '1', 1))).toBe(false)
    book.restore(null, 0, [], [], ['b'])
    expect(book.isNewMovement(change('b', '1', 1))).toBe(false)
  })

  test('the last eight thousand are remembered', () => {
    const book = started()
    for (let at = 1; at <= 8_001; at++) book.isNewMovement(change(`m${at}`, '1', 100 + at))
    expect(book.isNewMovement(change('m2', '1', 102))).toBe(false)
    expect(book.isNewMovement(change('m1', '1', 101))).toBe(true)
  })

  test('starting keeps what comes after it', () => {
    const book = new CashBook()
    book.addMovement(change('a', '1', 100))
    book.addMovement(change('b', '2', 101))
    book.addFlow(change('c', '3', 100))
    book.addFlow(change('d', '4', 101))
    book.start(seen('1000'), 100)
    expect(book.movements.map(({ id }) => id)).toEqual(['b'])
    expect(book.flows.map(({ id }) => id)).toEqual(['d'])
    expect(book.isStarted).toBe(true)
  })

  test('the number of both is bounded, and the oldest go', () => {
    const book = started()
    for (let at = 1_001; at >= 1; at--) book.addMovement(change(`m${at}`, '1', at))
    expect(book.movements).toHaveLength(1_000)
    expect(book.movements[0]?.id).toBe('m2')
    for (let at = 1; at <= 7; at++) book.addFlow(change(`f${at}`, '1', at))
    expect(book.flows.map(({ id }) => id)).toEqual(['f2', 'f3', 'f4', 'f5', 'f6', 'f7'])
  })

  test('a profit or loss that there is no room for is in the base', () => {
    const book = new CashBook()
    book.start(seen('1000', '1100'), 0)
    book.addMovement({ ...change('spot', '-50', 1), isFlow: true })
    for (let at = 2; at <= 1_001; at++) book.addMovement(change(`m${at}`, '-0.5', at))
    expect([book.movements[0]?.id, book.movements[1]?.id]).toEqual(['spot', 'm3'])
    expect([String(book.base), String(book.otherBase)]).toEqual(['999.5', '1099.5'])
    expect(String(book.expected.all)).toBe('450')
  })

  test('a flow that there is no room for goes, and so does all before the first view', () => {
    const [flows, unseen] = [started(), new CashBook()]
    for (let at = 101; at <= 1_101; at++) {
      flows.addMovement({ ...change(`f${at}`, '1', at), isFlow: true })
      unseen.addMovement(change(`m${at}`, '1', at))
    }
    expect([flows.movements[0]?.id, unseen.movements[0]?.id]).toEqual(['f102', 'm102'])
    expect([String(flows.base), unseen.base]).toEqual(['1000', null])
  })

  test('a flow that may never have been makes room for one that is known', () => {
    const book = started()
    const ids = (): string => book.flows.map(({ id }) => id).join(' ')
    const unsure = (id: string, usdc: string, at: number): void => {
      book.addFlow({ ...change(`${id}:in`, usdc, at), isUnsure: true })
      book.addFlow({ ...change(`${id}:out`, `-${usdc}`, at), isUnsure: true })
    }
    for (const at of [101, 103, 105, 107]) book.addFlow(change(`f${at}`, '1', at))
    unsure('r', '5', 102)
    expect(ids()).toBe('f101 r:in r:out f103 f105 f107')
    unsure('s', '6', 104)
    expect(ids()).toBe('f101 f103 s:in s:out f105 f107')
    book.addFlow(change('f109', '1', 109))
    expect(ids()).toBe('f101 f103 f105 f107 f109')
  })

  test('what came in one millisecond has one order, whichever came first', () => {
    const [first, second] = [started(), started()]
    for (const id of ['a', 'b', 'c']) first.addMovement(change(id, '1', 101))
    for (const id of ['c', 'a', 'b']) second.addMovement(change(id, '1', 101))
    expect(first.movements).toEqual(second.movements)
  })
})

describe('what explains a view', () => {
  const cases = [
    { why: 'nothing happened', cash: '1000', movements: 0, flows: '', isExplained: true },
    { why: 'within the tolerance', cash: '1000.05', movements: 0, flows: '', isExplained: true },
    { why: 'the first movement', cash: '990', movements: 1, flows: '', isExplained: true },
    { why: 'both movements', cash: '985', movements: 2, flows: '', isExplained: true },
    { why: 'a flow alone', cash: '1200', movements: 0, flows: 'x', isExplained: true },
    { why: 'a flow and the movements', cash: '1185', movements: 2, flows: 'x', isExplained: true },
    { why: 'both flows', cash: '870', movements: 0, flows: 'xy', isExplained: true },
    { why: 'a change nobody reported', cash: '1111', movements: 0, flows: '', isExplained: false },
    {
      why: 'a movement without the one before it',
      cash: '995',
      movements: 1,
      flows: '',
      isExplained: false,
    },
  ]
  test.each(cases)('$why', ({ cash, movements, flows, isExplained }) => {
    const book = started()
    book.addMovement(change('m', '-10', 101))
    book.addMovement(change('n', '-5', 102))
    book.addFlow(change('x', '200', 101))
    book.addFlow(change('y', '-330', 102))
    const found = book.explain(seen(cash))
    expect(found.isExplained).toBe(isExplained)
    if (!isExplained) return
    expect(found.movements).toBe(movements)
    expect(found.flows.map(({ id }) => id).join('')).toBe(flows)
    book.accept(found, seen(cash), 200)
    expect(book.movements).toHaveLength(2 - movements)
    expect(book.base?.toString()).toBe(dec(cash).toString())
  })

  test('of several ways the one with the fewest flows, and none rather than one as far off', () => {
    const book = started()
    for (const [id, usdc] of [
      ['a', '5'],
      ['b', '7'],
      ['c', '12'],
    ] as const)
      book.addFlow(change(id, usdc, 101))
    expect(book.explain(seen('1012')).flows.map(({ id }) => id)).toEqual(['c'])
    const even = started()
    even.addFlow(change('x', '10', 101))
    expect(even.explain(seen('1005'))).toMatchObject({ flows: [], isExplained: false })
  })

  test('two readings of a unified account: the better one holds', () => {
    const book = new CashBook()
    book.start(seen('1000', '1000'), 0)
    expect(book.explain(seen('950', '1000')).isExplained).toBe(true)
    expect(book.explain(seen('1000', '1050')).isExplained).toBe(true)
    expect(book.explain(seen('950', '1050')).isExplained).toBe(false)
    expect(book.explain(seen('950')).residual.toString()).toBe('-50')
    expect(book.otherBase?.toString()).toBe('1000')
  })

  test('a report that never fits is forgotten after ten minutes', () => {
    const book = started()
    book.addMovement(change('m', '-10', 1_000))
    book.addFlow(change('x', '5', 1_000))
    const nothing = book.explain(seen('1000'))
    book.accept(nothing, seen('1000'), 600_999)
    expect([book.movements.length, book.flows.length]).toEqual([1, 1])
    book.accept(nothing, seen('1000'), 601_000)
    expect([book.movements.length, book.flows.length]).toEqual([0, 0])
  })
})

test('whatever is reported, and in whatever part it is in a view, the view is explained', () => {
  const amount = fc
    .integer({ min: -10_000, max: 10_000 })
    .map((cents) => new Decimal(BigInt(cents), 2))
  fc.assert(
    fc.property(
      fc.array(amount, { maxLength: 6 }),
      fc.nat(6),
      fc.array(fc.record({ usdc: amount, isIn: fc.boolean() }), { maxLength: 5 }),
      (movements, included, flows) => {
        const book = started()
        movements.forEach((usdc, index) =>
          book.addMovement({ id: `m${index}`, usdc, at: 101 + index }),
        )
        flows.forEach(({ usdc }, index) => book.addFlow({ id: `f${index}`, usdc, at: 101 + index }))
        let cash = dec('1000')
        for (const usdc of movements.slice(0, included)) cash = cash.plus(usdc)
        for (const { usdc, isIn } of flows) if (isIn) cash = cash.plus(usdc)
        const found = book.explain(seen(cash.toString()))
        expect(found.isExplained).toBe(true)
        expect(found.residual.isZero()).toBe(true)
      },
    ),
    { numRuns: 4_000 },
  )
})
