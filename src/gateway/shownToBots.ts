import { givenCloidPrefix, guardCloidTailBytes } from '../core/protocol/guardCloid.ts'

/**
 * What a bot did not send it does not see: the client order ids that Guard gave to orders of bots
 * that came without one are taken out of the venue's texts. Guard's own orders, its stops and
 * closes, keep theirs: they are not the bot's, and that is how a bot can tell.
 */

/** A text of the venue with nothing of this in it goes to the bot as it came. */
const mark = `"${givenCloidPrefix}`

const tailDigits = 2 * guardCloidTailBytes
const member = new RegExp(
  `(,\\s*)?"cloid"\\s*:\\s*"${givenCloidPrefix}[0-9a-f]{${tailDigits}}"(\\s*,)?`,
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
export function shownInRead(type: string, bytes: Buffer): Buffer {
  if (!bytes.includes(mark)) return bytes
  return Buffer.from(withoutIds(bytes.toString('utf8'), nullInReads.has(type)))
}

/** A frame of this channel; the same text where there is nothing to take out. */
export function shownInFrame(channel: string, text: string): string {
  return text.includes(mark) ? withoutIds(text, nullInChannels.has(channel)) : text
}

/**
 * Works on the text, so that all else stays as the venue wrote it. Inside a string of the venue the
 * quotes would be escaped, so that only a member can be met.
 */
function withoutIds(text: string, isNull: boolean): string {
  return text.replace(member, (_, before: string | undefined, after: string | undefined) => {
    if (isNull) return `${before ?? ''}"cloid":null${after ?? ''}`
    return before !== undefined && after !== undefined ? ',' : ''
  })
}
