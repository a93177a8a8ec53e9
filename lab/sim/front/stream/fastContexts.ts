import { deflateRawSync } from 'node:zlib'
import type { Json } from '../../../../src/core/protocol/action.ts'
import type { VenueReads } from '../../engine/venueReads.ts'
import { wireNumber, wireNumberOrNull } from '../render/wireNumber.ts'

/** Mark and mid of every coin as `fastAssetCtxs` tells them: packed, and after the first frame only what changed. */
export class FastContexts {
  readonly #told = new Map<string, { markPx: string; midPx: string | null }>()

  /** What changed since this was last asked; null when nothing did. */
  changes(venue: VenueReads): Json {
    const changed: { [coin: string]: Json } = {}
    for (const [coin, now] of contextsOf(venue)) {
      const before = this.#told.get(coin)
      const fields = {
        ...(before?.markPx === now.markPx ? {} : { markPx: now.markPx }),
        ...(before?.midPx === now.midPx ? {} : { midPx: now.midPx }),
      }
      if (Object.keys(fields).length > 0) changed[coin] = fields
      this.#told.set(coin, now)
    }
    return Object.keys(changed).length === 0 ? null : packed(changed)
  }
}

/** The first frame of a subscription: every coin. */
export function allFastContexts(venue: VenueReads): Json {
  return packed(Object.fromEntries(contextsOf(venue)))
}

function contextsOf(venue: VenueReads): [string, { markPx: string; midPx: string | null }][] {
  return venue
    .dexNames()
    .flatMap((dex) => venue.contexts(dex))
    .filter(({ coin }) => venue.isTold(coin))
    .map(({ coin, markPrice, midPrice }) => {
      return [coin, { markPx: wireNumber(markPrice), midPx: wireNumberOrNull(midPrice) }]
    })
}

/** Base64 of raw DEFLATE of the JSON, as the venue sends it. */
function packed(json: Json): string {
  return deflateRawSync(JSON.stringify(json)).toString('base64')
}
