import { deflateRawSync, inflateRawSync } from 'node:zlib'
import type { Json } from '../../core/protocol/action.ts'
import { limits } from '../../core/values/limits.ts'
import { isObject } from './frame.ts'

type Fields = { readonly [key: string]: Json }

/**
 * What `fastAssetCtxs` has told of every coin: the venue packs its frames (base64 of raw DEFLATE of
 * JSON), and after the first one they have only what changed. Who asks later gets all of it as a first
 * frame of its own. A frame that cannot be read, or is too long, leaves nothing to tell until the venue
 * starts anew.
 */
export class PackedMarks {
  #coins: Map<string, Fields> | null = new Map()

  add(data: Json): void {
    const changed = typeof data === 'string' ? unpacked(data) : null
    if (changed === null) this.#coins = null
    if (changed === null || this.#coins === null) return
    for (const [coin, fields] of Object.entries(changed)) {
      if (isObject(fields)) this.#coins.set(coin, { ...this.#coins.get(coin), ...fields })
    }
    if (this.#coins.size > limits.packedCoinsMax) this.#coins = null
  }

  /** The first frame of one who comes late; null where nothing is known. */
  replay(channel: string): string | null {
    if (this.#coins === null || this.#coins.size === 0) return null
    const json = JSON.stringify(Object.fromEntries(this.#coins))
    return JSON.stringify({ channel, data: deflateRawSync(json).toString('base64') })
  }

  clear(): void {
    this.#coins = new Map()
  }
}

function unpacked(data: string): Fields | null {
  try {
    const options = { maxOutputLength: limits.packedFrameBytesMax }
    const text = inflateRawSync(Buffer.from(data, 'base64'), options).toString()
    const json = JSON.parse(text) as Json
    return isObject(json) ? json : null
  } catch {
    return null
  }
}
