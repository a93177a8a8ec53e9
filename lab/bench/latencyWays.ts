import type { Json } from '../../src/core/protocol/action.ts'
import { createBot, inTurns } from './bot.ts'
import type { Bot } from './bot.ts'
import { followAccounts } from './followAccounts.ts'
import { HttpLine } from './httpLine.ts'
import type { CurveName } from './machine.ts'
import { startNginx } from './nginx.ts'
import { allowedOrder, leverageFirstOrder, resizedOrder, tinyOrder, vetoedOrder } from './orders.ts'
import { freshMarkets } from './orders.ts'
import type { BenchOrder } from './orders.ts'
import type { BareSetup } from './roles/bareRole.ts'
import type { Role } from './roles/role.ts'
import { SocketLine } from './socketLine.ts'
import type { BenchAccount, BenchWorld } from './world.ts'

/** One way of an order to the venue and back. */
export interface Way {
  readonly name: string
  readonly bot: Bot
  readonly order: () => BenchOrder
  readonly post: (body: string) => Promise<string>
  /** What an answer must hold to be the one expected. */
  readonly expected: string
  /** Whoever tells the stages of its orders; null where nobody does. */
  readonly guard: Role | null
  /** At most so many in all; each needs a market nobody traded yet. */
  readonly most: number
  readonly times: number[]
  /** Those of the first order of each turn. */
  readonly firsts: number[]
  /** Those of the first orders that its process ever saw. */
  readonly fresh: number[]
  readonly stages: Map<string, number[]>
}

/** The ways that the bars and the tables speak of. */
export const direct = 'direct'
export const pass = 'Node pass-through'
export const allowed = {
  native: 'Guard, testnet, allow',
  wasm: 'Guard, testnet, allow, WASM',
} as const
export const bare = {
  native: 'Node, only recover, disk and sign',
  wasm: 'Node, only recover, disk and sign, WASM',
} as const

/** How many accounts the ways need. */
export const wayAccounts = 8

export type Closers = (() => void | Promise<void>)[]

/** Opens every way; what must be closed again is added to the closers. */
export async function openWays(
  world: BenchWorld,
  curves: readonly CurveName[],
  closers: Closers,
): Promise<readonly Way[]> {
  const [outside, alone, ...others] = world.accounts
  const [first, second] = [others.slice(0, 3), others.slice(3)]
  if (!outside || !alone || !first[2]) throw new Error('too few accounts')
  const opener = new WayOpener(world, closers)
  const listener = await followAccounts(world, [outside, first[2], ...second.slice(2)])
  closers.push(() => listener.stop())
  const usual = curves.includes('native') ? 'native' : 'wasm'
  const ways = [
    ...(await opener.without(outside, alone)),
    ...(await opener.through(usual, first)),
    ...(await opener.throughInOtherWays()),
  ]
  return usual === 'wasm' ? ways : [...ways, ...(await opener.through('wasm', second))]
}

class WayOpener {
  readonly #world: BenchWorld
  readonly #closers: Closers
  /** The first Guard that sends, and its bot. */
  #sending: { readonly guard: Role; readonly bot: Bot; readonly crowd: Bot } | null = null

  constructor(world: BenchWorld, closers: Closers) {
    this.#world = world
    this.#closers = closers
  }

