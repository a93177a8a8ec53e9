import { Decimal } from '../values/decimal.ts'
import { covers } from './marketNames.ts'
import type { RuleValue } from './readRules.ts'
import type { RuleRow } from './ruleTable.ts'

/** How a value compares with another by a rule: `tighter` than it, the `same`, or `looser`. */
type Tightness = 'tighter' | 'same' | 'looser'

/** Compares two values of one rule; what is neither tighter nor the same is looser. */
export function tightness(row: RuleRow, value: RuleValue, than: RuleValue): Tightness {
  switch (row.tighter) {
    case 'smaller':
      return byOrder(compareNumbers(value, than))
    case 'larger':
      return byOrder(compareFloors(than, value))
    case 'refuse':
    case 'isolated':
      if (value === than) return 'same'
      return value === row.tighter ? 'tighter' : 'looser'
    case 'fewer':
      return compareMarkets(value as readonly string[], than as readonly string[])
  }
}

function byOrder(order: number): Tightness {
  if (order === 0) return 'same'
  return order < 0 ? 'tighter' : 'looser'
}

/** No limit is the largest of all. */
function compareNumbers(left: RuleValue, right: RuleValue): number {
  if (left === null || right === null) {
    if (left === right) return 0
    return left === null ? 1 : -1
  }
  return asDecimal(left).cmp(asDecimal(right))
}

/** What is not set asks for nothing: the least of all. */
function compareFloors(left: RuleValue, right: RuleValue): number {
  return left === null || right === null ? compareNumbers(right, left) : compareNumbers(left, right)
}

function asDecimal(value: RuleValue): Decimal {
  return value instanceof Decimal ? value : Decimal.whole(value as number)
}

function compareMarkets(left: readonly string[], right: readonly string[]): Tightness {
  const isWithin = (inner: readonly string[], outer: readonly string[]): boolean =>
    inner.every((name) => covers(outer, name))
  if (!isWithin(left, right)) return 'looser'
  return isWithin(right, left) ? 'same' : 'tighter'
}
