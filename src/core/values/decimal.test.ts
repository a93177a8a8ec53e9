import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readFixture } from '../../crypto/crypto.fixture.ts'
import { Decimal } from './decimal.ts'
import type { Rounding } from './decimal.ts'

const roundings: readonly Rounding[] = ['down', 'up', 'floor', 'ceil', 'half-even']

const anyDecimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }), fc.integer({ min: 0, max: 20 }))
  .map(([units, scale]) => new Decimal(units, scale))
const anyPositive = anyDecimal.map((each) => each.abs().plus(new Decimal(1n, each.scale)))
const anyScale = fc.integer({ min: 0, max: 12 })

interface Row {
  input: string
  expected: string
}
const vectors = readFixture<{ toWireString: Row[]; toIntForHashing_1e8: Row[] }>(
  'float_to_wire.json',
)

/** The vectors write some numbers with a bare dot, which the wire does not. */
const plain = (text: string): Decimal => Decimal.of(text.replace(/\.$/, ''))

test.each(vectors.toWireString)('$input is written $expected', ({ input, expected }) => {
  expect(plain(input).toString()).toBe(expected)
})

test.each(vectors.toIntForHashing_1e8)(
  '$input in units of 1e-8 is $expected',
  ({ input, expected }) => {
    const scaled = plain(input).times(Decimal.of('100000000'))
    const whole = scaled.rounded(0, 'down')
    expect(whole.eq(scaled) ? whole.toString() : 'ERROR').toBe(expected)
  },
)

test.each(['0', '-0', '12', '-12.5', '0.001', '1.0', '0.5', `1${'0'.repeat(59)}`])(
  '"%s" is a decimal',
  (text) => {
    expect(Decimal.parse(text).ok).toBe(true)
  },
)

test.each([
  ...[
    '',
    ' 1',
    '1 ',
    '+1',
    '01',
    '.5',
    '5.',
    '1e5',
    '1E-5',
    '0x1',
    'NaN',
    'Infinity',
    '1,000',
    '1_0',
  ],
  ...['--1', '-', '1.2.3', '١', '1\n', '1'.repeat(61), null, undefined, 1, 1n, {}, []],
])('%o is no decimal', (text) => {
  const parsed = Decimal.parse(text)
  expect(parsed).toMatchObject({ ok: false, error: expect.stringMatching(/^must /) })
  if (typeof text === 'string') expect(() => Decimal.of(text)).toThrow(TypeError)
})

test('parsing what was written gives the number back', () => {
  fc.assert(
    fc.property(anyDecimal, (value) => {
      const text = value.toString()
      expect(Decimal.of(text).eq(value)).toBe(true)
      expect(Decimal.of(text).toString()).toBe(text)
      expect(text).toMatch(/^-?(0|[1-9][0-9]*)(\.[0-9]*[1-9])?$/)
      expect(JSON.stringify({ value })).toBe(`{"value":"${text}"}`)
    }),
  )
})

test('sums, differences and products are exact', () => {
  fc.assert(
    fc.property(anyDecimal, anyDecimal, anyDecimal, (a, b, c) => {
      expect(a.plus(b).eq(b.plus(a))).toBe(true)
      expect(a.plus(b).minus(b).eq(a)).toBe(true)
      expect(
        a
          .plus(b)
          .times(c)
          .eq(a.times(c).plus(b.times(c))),
      ).toBe(true)
      expect(a.minus(b).eq(b.minus(a).negated())).toBe(true)
    }),
  )
})

