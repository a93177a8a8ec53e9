import { err, ok } from '../../src/core/values/result.ts'
import type { Result } from '../../src/core/values/result.ts'
import type { Json } from '../../src/core/protocol/action.ts'
import { defaultOptions, venueOptionTable } from './engine/options.ts'
import type { VenueOptions } from './engine/options.ts'
import { defaultFrontOptions, frontOptionTable } from './front/options.ts'
import type { FrontOptions } from './front/options.ts'
import { shownValue } from './option.ts'
import type { Option, OptionTable } from './option.ts'

type Fields = { readonly [name: string]: Json }

/** Every option by its name. */
export type SimOptions = VenueOptions & FrontOptions

export const optionTable: OptionTable = { ...venueOptionTable, ...frontOptionTable }

/** Options that go by a second name, whose values have other words. */
const otherNames: {
  readonly [name: string]: { readonly of: keyof SimOptions; readonly values: Fields }
} = {
  triggerMargin: { of: 'trigger_reserve', values: { none: 'none', full: 'limit' } },
  iocCheckPx: { of: 'ioc_margin_px', values: { mark: 'mark', limit: 'limit' } },
}

/** The options of a simulator while it runs: whoever holds one of the two parts sees changes at once. */
export class OptionBoard {
  readonly venue: VenueOptions
  readonly front: FrontOptions
  readonly #start: Partial<SimOptions>

  constructor(start: Partial<SimOptions>) {
    this.#start = start
    this.venue = { ...defaultOptions }
    this.front = { ...defaultFrontOptions }
    this.set(start)
  }

  /** Changes some, from now on. */
  set(values: Partial<SimOptions>): void {
    for (const [name, value] of Object.entries(values)) {
      const part = name in venueOptionTable ? this.venue : this.front
      Object.assign(part, { [name]: value })
    }
  }

  /** As the simulator was started, with these instead; returns how to take that back. */
  startOver(values: Partial<SimOptions>): () => void {
    const before = { ...this.venue, ...this.front }
    this.set({ ...defaultOptions, ...defaultFrontOptions, ...this.#start, ...values })
    return () => {
      this.set(before)
    }
  }

  /** The table with what holds now. */
  list(): Json {
    const values = { ...this.venue, ...this.front }
    return Object.entries(optionTable).map(([name, option]) =>
      described(name, option, shownValue(values[name as keyof SimOptions])),
    )
  }
}

function described(name: string, option: Option, value: Json): Json {
  const means = option.readings.map((each) => [each.value, each.means])
  const also = otherNameOf(name)
  return {
    ...{ name, value, default: shownValue(option.usual) },
    ...{ about: option.about, allowed: option.allowed },
    ...(means.length === 0 ? {} : { means: Object.fromEntries(means) as Json }),
    row: option.row,
    ...(also === null ? {} : { also }),
  }
}

/** The second name of an option; null where it has none. */
function otherNameOf(name: string): string | null {
  return Object.keys(otherNames).find((each) => otherNames[each]?.of === name) ?? null
}

/** One option by its name, its value as JSON or as a command line's text. */
export function readOption(name: string, given: Json): Result<Partial<SimOptions>> {
  const other = Object.hasOwn(otherNames, name) ? otherNames[name] : undefined
  if (other !== undefined) return readOption(other.of, other.values[String(given)] ?? given)
  const option = Object.hasOwn(optionTable, name) ? optionTable[name] : undefined
  if (option === undefined) {
    return err(`there is no option ${name}; there are ${Object.keys(optionTable).join(', ')}`)
  }
  const value = option.read(given)
  if (value === undefined) {
    return err(`option ${name} must be ${option.allowed}, got ${JSON.stringify(given)}`)
  }
  return ok({ [name]: value })
}

/** Options as an object has them; those with a dot in their name may be nested. */
export function readOptions(fields: Fields): Result<Partial<SimOptions>> {
  let values: Partial<SimOptions> = {}
  for (const [name, given] of Object.entries(fields).flatMap(flattened)) {
    const read = readOption(name, given)
    if (!read.ok) return read
    values = { ...values, ...read.value }
  }
  return ok(values)
}

function flattened([name, given]: [string, Json]): [string, Json][] {
  const isNested = typeof given === 'object' && given !== null && !Array.isArray(given)
  if (!isNested) return [[name, given]]
  return Object.entries(given).map(([key, each]) => [`${name}.${key}`, each])
}
