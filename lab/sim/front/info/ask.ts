import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import { parseAddress } from '../../../../src/core/values/address.ts'
import { parseCoin } from '../../../../src/core/values/coin.ts'
import type { Coin } from '../../../../src/core/values/coin.ts'
import type { VenueReads } from '../../engine/venueReads.ts'
import type { AddressBudget } from '../addressBudget.ts'
import type { FrontOptions } from '../options.ts'

/** One `/info` question with all that an answer may need. */
export interface Ask {
  readonly request: { readonly [key: string]: Json }
  readonly venue: VenueReads
  readonly budget: AddressBudget
  readonly options: FrontOptions
}

/** `unfit` does not fit the schema (422); `failed` is the venue's own 500 with `null`. */
export type Told = { readonly json: Json } | 'unfit' | 'failed'

export type InfoAnswer = (ask: Ask) => Told

export function told(json: Json): Told {
  return { json }
}

function readUser(ask: Ask): Address | null {
  const parsed = parseAddress(ask.request['user'])
  return parsed.ok ? parsed.value : null
}

export function readCoin(ask: Ask, field: Json | undefined = ask.request['coin']): Coin | null {
  const parsed = parseCoin(field)
  return parsed.ok ? parsed.value : null
}

/** Wraps an answer about one account: a missing or malformed user does not fit the schema. */
export function ofUser(answer: (ask: Ask, user: Address) => Told | Json): InfoAnswer {
  return (ask) => {
    const user = readUser(ask)
    if (user === null) return 'unfit'
    return asTold(answer(ask, user))
  }
}

function asTold(answer: Told | Json): Told {
  if (answer === 'unfit' || answer === 'failed') return answer
  if (answer !== null && typeof answer === 'object' && 'json' in answer) return answer as Told
  return told(answer as Json)
}

/** Wraps an answer that depends on the dex; one that nobody knows is the venue's 500. */
export function ofDex(answer: (ask: Ask, dex: string) => Told): InfoAnswer {
  return (ask) => {
    const dex = ask.request['dex'] ?? ''
    if (typeof dex !== 'string') return 'unfit'
    return ask.venue.hasDex(dex) ? answer(ask, dex) : 'failed'
  }
}

/** Wraps an answer about one account on one dex. */
export function onDexOf(answer: (ask: Ask, user: Address, dex: string) => Told): InfoAnswer {
  return ofDex((ask, dex) => ofUser((each, user) => answer(each, user, dex))(ask))
}

/** A whole number field; null when absent, `unfit` when it is something else. */
export function readMillis(value: Json | undefined): number | null | 'unfit' {
  if (value === undefined || value === null) return null
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 'unfit'
}

/** An inclusive time range with an open end. */
export function readRange(
  request: { readonly [key: string]: Json },
  isStartNeeded: boolean,
): { readonly start: number; readonly end: number } | 'unfit' {
  const start = readMillis(request['startTime'])
  const end = readMillis(request['endTime'])
  if (start === 'unfit' || end === 'unfit') return 'unfit'
  if (start === null && isStartNeeded) return 'unfit'
  return { start: start ?? 0, end: end ?? Number.MAX_SAFE_INTEGER }
}
