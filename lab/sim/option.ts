import { Decimal } from '../../src/core/values/decimal.ts'
import type { Json } from '../../src/core/protocol/action.ts'

type OptionValue = string | number | boolean | null | Decimal | readonly string[]

/** What a row of the table says of an option: the question it answers, and what may be given. */
export interface Option<Value = OptionValue> {
  readonly usual: Value
  readonly about: string
  /** The row of the notes on the venue that has both readings; null where there is none. */
  readonly row: string | null
  /** Each value of a choice with what it means; empty where numbers or texts are given. */
  readonly readings: readonly { readonly value: string; readonly means: string }[]
  /** What may be given, in words. */
  readonly allowed: string
  /** From JSON or from a command line's text; undefined where it does not fit. */
  read(given: Json): Value | undefined
}

export type OptionTable = { readonly [name: string]: Option }

/** The values that a table's options have together. */
export type ValuesOf<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Table[Name]['usual']
}

/** The value of every option that nobody has chosen. */
export function usualValues<Table extends OptionTable>(table: Table): ValuesOf<Table> {
  const entries = Object.entries(table).map(([name, { usual }]) => [name, usual])
  return Object.fromEntries(entries) as ValuesOf<Table>
}

/** One of several readings, each by its own word. */
export function choice<const Readings extends { readonly [value: string]: string }>(
  about: string,
  row: string | null,
  readings: Readings,
  usual: keyof Readings & string,
): Option<keyof Readings & string> {
  const values = Object.keys(readings)
  return {
    ...{ usual, about, row, allowed: `one of ${values.join(', ')}` },
    readings: Object.entries(readings).map(([value, means]) => ({ value, means })),
    read: (given) => values.find((value) => value === String(given)),
  }
}

export function flag(
  about: string,
  row: string | null,
  usual: boolean,
  means: { readonly true: string; readonly false: string },
): Option<boolean> {
  return {
    ...{ usual, about, row, allowed: 'true or false' },
    readings: [
      { value: 'false', means: means.false },
      { value: 'true', means: means.true },
    ],
    read: (given) => {
      const text = String(given)
      return text === 'true' || text === 'false' ? text === 'true' : undefined
    },
  }
}

/** Any of several words, or none of them: a list, or on a command line words with commas between. */
export function several<const Readings extends { readonly [value: string]: string }>(
  about: string,
  row: string | null,
  readings: Readings,
  usual: readonly (keyof Readings & string)[],
): Option<readonly (keyof Readings & string)[]> {
  const values = Object.keys(readings)
  return {
    ...{ usual, about, row, allowed: `any of ${values.join(', ')}, or none` },
    readings: Object.entries(readings).map(([value, means]) => ({ value, means })),
    read: (given) => {
      const listed = typeof given === 'string' ? wordsIn(given) : given
      if (!Array.isArray(listed)) return undefined
      const isKnown = listed.every((each) => values.some((value) => value === each))
      return isKnown ? values.filter((value) => listed.includes(value)) : undefined
    },
  }
}

function wordsIn(text: string): string[] {
  return text === 'none' ? [] : text.split(',').map((word) => word.trim())
}

const countMax = 1_000_000_000

/** A whole number from `least` to a billion. */
export function count(about: string, row: string | null, usual: number, least = 0): Option<number> {
  return {
    ...{ usual, about, row, readings: [], allowed: `a whole number from ${String(least)}` },
    read: (given) => readCount(given, least),
  }
}

/** A whole number, or none. */
export function countOrNone(
  about: string,
  row: string | null,
  usual: number | null,
): Option<number | null> {
  return {
    ...{ usual, about, row, readings: [], allowed: 'a whole number, or none' },
    read: (given) => (given === null || given === 'none' ? null : readCount(given, 0)),
  }
}

/** An amount in USD. */
export function amount(about: string, row: string | null, usual: string): Option<Decimal> {
  return {
    ...{ usual: Decimal.of(usual), about, row, readings: [], allowed: 'a decimal, 0 or more' },
    read: (given) => {
      const parsed = Decimal.parse(typeof given === 'number' ? String(given) : given)
      return parsed.ok && !parsed.value.isNegative() ? parsed.value : undefined
    },
  }
}

/** A decimal, or none. */
export function amountOrNone(about: string, row: string | null): Option<Decimal | null> {
  const some = amount(about, row, '0')
  return {
    ...{ usual: null, about, row, readings: [], allowed: `${some.allowed}, or none` },
    read: (given) => (given === null || given === 'none' ? null : some.read(given)),
  }
}

export function words(about: string, row: string | null, usual: string): Option<string> {
  return {
    ...{ usual, about, row, readings: [], allowed: 'a text' },
    read: (given) => (typeof given === 'string' ? given : undefined),
  }
}

function readCount(given: Json, least: number): number | undefined {
  const isText = typeof given === 'string' && /^\d{1,10}$/.test(given)
  const value = isText ? Number(given) : given
  const isCount = typeof value === 'number' && Number.isSafeInteger(value)
  return isCount && value >= least && value <= countMax ? value : undefined
}

/** A value as JSON has it. */
export function shownValue(value: OptionValue): Json {
  if (value instanceof Decimal) return value.toString()
  return typeof value === 'object' && value !== null ? [...value] : value
}
