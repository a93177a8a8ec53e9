import { limits } from '../values/limits.ts'
import type { Address } from '../values/address.ts'
import type { Json } from './action.ts'
import { decodeOpenOrder } from './decodeInfoOrders.ts'
import type { OpenOrder } from './venueState.ts'

/** One order of the last list, as it was written and as it was read. */
interface Piece {
  readonly text: string
  readonly order: OpenOrder
}

const quote = 0x22
const comma = 0x2c
const openBrace = 0x7b
const closeBrace = 0x7d
const tail = ']}}'
/** How far a list is looked ahead for where it goes on as before: so many orders may have gone. */
const goneMax = limits.orderListGoneMax

/**
 * Reads the stream's lists of open orders. With every change of one order the venue tells all of
 * them, and reading a thousand takes 5 ms in which nothing else happens; what is written as it was
 * in the last list is not read again. It knows just the form in which the venue writes these frames.
 */
export class OrderListReader {
  readonly #heads: readonly string[]
  #last: readonly Piece[] = []

  constructor(account: Address) {
    this.#heads = [`"dex":"","user":"${account}"`, `"user":"${account}","dex":""`].map(
      (fields) => `{"channel":"openOrders","data":{${fields},"orders":[`,
    )
  }

  /** Null for any other frame, and for one that is written in any other way: read it in full. */
  read(text: string): readonly OpenOrder[] | null {
    const head = this.#heads.find((each) => text.startsWith(each))
    // An escape could hide where a text ends.
    if (head === undefined || !text.endsWith(tail) || text.includes('\\')) return null
    const end = text.length - tail.length
    const pieces: Piece[] = []
    let before = 0
    for (let at = head.length; at < end;) {
      const same = this.#sameAt(text, at, before)
      const piece = same === null ? pieceAt(text, at) : this.#last[same]
      if (piece === undefined || piece === null) return null
      if (same !== null) before = same + 1
      pieces.push(piece)
      at += piece.text.length
      if (at === end) break
      if (text.charCodeAt(at) !== comma || at + 1 === end) return null
      at += 1
    }
    this.#last = pieces
    return pieces.map(({ order }) => order)
  }

  /** Which order of the last list stands here, as it was; one text cannot begin another. */
  #sameAt(text: string, at: number, before: number): number | null {
    const last = Math.min(this.#last.length, before + goneMax + 1)
    for (let place = before; place < last; place += 1) {
      const known = this.#last[place]?.text
      // Five times as fast as `startsWith`.
      if (known !== undefined && known === text.slice(at, at + known.length)) return place
    }
    return null
  }
}

/** The order that begins here; null when what stands here is none. */
function pieceAt(text: string, at: number): Piece | null {
  const end = endOfObject(text, at)
  if (end === null) return null
  // A copy: a slice would keep the whole frame in memory for as long as one order rests.
  const own = JSON.parse(JSON.stringify(text.slice(at, end))) as string
  let json: Json
  try {
    json = JSON.parse(own) as Json
  } catch {
    return null
  }
  const order = decodeOpenOrder(json)
  return order.ok ? { text: own, order: order.value } : null
}

function endOfObject(text: string, start: number): number | null {
  let depth = 0
  let isQuoted = false
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (code === openBrace) depth += 1
    else if (code === closeBrace) depth -= 1
    if (depth === 0) return code === closeBrace ? at + 1 : null
  }
  return null
}