test('a quotient is rounded the way it was asked to be', () => {
  fc.assert(
    fc.property(
      anyDecimal,
      anyPositive,
      fc.boolean(),
      anyScale,
      (a, positive, isNegative, scale) => {
        const b = isNegative ? positive.negated() : positive
        const step = new Decimal(1n, scale)
        const within = (quotient: Decimal, tolerance: Decimal): boolean =>
          quotient.times(b).minus(a).abs().lte(tolerance.times(b.abs()))
        for (const rounding of roundings)
          expect(within(a.over(b, scale, rounding), step)).toBe(true)
        expect(within(a.over(b, scale, 'half-even'), new Decimal(5n, scale + 1))).toBe(true)
        // Comparing with the exact quotient by multiplying out; the divisor's sign turns it around.
        const side = (quotient: Decimal): number =>
          quotient.times(b).cmp(a) * (b.isNegative() ? -1 : 1)
        expect(side(a.over(b, scale, 'floor'))).toBeLessThanOrEqual(0)
        expect(side(a.over(b, scale, 'ceil'))).toBeGreaterThanOrEqual(0)
        expect(a.over(b, scale, 'down').times(b).abs().lte(a.abs())).toBe(true)
        expect(a.over(b, scale, 'up').times(b).abs().gte(a.abs())).toBe(true)
      },
    ),
    { numRuns: 1_000 },
  )
})

test('rounding never crosses the value in the forbidden direction', () => {
  fc.assert(
    fc.property(anyDecimal, anyScale, (value, scale) => {
      expect(value.rounded(scale, 'floor').lte(value)).toBe(true)
      expect(value.rounded(scale, 'ceil').gte(value)).toBe(true)
      expect(value.rounded(scale, 'down').abs().lte(value.abs())).toBe(true)
      expect(value.rounded(scale, 'up').abs().gte(value.abs())).toBe(true)
      for (const rounding of roundings) {
        const rounded = value.rounded(scale, rounding)
        expect(rounded.minus(value).abs().lt(new Decimal(1n, scale))).toBe(true)
        expect(rounded.rounded(scale, rounding).eq(rounded)).toBe(true)
      }
    }),
    { numRuns: 1_000 },
  )
})

test.each([
  ['2.5', '2'],
  ['3.5', '4'],
  ['-2.5', '-2'],
  ['-3.5', '-4'],
  ['2.51', '3'],
  ['-2.49', '-2'],
])('%s rounds half to even: %s', (value, expected) => {
  expect(Decimal.of(value).rounded(0, 'half-even').toString()).toBe(expected)
})

test('a step divides what was rounded to it', () => {
  fc.assert(
    fc.property(anyDecimal, anyPositive, fc.constantFrom(...roundings), (value, step, rounding) => {
      const rounded = value.toStep(step, rounding)
      expect(rounded.over(step, 0, 'down').times(step).eq(rounded)).toBe(true)
      expect(rounded.minus(value).abs().lt(step)).toBe(true)
    }),
  )
})

test('comparison is a total order that does not see trailing zeros', () => {
  fc.assert(
    fc.property(anyDecimal, anyDecimal, fc.integer({ min: 0, max: 5 }), (a, b, zeros) => {
      const same = new Decimal(a.units * 10n ** BigInt(zeros), a.scale + zeros)
      expect(same.eq(a) && same.cmp(b) === a.cmp(b)).toBe(true)
      expect([a.lt(b), a.eq(b), a.gt(b)].filter(Boolean)).toHaveLength(1)
      expect([a.lte(b), a.gte(b)]).toEqual([!a.gt(b), !a.lt(b)])
      expect(Decimal.max(a, b).gte(Decimal.min(a, b))).toBe(true)
      expect(Decimal.min(a, b).plus(Decimal.max(a, b)).eq(a.plus(b))).toBe(true)
    }),
  )
})

test('signs are told apart', () => {
  const signs = (value: Decimal): boolean[] => [
    value.isPositive(),
    value.isZero(),
    value.isNegative(),
  ]
  expect(signs(Decimal.of('0.1'))).toEqual([true, false, false])
  expect(signs(Decimal.of('-0.0'))).toEqual([false, true, false])
  expect(signs(Decimal.of('-3'))).toEqual([false, false, true])
  expect(Decimal.of('-3').abs().eq(Decimal.whole(3))).toBe(true)
  expect(Decimal.whole(7n).eq(Decimal.of('7'))).toBe(true)
})

test('division by zero is a bug', () => {
  expect(() => Decimal.one.over(Decimal.zero, 2, 'down')).toThrow('division by zero')
})
