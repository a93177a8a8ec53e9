import { describe, expect, test } from 'vitest'
import { Decimal } from '../values/decimal.ts'
import { lossOf, ratioOf, stepOf, withFlow } from './loss.ts'

const dec = (text: string): Decimal => Decimal.of(text)

describe('a loss', () => {
  test.each([
    // base, equity, limit, cap, reached
    ['1000', '940', '0.06', null, true],
    ['1000', '940.000001', '0.06', null, false],
    ['1000', '970', '0.06', '500', true],
    ['1000', '970.000001', '0.06', '500', false],
    ['1000', '940', '0.06', '2000', true],
    ['0', '-5', '0.06', null, false],
    ['-1', '-5', '0.06', null, false],
  ])('from %s to %s reaches %s of a cap of %s: %s', (base, equity, limit, cap, reached) => {
    expect(lossOf(dec(base), dec(equity), dec(limit), cap === null ? null : dec(cap))).toBe(reached)
  })

  test.each([
    ['3', '2', null, '0.33333333'],
    ['3', '1', null, '0.66666667'],
    ['3', '4', null, '-0.33333333'],
    ['1000', '970', '500', '0.06'],
    ['0', '5', null, null],
  ])('from %s to %s with a cap of %s is a share of %s', (base, equity, cap, share) => {
    const ratio = ratioOf(dec(base), dec(equity), cap === null ? null : dec(cap))
    expect(ratio?.toString() ?? null).toBe(share)
  })
})

describe('a flow moves a base', () => {
  test.each([
    // base, equity with the flow, flow, moved: base x e / (e - f)
    ['1000', '1400', '500', '1555.555555555556'],
    ['1000', '450', '-450', '500'],
    ['0.1234567890123456', '5', '0', '0.1234567890123456'],
    ['1000', '400', '400', '400'],
    ['1000', '400', '500', '400'],
    ['1000', '0', '-500', '0'],
    ['100', '-5', '-50', '0'],
  ])('of %s, at %s after %s, to %s', (base, equity, flow, moved) => {
    expect(withFlow(dec(base), dec(equity), dec(flow)).toString()).toBe(moved)
  })
})

describe('the step a flow is in', () => {
  test.each([
    ['-10', ['1000', '999.5', '989.5'], 1],
    ['-10', ['1000', '990', '989.5'], 0],
    ['10', ['1000', '1001', '990', '1000.5'], 2],
    ['5', ['0', '5', '10'], 0],
    ['5', ['7'], 0],
  ])('of %s among %s is the nearest, the first of equals: %i', (flow, equities, step) => {
    expect(stepOf(dec(flow), equities.map(dec))).toBe(step)
  })
})
