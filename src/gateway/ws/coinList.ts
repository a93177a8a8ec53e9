import type { Json } from '../../core/protocol/action.ts'
import type { InfoReader } from '../info/infoReader.ts'
import { isObject } from './frame.ts'

/**
 * Which coins the venue lists. It drops a whole connection for one unknown coin, and that
 * connection is shared, so every coin is looked up first.
 */
export class CoinList {
  readonly #info: InfoReader

  constructor(info: InfoReader) {
    this.#info = info
  }

  /** `unknown` when the venue does not answer. */
  async has(coin: string): Promise<'yes' | 'no' | 'unknown'> {
    const colon = coin.indexOf(':')
    const dex = colon < 0 ? '' : coin.slice(0, colon)
    const meta = await this.#read({ type: 'meta', dex })
    if (isListed(meta, coin)) return 'yes'
    // Spot and outcome markets have a mid and no place in the perps' universe.
    const mids = await this.#read({ type: 'allMids', dex })
    if (isObject(mids) && Object.hasOwn(mids, coin)) return 'yes'
    return meta === undefined || mids === undefined ? 'unknown' : 'no'
  }

  /** Undefined when there is no answer. */
  async #read(request: { readonly type: string; readonly dex: string }): Promise<Json | undefined> {
    const answer = await this.#info.read(request)
    return answer.ok ? answer.value : undefined
  }
}

function isListed(meta: Json | undefined, coin: string): boolean {
  const universe = isObject(meta) ? meta['universe'] : null
  if (!Array.isArray(universe)) return false
  return (universe as readonly Json[]).some((market) => isObject(market) && market['name'] === coin)
}
