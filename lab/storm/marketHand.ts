import { hashAction, phantomDigest } from '../../src/core/protocol/hashAction.ts'
import { roundSizeDown } from '../../src/core/protocol/grid.ts'
import type { OrderView } from '../sim/engine/views.ts'
import { limitOrder, orders, share } from './wireOrders.ts'
import { keys } from './keys.ts'
import type { World } from './world.ts'

/**
 * Somebody else at the venue, who takes a part of what rests. The streams tell of it as late as of
 * any other action, and nothing of it goes through Guard.
 */
export class MarketHand {
  readonly #world: World
  #lastNonce = 0

  constructor(world: World) {
    this.#world = world
  }

  /** Takes a part of an order, if it still rests and nothing better stands before it. */
  takes(order: OrderView, part: number): void {
    const { sim, crypto, time } = this.#world
    const market = sim.venue.market(order.coin)
    if (market === null) return
    const size = roundSizeDown(market, order.size.times(share(part)))
    if (!size.isPositive()) return
    const action = orders(limitOrder(market, !order.isBuy, order.limitPrice, size, 'Ioc'))
    this.#lastNonce = Math.max(time.now, this.#lastNonce + 1)
    const hash = hashAction(crypto.keccak256, action, this.#lastNonce, null, null)
    const digest = phantomDigest(crypto.keccak256, hash, 'testnet')
    const { r, s, v } = crypto.secp256k1.sign(digest, keys.market)
    const body = JSON.stringify({ action, nonce: this.#lastNonce, signature: { r, s, v } })
    this.#world.trace.say(() => `the market takes ${size.toString()} of order ${order.oid}`)
    sim.http(
      {
        ...{ method: 'POST', url: '/exchange', contentType: 'application/json', body },
        ...{ isObserver: true, ip: '10.0.0.2' },
      },
      () => undefined,
    )
  }
}
