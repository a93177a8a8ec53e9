import type { Result } from '../values/result.ts'
import type { Json, JsonObject } from './action.ts'
import { readFills } from './decodeInfoHistory.ts'
import {
  coinOf,
  decimalOf,
  decimalOrNull,
  decoding,
  eachOf,
  flagOf,
  isAbsent,
  isBuyOf,
  listOf,
  objectOf,
  textOf,
  timeOf,
  wholeOf,
} from './readJson.ts'
import type { Fill, Twap, TwapNews } from './venueState.ts'

/** TWAPs, as the stream and `webData2` show them: no list of orders has them. */

/** Reads `webData2`, the one answer over HTTP that lists the running TWAPs of the main dex. */
export function decodeRunningTwaps(json: Json): Result<readonly Twap[]> {
  return decoding('webData2', () => readTwapStates(objectOf(json)['twapStates']))
}

/** Reads `twapHistory`: what became of TWAPs, those that wait for a price among them. */
export function decodeTwapHistory(json: Json): Result<readonly TwapNews[]> {
  return decoding('twapHistory', () =>
    eachOf(json, 'twapHistory', (each) => {
      const row = objectOf(each, 'row')
      const status = textOf(objectOf(row['status'], 'status'), 'status')
      return {
        id: isAbsent(row['twapId']) ? null : wholeOf(row, 'twapId'),
        twap: readState(objectOf(row['state'], 'state')),
        isOver: ended.has(status),
      }
    }),
  )
}

/** A status that nobody knows tells no end. */
const ended: ReadonlySet<string> = new Set(['terminated', 'finished', 'stopped', 'error'])

/** A list of pairs: the number, then the state. */
export function readTwapStates(json: Json | undefined): readonly Twap[] {
  return eachOf(json, 'twapStates', (each) => {
    const [id, state] = listOf(each, 'twap')
    return { id: wholeOf({ id: id ?? null }, 'id'), ...readState(objectOf(state, 'state')) }
  })
}

function readState(from: JsonObject): Omit<Twap, 'id'> {
  const trigger = from['trigger']
  return {
    coin: coinOf(from, 'coin'),
    isBuy: isBuyOf(from),
    size: decimalOf(from, 'sz'),
    executedSize: decimalOf(from, 'executedSz'),
    isReduceOnly: flagOf(from, 'reduceOnly'),
    minutes: wholeOf(from, 'minutes'),
    isRandomized: flagOf(from, 'randomize'),
    triggerPrice: isAbsent(trigger) ? null : decimalOf(objectOf(trigger, 'trigger'), 'px'),
    endPrice: decimalOrNull(from, 'stopPx'),
    at: timeOf(from, 'timestamp'),
  }
}

/** Reads `userTwapSliceFills`. */
export function decodeSliceFills(json: Json): Result<readonly Fill[]> {
  return decoding('userTwapSliceFills', () => readSliceFills(json))
}

/** Fills of slices are in no other list of fills; the number of their TWAP stands beside each. */
export function readSliceFills(json: Json | undefined): readonly Fill[] {
  const slices = eachOf(json, 'twapSliceFills', (each) => objectOf(each, 'slice'))
  const fills = readFills(slices.map((slice) => slice['fill'] ?? null))
  return fills.map((fill, at) => {
    const slice = slices[at] ?? {}
    return isAbsent(slice['twapId']) ? fill : { ...fill, twapId: wholeOf(slice, 'twapId') }
  })
}
