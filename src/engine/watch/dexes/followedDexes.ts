import type { Account } from '../../../core/account/account.ts'
import { dexOf } from '../../../core/protocol/coinKind.ts'
import { limits } from '../../../core/values/limits.ts'
import type { Alerts } from '../../alerts.ts'
import type { Clock, FollowedDex, VenueStream } from '../../ports.ts'

/** Builder dexes by why they are followed; one may be in several. */
interface Wanted {
  /** A position, an order or a TWAP is there. */
  readonly busy: readonly string[]
  /** The rules name them. */
  readonly named: readonly string[]
  /** Money is there, or something was. */
  readonly inUse: readonly string[]
  /** Somebody could trade there. */
  readonly trading: readonly string[]
}

interface Shared {
  /** The dexes whose orders and prices the stream tells. */
  readonly followed: readonly string[]
  /** The dexes for which the stream has no room: only reads tell of them. */
  readonly left: readonly string[]
  /** What people are told of those that matter among them; null where all of these are followed. */
  readonly told: string | null
  /** Why nothing opens, for people: something is where it cannot be followed; null where it is not. */
  readonly doubt: string | null
}

/** The dexes on which something is held, rests or runs, positions first. */
export function busyDexes(
  account: Pick<Account, 'coinsWithOrders' | 'twaps'>,
  names: readonly string[],
  holds: (name: string) => boolean,
): readonly string[] {
  const twaps = account.twaps.views().filter(({ isOver }) => !isOver)
  const coins = [...account.coinsWithOrders(), ...twaps.map(({ coin }) => coin)]
  const others = new Set(coins.map((coin) => dexOf(coin)))
  const busy = names.filter((name) => holds(name) || others.has(name))
  return [...busy.filter(holds), ...busy.filter((name) => !holds(name))]
}

interface FollowedDeps {
  readonly alerts: Pick<Alerts, 'raise' | 'clear'>
  readonly clock: Pick<Clock, 'now'>
  readonly stream: Pick<VenueStream, 'followDexes'>
}

/** The dexes whose orders and prices the stream tells, and those for which it cannot. */
export class FollowedDexes {
  readonly #deps: FollowedDeps
  #following = ''
  /** Those that the stream has no room for, or may not be asked for: only a read tells their orders. */
  left: readonly string[] = []
  /** Why nothing opens, for people; null where nothing keeps it. */
  doubt: string | null = null

  constructor(deps: FollowedDeps) {
    this.#deps = deps
  }

  /**
   * `areAny`: whether any builder dex is known. `leftOut` are those that the venue's list lacks, for which
   * it would end the connection.
   */
  follow(
    areAny: boolean,
    wanted: Wanted,
    leftOut: readonly string[],
    hasPositions: (dex: string) => boolean,
  ): void {
    const { alerts, clock, stream } = this.#deps
    const shared = shareStream(wanted, leftOut)
    this.left = [...shared.left, ...leftOut]
    this.doubt = shared.doubt
    if (shared.told === null) alerts.clear('dex_unfollowed')
    else alerts.raise('dex_unfollowed', shared.told, clock.now())
    const followed = shared.followed.map((name): FollowedDex => ({
      name,
      withPrices: wanted.named.includes(name) || hasPositions(name),
    }))
    // One that is left out no more, as it is gone, may still have coins that are asked for.
    const following = areAny ? JSON.stringify([followed, leftOut]) : ''
    if (following === this.#following) return
    this.#following = following
    stream.followDexes(areAny ? followed : null)
  }
}

/** Shares the room that the stream has for builder dexes: those that matter most come first. */
function shareStream({ busy, named, inUse, trading }: Wanted, leftOut: readonly string[]): Shared {
  const most = limits.dexesFollowedMax
  const all = new Set([...busy, ...named, ...inUse, ...trading])
  const wanted = [...all].filter((name) => !leftOut.includes(name))
  const [followed, left] = [wanted.slice(0, most), wanted.slice(most)]
  const isLeft = (name: string): boolean => left.includes(name)
  const blind = busy.filter(isLeft)
  const unused = named.filter((name) => isLeft(name) && !blind.includes(name))
  const doubt =
    blind.length === 0
      ? null
      : `something is held, rests or runs on ${blind.join(', ')}, and Guard follows ${most} builder dexes at most`
  const rest =
    unused.length === 0
      ? null
      : `${unused.join(', ')} of \`markets\` are not followed, and entries there wait for a read of their prices: Guard follows ${most} builder dexes at most`
  return { followed, left, told: doubt === null ? rest : `nothing opens: ${doubt}`, doubt }
}
