import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import { Chance } from './chance.ts'
import { FollowerLine } from './followerLine.ts'
import { Violation } from './violation.ts'
import { user } from './keys.ts'
import type { World } from './world.ts'

/** How long a bot that follows waits between two things it does; at the shorter it floods. */
const everyMs = [5, 50, 1_000]
const coins = ['BTC', 'ETH', 'SOL', 'DOGE']
const intervals = ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '8h', '12h', '1d', '3d', '1w']
const userStreams = ['orderUpdates', 'userFills', 'openOrders', 'clearinghouseState', 'userEvents']
const strangers = Array.from({ length: 12 }, (_, at) => `0x${(at + 1).toString(16).repeat(40)}`)

/** What comes at once, whatever the venue does; a bot that hears these is served. */
const last: readonly JsonObject[] = [
  { type: 'l2Book', coin: 'ETH' },
  { type: 'clearinghouseState', user },
]

/** A bot that asks for streams, gives them up and starts over, as fast as it can. */
export class Follower {
  readonly #world: World
  readonly #chance: Chance
  readonly #everyMs: number
  #line: FollowerLine | null = null
  #lifeNumber = 0
  #isCalm = false

  constructor(world: World) {
    this.#world = world
    this.#chance = new Chance(world.plan.seed, 'follower')
    this.#everyMs = this.#chance.pick(everyMs)
  }

  start(): void {
    const waitMs = this.#isCalm ? 1_000 : this.#chance.whole(1, 2 * this.#everyMs)
    this.#world.time.after(waitMs, () => {
      if (this.#isCalm) this.#askLast()
      else this.#act()
      this.start()
    })
  }

  /** From now on it wants a few streams only, and asks until it hears them. */
  calmDown(): void {
    this.#isCalm = true
    this.#line?.reset()
    this.#line = null
  }

  /** What must hold some time after that. */
  check(): void {
    const missing = last.filter((each) => this.#line?.hasHeard(each) !== true)
    if (missing.length > 0) {
      throw new Violation('heard', `a bot asks in vain for ${JSON.stringify(missing)}`)
    }
  }

  #askLast(): void {
    const line = this.#openLine()
    for (const each of last) if (line?.hasHeard(each) === false) line.subscribe(each)
  }

  #act(): void {
    const line = this.#openLine()
    if (line === null) return
    const dice = this.#chance.next()
    if (dice < 0.03) {
      line.reset()
      this.#line = null
    } else if (dice < 0.2) line.unsubscribe(this.#chance.next())
    else line.subscribe(dice < 0.3 ? this.#wrong() : this.#stream())
  }

  /** The connection to the process that lives now; null while none takes any. */
  #openLine(): FollowerLine | null {
    const { life } = this.#world
    if (life?.door == null || life.isStopping) return null
    if (this.#lifeNumber !== life.number || this.#line?.isOver !== false) {
      this.#lifeNumber = life.number
      this.#line = new FollowerLine(life.door, (text) => {
        this.#world.checkSecrets(text)
      })
    }
    return this.#line
  }

  #stream(): JsonObject {
    const coin = this.#chance.pick(coins)
    switch (this.#chance.whole(0, 5)) {
      case 0:
        return { type: 'l2Book', coin, nSigFigs: this.#chance.pick([null, 2, 3, 4]) }
      case 1:
        return { type: this.#chance.pick(['bbo', 'trades', 'activeAssetCtx']), coin }
      case 2:
        return { type: 'allMids' }
      case 3:
        return { type: 'candle', coin, interval: this.#chance.pick(intervals) }
      default:
        return {
          type: this.#chance.pick(userStreams),
          user: this.#chance.pick([user, user, ...strangers]),
        }
    }
  }

  /** The venue hangs up on some of these: they must not reach a socket that others share. */
  #wrong(): Json {
    return this.#chance.pick<Json>([
      { type: 'l2Book', coin: 'NONE' },
      { type: 'bbo', coin: 'eth' },
      { type: 'l2Book', coin: 'BTC', nSigFigs: 6 },
      { type: 'l2Book', coin: 'BTC', mantissa: 2 },
      { type: 'trades', coin: ['BTC'] },
      { type: 'candle', coin: 'BTC', interval: '7m' },
      { type: 'orderUpdates', user: '0x1' },
      { type: 'nothing' },
      'BTC',
      null,
    ])
  }
}
