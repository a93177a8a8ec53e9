import { InvalidArgumentError, Option } from 'commander'
import { clientNameFault } from '../config/clientName.ts'
import { parseAddress } from '../core/values/address.ts'
import type { Address } from '../core/values/address.ts'
import { parseCloid } from '../core/values/cloid.ts'
import { Decimal } from '../core/values/decimal.ts'

/** Flags that are checked while they are read; a refusal names the flag and what it takes. */

export function countOption(
  flags: string,
  text: string,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): Option {
  return new Option(flags, text).argParser((value) => readCount(value, least, most))
}

export function readCount(value: string, least: number, most: number): number {
  const count = /^\d{1,16}$/.test(value) ? Number(value) : NaN
  if (!Number.isSafeInteger(count) || count < least || count > most) {
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  }
  return count
}

export function addressOption(flags: string, text: string): Option {
  return new Option(flags, text).argParser(readAddress)
}

export function readAddress(value: string): Address {
  const parsed = parseAddress(value)
  if (!parsed.ok) throw new InvalidArgumentError(`It ${parsed.error}.`)
  return parsed.value
}

export function readClientName(value: string): string {
  const fault = clientNameFault(value)
  if (fault !== null) throw new InvalidArgumentError(`It ${fault}.`)
  return value
}

export function cloidOption(flags: string, text: string): Option {
  return new Option(flags, text).argParser((value) => {
    const parsed = parseCloid(value)
    if (!parsed.ok) throw new InvalidArgumentError(`It ${parsed.error}.`)
    return parsed.value
  })
}

/** A positive decimal, kept exact. */
export function decimalOption(flags: string, text: string): Option {
  return new Option(flags, text).argParser((value) => {
    const parsed = Decimal.parse(value)
    if (!parsed.ok) throw new InvalidArgumentError(`It ${parsed.error}.`)
    if (!parsed.value.isPositive()) throw new InvalidArgumentError('It must be above zero.')
    return parsed.value
  })
}