  /** Without Guard: nothing between, and proxies that only pass on. */
  async without(outside: BenchAccount, alone: BenchAccount): Promise<readonly Way[]> {
    const { venue } = this.#world
    const nginx = await startNginx(venue.url)
    const node = await this.#world.startRole('pass', venue.url)
    this.#closers.push(
      () => nginx?.stop(),
      () => node.stop(),
    )
    const bot = outside.wallet
    return [
      await this.#open(direct, venue.url, { bot }),
      await this.#open('direct, nobody follows the account', venue.url, { bot: alone.wallet }),
      ...(nginx === null ? [] : [await this.#open('nginx', nginx.url, { bot })]),
      await this.#open(pass, node.url, { bot }),
    ]
  }

  /** The bare line and Guards with this curve. */
  async through(curve: CurveName, accounts: readonly BenchAccount[]): Promise<readonly Way[]> {
    const [live, paper, floor] = accounts
    if (!live || !paper || !floor) throw new Error('too few accounts')
    const least = await this.#startBare(floor, curve)
    const onPaper = await this.#world.startGuard(paper, { mode: 'paper', curve })
    const moreClients = newCrowd(this.#world)
    const guard = await this.#world.startGuard(live, { curve, moreClients })
    const bot = live.bots[0]
    this.#sending ??= { guard, bot, crowd: inTurns([bot, ...moreClients]) }
    const suffix = curve === 'wasm' ? ', WASM' : ''
    return [
      await this.#open(bare[curve], least.url, { guard: least, bot: floor.bots[0] }),
      await this.#open(`Guard, paper, allow${suffix}`, onPaper.url, {
        ...{ guard: onPaper, bot: paper.bots[0], expected: 'would allow' },
        order: () => ({ ...allowedOrder(), undo: null }),
      }),
      await this.#open(allowed[curve], guard.url, { guard, bot }),
    ]
  }

  /** Other requests, and the other door, of the first Guard that sends. */
  async throughInOtherWays(): Promise<readonly Way[]> {
    if (this.#sending === null) throw new Error('no Guard sends')
    const { guard, bot, crowd } = this.#sending
    await followFreshMarkets(guard, bot)
    const socket = await SocketLine.open(guard.url)
    this.#closers.push(() => {
      socket.close()
    })
    let fresh = 0
    return [
      await this.#open('Guard, testnet, allow, WebSocket', guard.url, {
        ...{ guard, bot },
        post: (body) => socket.post(body),
      }),
      await this.#open('Guard, testnet, resize (stop attached)', guard.url, {
        ...{ guard, bot, order: resizedOrder },
      }),
      await this.#open('Guard, testnet, resize (leverage first)', guard.url, {
        ...{ guard, bot, most: freshMarkets, order: () => leverageFirstOrder(fresh++) },
      }),
      await this.#open('Guard, testnet, veto', guard.url, {
        ...{ guard, bot: crowd, order: vetoedOrder, expected: 'Guard veto' },
      }),
    ]
  }

  async #startBare({ wallet, bots }: BenchAccount, curve: CurveName): Promise<Role> {
    const setup: BareSetup = {
      ...{ home: this.#world.newHome(), venueUrl: this.#world.venue.url },
      ...{ walletKey: wallet.text, client: bots[0].address },
    }
    const environment = { GUARD_CRYPTO: curve }
    const role = await this.#world.startRole('bare', setup as unknown as Json, environment)
    this.#closers.push(() => role.stop())
    return role
  }

  #open(name: string, url: string, more: Partial<Way> & Pick<Way, 'bot'>): Promise<Way> {
    return openWay(name, url, this.#closers, more)
  }
}

/** A way over one connection of its own; allowed orders where nothing else is said. */
export async function openWay(
  name: string,
  url: string,
  closers: Closers,
  more: Partial<Way> & Pick<Way, 'bot'>,
): Promise<Way> {
  const line = await HttpLine.open(url)
  closers.push(() => {
    line.close()
  })
  const post = (body: string): Promise<string> => line.post('/exchange', body)
  const usual = { order: allowedOrder, expected: '"resting"', guard: null, most: Infinity }
  return { name, ...usual, post, times: [], firsts: [], fresh: [], stages: new Map(), ...more }
}

/** So many clients are refused in turns that none meets the limit of refusals of a client. */
function newCrowd({ crypto }: BenchWorld): readonly Bot[] {
  return Array.from({ length: crowdSize }, () => createBot(crypto))
}

/** The largest run is refused some 6,500 times, and a client 200 times at any speed. */
const crowdSize = 49

/** Guard follows a market from the first request on it; its leverage is then known when it counts. */
async function followFreshMarkets(guard: Role, bot: Bot): Promise<void> {
  const line = await HttpLine.open(guard.url)
  for (let n = 0; n < freshMarkets; n += 1) await line.post('/exchange', bot.sign(tinyOrder(n)))
  line.close()
}
