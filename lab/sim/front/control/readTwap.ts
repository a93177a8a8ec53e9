import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'
import type { TwapSpec } from '../../engine/venueConfig.ts'
import {
  ControlProblem,
  onlyFields,
  readAddress,
  readChoice,
  readCoinName,
  readCount,
  readDecimal,
  readFields,
  readFlag,
  readOptionalCount,
  readOptionalDecimal,
} from './problems.ts'

const fieldsKnown = [
  ...['coin', 'user', 'side', 'sz', 'executedSz', 'executedNtl', 'minutes', 'reduceOnly'],
  ...['randomize', 'timestamp', 'trigger', 'stopPx'],
]

/** A TWAP as `twapStates` has it: its state, or a pair of its number and its state. */
export function readTwap(json: Json, path: string, owner: Address): TwapSpec {
  const isPair = Array.isArray(json)
  const [number, state] = isPair ? (json as readonly Json[]) : [undefined, json]
  const fields = readFields(state, isPair ? `${path}[1]` : path)
  onlyFields(fields, path, fieldsKnown)
  const user = fields['user']
  if (user !== undefined && readAddress(user, `${path}.user`) !== owner) {
    throw new ControlProblem(`${path}.user must be ${owner}, got ${JSON.stringify(user)}`)
  }
  const timestamp = readOptionalCount(fields['timestamp'], `${path}.timestamp`)
  return {
    ...(number === undefined ? {} : { twapId: readCount(number, `${path}[0]`, twapIdMax) }),
    coin: readCoinName(fields['coin'], `${path}.coin`),
    isBuy: readChoice(fields['side'], `${path}.side`, ['B', 'A'] as const) === 'B',
    size: readDecimal(fields['sz'], `${path}.sz`),
    executedSize: readOptionalDecimal(fields['executedSz'], `${path}.executedSz`) ?? Decimal.zero,
    executedValue:
      readOptionalDecimal(fields['executedNtl'], `${path}.executedNtl`) ?? Decimal.zero,
    minutes: readCount(fields['minutes'], `${path}.minutes`),
    isReduceOnly: readFlag(fields['reduceOnly'], `${path}.reduceOnly`),
    randomize: readFlag(fields['randomize'], `${path}.randomize`),
    ...(timestamp === null ? {} : { timestamp }),
    trigger: readTrigger(fields['trigger'] ?? null, `${path}.trigger`),
    stopPrice: readOptionalDecimal(fields['stopPx'], `${path}.stopPx`),
  }
}

/** Numbers of orders and of TWAPs go on from it, and stay whole. */
const twapIdMax = 1_000_000_000_000_000

function readTrigger(json: Json, path: string): TwapSpec['trigger'] {
  if (json === null) return null
  const fields = readFields(json, path)
  onlyFields(fields, path, ['px', 'above'])
  return {
    price: readDecimal(fields['px'], `${path}.px`),
    isAbove: readFlag(fields['above'], `${path}.above`),
  }
}
