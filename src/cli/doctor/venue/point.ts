import type { Json } from '../../../core/protocol/action.ts'
import type { Decimal } from '../../../core/values/decimal.ts'
import type { Told } from './told.ts'

/** What the venue showed of a point: as assumed, otherwise, or nothing that would tell. */
export interface Sight {
  readonly state: 'confirmed' | 'refuted' | 'not seen'
  /** What was seen, for a person. */
  readonly seen: string
  /** The figures it was seen by, as the venue told them or as they follow from what it told. */
  readonly values: { readonly [name: string]: Json }
}

/** Something that is assumed of the venue, and how it shows in what the venue tells. */
export interface Point {
  readonly name: string
  readonly assumed: string
  /** The simulator's option for the same question; null where it has none. */
  readonly option: string | null
  look(told: Told): Sight
}

type Values = Sight['values']

export const confirmed = (seen: string, values: Values = {}): Sight => ({
  ...{ state: 'confirmed', seen, values },
})

export const refuted = (seen: string, values: Values = {}): Sight => ({
  ...{ state: 'refuted', seen, values },
})

export const notSeen = (seen: string, values: Values = {}): Sight => ({
  ...{ state: 'not seen', seen, values },
})

/** A question that the venue did not answer, or not in a form that is known. */
export const untold = (question: string): Sight => notSeen(`${question} was not answered`)

/** As assumed in every case, or the cases in which it is not. */
export function judged(
  cases: readonly { readonly name: string; readonly fits: boolean; readonly values: Values }[],
  words: { readonly none: string; readonly all: string; readonly some: string },
): Sight {
  if (cases.length === 0) return notSeen(words.none)
  const odd = cases.filter(({ fits }) => !fits)
  const shown = odd.length === 0 ? cases : odd
  const values = Object.fromEntries(shown.map((each) => [each.name, each.values]))
  return odd.length === 0 ? confirmed(words.all, values) : refuted(words.some, values)
}

export function isNear(one: Decimal, other: Decimal, room: Decimal): boolean {
  return one.minus(other).abs().lte(room)
}
