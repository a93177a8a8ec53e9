import type { Builder, Order, OrderAction } from '../../protocol/action.ts'
import type { Rules } from '../../rules/rules.ts'
import { Decimal } from '../../values/decimal.ts'
import { change } from '../changes.ts'
import { smallWhole } from '../context.ts'
import type { Change } from '../changes.ts'
import type { JudgeInput } from '../decision.ts'

/** A builder's fee is counted in tenths of a basis point of the value. */
const builderUnits = Decimal.whole(100_000)
/** A priority fee is counted in 1e-8 of the value. */
const priorityUnits = Decimal.whole(100_000_000)

function wholeUnits(ratio: Decimal, units: Decimal): number {
  return smallWhole(ratio.times(units).rounded(0, 'down'))
}

/** The builder of an action as it may be paid: one that the configuration names, at most the rule's fee. */
export function allowedBuilder(input: JudgeInput, { builder }: OrderAction): Builder | null {
  if (builder === null || !input.builders.has(builder.address)) return null
  const { maxBuilderFee } = input.rulesFor(input.client, null)
  if (maxBuilderFee === null) return builder
  return { ...builder, fee: Math.min(builder.fee, wholeUnits(maxBuilderFee, builderUnits)) }
}

/**
 * The priority fee that these exits go with; null: none. The venue takes it for immediate orders
 * alone, and an exit must not be refused for what it offers beside its price.
 */
export function exitPriority(
  rules: Rules,
  { priorityFee }: OrderAction,
  exits: readonly Order[],
): number | null {
  if (priorityFee === undefined || priorityFee > mostPriority(rules)) return null
  return exits.length > 0 && exits.every(isImmediate) ? priorityFee : null
}

function mostPriority({ maxPriorityFee }: Rules): number {
  return maxPriorityFee.isZero() ? -1 : wholeUnits(maxPriorityFee, priorityUnits)
}

function isImmediate({ type }: Order): boolean {
  return type.kind === 'limit' && type.tif === 'Ioc'
}

/** What became of the fees that an action offers; `paid` is the priority fee that its exits go with. */
export function feeChanges(
  rules: Rules,
  { builder, priorityFee }: OrderAction,
  allowed: Builder | null,
  paid: number | null,
  hasEntries: boolean,
): readonly Change[] {
  const changes: Change[] = []
  if (builder !== null && allowed === null) {
    const text = `the builder ${builder.address} removed: the configuration does not name it`
    changes.push(change(text, 'builder', builder.address, null, 'builders'))
  } else if (builder !== null && allowed !== null && allowed.fee < builder.fee) {
    const text = `the builder's fee lowered from ${builder.fee} to ${allowed.fee} tenths of a basis point (max_builder_fee)`
    changes.push(change(text, 'builder_fee', `${builder.fee}`, `${allowed.fee}`, 'max_builder_fee'))
  }
  if (priorityFee !== undefined && (paid === null || hasEntries)) {
    const why = removedWhy(rules, priorityFee, paid)
    const text = `the priority fee (grouping {"p": ${priorityFee}}) removed${why}`
    changes.push(change(text, 'grouping', `p ${priorityFee}`, 'na', 'priority_fee'))
  }
  return changes
}

function removedWhy(rules: Rules, fee: number, paid: number | null): string {
  if (paid !== null) return ' from entries: their stop cannot go in that grouping'
  if (rules.maxPriorityFee.isZero()) return ': nothing is paid for it'
  return fee > mostPriority(rules)
    ? `: it is above max_priority_fee (p ${mostPriority(rules)})`
    : ': it is paid for orders that close at once (Ioc) alone'
}
