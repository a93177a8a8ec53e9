import type { Json } from '../../src/core/protocol/action.ts'
import { Chance } from './chance.ts'
import { user } from './keys.ts'
import type { World } from './world.ts'

/** How long a bot that reads waits between two reads; at the shorter it asks for more than there is. */
const everyMs = [60, 250, 1_000]
const stranger = '0x00000000000000000000000000000000000000aa'

/** What the venue is asked for, dear and cheap; little of it can be answered from what is kept. */
const reads: readonly { readonly [key: string]: Json }[] = [
  { type: 'userFills', user },
  { type: 'historicalOrders', user },
  { type: 'frontendOpenOrders', user },
  { type: 'clearinghouseState', user: stranger },
  { type: 'openOrders', user: stranger },
  { type: 'userFills', user: stranger },
  { type: 'metaAndAssetCtxs' },
  { type: 'l2Book', coin: 'BTC' },
]

/** A bot that reads all it can, to the end of the world, and never waits for an answer. */
export class Reader {
  readonly #world: World
  readonly #chance: Chance
  readonly #everyMs: number

  constructor(world: World) {
    this.#world = world
    this.#chance = new Chance(world.plan.seed, 'reader')
    this.#everyMs = this.#chance.pick(everyMs)
  }

  start(): void {
    this.#world.time.after(this.#chance.whole(1, 2 * this.#everyMs), () => {
      this.#read()
      this.start()
    })
  }

  #read(): void {
    const { life } = this.#world
    if (life?.door == null || life.isStopping) return
    const body = Buffer.from(JSON.stringify(this.#chance.pick(reads)))
    life.door.post('/info', body, null, (answer) => {
      if (answer !== null) this.#world.checkSecrets(JSON.stringify(answer.body))
    })
  }
}
