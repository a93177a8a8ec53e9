import type { Result } from '../values/result.ts'
import type { Json } from './action.ts'
import { readFills } from './decodeInfoHistory.ts'
import {
  coinOf,
  decimalOf,
  decoding,
  eachOf,
  flagOf,
  isBuyOf,
  listOf,
  objectOf,
  wholeOf,
} from './readJson.ts'
import type { Fill, Twap } from './venueState.ts'

/** TWAPs, as the stream and `webData2` show them: no list of orders has them. */

/** Reads `webData2`, the one answer over HTTP that lists the running TWAPs of the main dex. */
export function decodeRunningTwaps(json: Json): Result<readonly Twap[]> {
  return decoding('webData2', () => readTwapStates(objectOf(json)['twapStates']))
}

/** A list of pairs: the number, then the state. */
export function readTwapStates(json: Json | undefined): readonly Twap[] {
  return eachOf(json, 'twapStates', (each) => {
    const [id, state] = listOf(each, 'twap')
    const from = objectOf(state, 'state')
    return {
      id: wholeOf({ id: id ?? null }, 'id'),
      coin: coinOf(from, 'coin'),
      isBuy: isBuyOf(from),
      size: decimalOf(from, 'sz'),
      executedSize: decimalOf(from, 'executedSz'),
      isReduceOnly: flagOf(from, 'reduceOnly'),
    }
  })
}

/** Fills of slices are in no other list of fills. */
export function readSliceFills(json: Json | undefined): readonly Fill[] {
  const fills = eachOf(json, 'twapSliceFills', (each) => objectOf(each, 'slice')['fill'] ?? null)
  return readFills(fills)
}
