import type { OrderNames } from '../engine/guard.ts'
import { givenCloidPrefix, guardCloidTailBytes } from '../core/protocol/guardCloid.ts'

/**
 * What a bot did not send it does not see: the client order ids that Guard gave to orders of bots are
 * taken out of the venue's texts, or stand there as the ids by which bots call them. Guard's own orders, its stops and
 * closes, keep theirs: they are not the bot's, and that is how a bot can tell.
 */

/** How a bot calls the order that has an id of Guard's; null where it came without one. */
export type ShownNames = Pick<OrderNames, 'nameOf'>

/** A text of the venue with nothing of this in it goes to the bot as it came. */
const mark = `"${givenCloidPrefix}`

const tailDigits = 2 * guardCloidTailBytes
const member = new RegExp(
  `(,\\s*)?"cloid"\\s*:\\s*"(${givenCloidPrefix}[0-9a-f]{${tailDigits}})"(\\s*,)?`,
  'g',
)

/** Reads and channels whose orders always have a `cloid`, null where the order has none. */
const nullInReads: ReadonlySet<string> = new Set([
  ...['frontendOpenOrders', 'orderStatus', 'historicalOrders', 'webData2'],
])
const nullInChannels: ReadonlySet<string> = new Set([
  ...['openOrders', 'userHistoricalOrders', 'webData2', 'webData3'],
])

/** The answer to a read of this type; the same bytes where there is nothing to take out. */
export function shownInRead(type: string, bytes: Buffer, names: ShownNames): Buffer {
  if (!bytes.includes(mark)) return bytes
  return Buffer.from(asNamed(bytes.toString('utf8'), nullInReads.has(type), names))
}

/** A frame of this channel; the same text where there is nothing to take out. */
export function shownInFrame(channel: string, text: string, names: ShownNames): string {
  return text.includes(mark) ? asNamed(text, nullInChannels.has(channel), names) : text
}

/**
 * Works on the text, so that all else stays as the venue wrote it. Inside a string of the venue the
 * quotes would be escaped, so that only a member can be met.
 */
function asNamed(text: string, isNull: boolean, names: ShownNames): string {
  type Part = string | undefined
  return text.replace(member, (_, before: Part, id: string, after: Part) => {
    const name = names.nameOf(id)
    if (name === null && !isNull) return before !== undefined && after !== undefined ? ',' : ''
    return `${before ?? ''}"cloid":${name === null ? 'null' : `"${name}"`}${after ?? ''}`
  })
}
