import type { Coin } from '../values/coin.ts'
import type { Decimal } from '../values/decimal.ts'
import type { Result } from '../values/result.ts'
import type { Json } from './action.ts'
import { coinOf, decimalOf, decoding, eachOf, listOf, objectOf } from './readJson.ts'

/** What rests at one price of a book. */
export interface BookLevel {
  readonly price: Decimal
  readonly size: Decimal
}

/** A book as far as the venue shows it: 20 prices on each side, the best first. */
interface Book {
  readonly coin: Coin
  readonly bids: readonly BookLevel[]
  readonly asks: readonly BookLevel[]
}

export function decodeBook(json: Json): Result<Book> {
  return decoding('l2Book', () => {
    const from = objectOf(json)
    const [bids, asks] = listOf(from['levels'], 'levels')
    return { coin: coinOf(from, 'coin'), bids: readLevels(bids), asks: readLevels(asks) }
  })
}

function readLevels(json: Json | undefined): readonly BookLevel[] {
  return eachOf(json, 'levels', (each) => {
    const level = objectOf(each, 'level')
    return { price: decimalOf(level, 'px'), size: decimalOf(level, 'sz') }
  })
}
