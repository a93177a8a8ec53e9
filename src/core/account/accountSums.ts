import type { Leverage } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import { Covers } from './covers.ts'
import type { Held } from './covers.ts'
import { CrossPoolRows } from './crossPool.ts'
import { ExposureSums } from './exposure.ts'
import type { Leverages } from './leverages.ts'
import type { Orders } from './orders.ts'
import type { OrderRecords } from './orderRecords.ts'
import type { Promises } from './promises.ts'

interface Summed {
  readonly held: Held
  readonly records: OrderRecords
  readonly orders: Orders
  readonly promises: Promises
  readonly leverages: Leverages
}

/** All that is summed over positions and orders, coin by coin; told of every coin that changes. */
export class AccountSums {
  readonly covers: Covers
  readonly exposure: ExposureSums
  readonly pool: CrossPoolRows
  readonly #coins: () => Iterable<Coin>

  constructor({ held, records, orders, promises, leverages }: Summed) {
    this.#coins = () => [...held.positions.keys(), ...records.coins()]
    this.covers = new Covers(held, records, promises)
    const covered = { ...held, cover: (coin: Coin) => this.covers.of(coin) }
    this.exposure = new ExposureSums(covered, records)
    const settings = {
      setting: (coin: Coin): Leverage | null => leverages.get(coin, null)?.leverage ?? null,
      settingOnItsWay: (coin: Coin): Leverage | null => orders.intents.leverage(coin),
    }
    this.pool = new CrossPoolRows({ ...covered, ...settings }, records)
  }

  /** Everything is to be added up again. */
  forgetAll(): void {
    this.allChanged(this.#coins())
  }

  allChanged(coins: Iterable<Coin>): void {
    for (const coin of coins) this.changed(coin)
  }

  /** Something of the coin changed. */
  changed(coin: Coin): void {
    this.covers.forget(coin)
    this.exposure.invalidate(coin)
    this.pool.invalidate(coin)
  }
}
