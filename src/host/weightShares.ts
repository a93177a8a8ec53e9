/** What the ledger knows of one Guard's request weight; times are of the host's monotonic clock. */
export interface Sharer {
  /** The order in which Guards joined: who came earlier gets its floor first. */
  readonly joined: number
  readonly life: Life
  /** Since when it is known to be gone; null while it is not. */
  readonly goneAtMs: number | null
  /** What the venue grants its address in a minute, as its configuration has it. */
  readonly limit: number
  /** What nobody can take from it, and what it lives on while it does not reach the ledger. */
  readonly floor: number
  /** What it may have spent in any minute, exits and all, until its lease ends. */
  readonly share: number
  readonly leaseEndsMs: number
  /** What it has told that it spent, second by second, the newest first. */
  readonly spent: readonly number[]
  readonly spentAtMs: number
}

/** `live`: its process runs. `gone`: it ended without saying so. `stopped`: it said all it had spent. */
type Life = 'live' | 'gone' | 'stopped'

/** What one Guard gets: its share until the next renewal, and the floor that stays its own. */
export interface Grant {
  /** The share by which entries and reads go. */
  readonly share: number
  /** Exits may spend up to this in all, also where bots have used up the share. */
  readonly exits: number
  readonly floor: number
  /** Guards that live and spend the same limit, this one among them. */
  readonly guards: number
}

/** The venue counts for 60 s; a second more, because what was spent is told by the second. */
const countedMs = 61_000

/** A floor is a tenth of the limit: enough for a start, which costs 110 of 1,200. */
const floorParts = 10

/** What a Guard may have taken and not told yet, as a part of the limit: 40 of 1,200. */
const untoldParts = 30

/** The part of a floor that is kept for exits: bots cannot spend it. */
const exitReserve = 0.15

export function floorOf(limit: number, guards: number): number {
  return Math.floor(limit / Math.max(floorParts, guards))
}

/** How much bots may take before it is told to the other Guards. */
export function untoldMost(limit: number): number {
  return Math.floor(limit / untoldParts)
}

/** What of the told spending the venue still counts. */
export function countedOf(
  { spent, spentAtMs }: Pick<Sharer, 'spent' | 'spentAtMs'>,
  nowMs: number,
) {
  return spent.reduce((sum, weight, ago) => {
    // The latest moment at which it can have been spent: the seconds of two clocks begin apart.
    const atMs = spentAtMs - Math.max(ago - 1, 0) * 1_000
    return nowMs - atMs < countedMs ? sum + weight : sum
  }, 0)
}

/** How much of the limit is not for others because of this Guard: what it may spend, or may have spent. */
function heldBy(sharer: Sharer, nowMs: number): number {
  const { life, share, floor, limit, leaseEndsMs, goneAtMs } = sharer
  const counted = countedOf(sharer, nowMs)
  if (life === 'stopped') return counted
  const atMost = counted + untoldMost(limit)
  if (life === 'live')
    return nowMs < leaseEndsMs ? Math.max(share, counted) : Math.max(floor, atMost)
  const sinceMs = goneAtMs ?? nowMs
  if (nowMs - sinceMs >= countedMs) return counted
  // One that was not heard of before it went may have lived on its floor until then.
  return sinceMs < leaseEndsMs ? atMost : Math.max(floor, atMost)
}

/**
 * What a Guard may spend, which together with what all others hold is never above the limit. Where
 * all can have what they spend and some more, what is left is dealt out evenly; where they cannot,
 * those that need least have it and the others as much as each other, and never less than the floor.
 * Who starts gets its floor as soon as the others have let go of it, the first to come first.
 */
export function grantOf(
  me: Pick<Sharer, 'joined' | 'limit'>,
  used: number,
  others: readonly Sharer[],
  nowMs: number,
): Grant {
  const live = others.filter(({ life }) => life === 'live')
  const limit = Math.min(me.limit, ...live.map((each) => each.limit))
  const guards = live.length + 1
  const floor = floorOf(limit, guards)
  const needed = (spent: number): number => Math.max(floor, spent + untoldMost(limit))
  const neededBy = (each: Sharer): number =>
    nowMs < each.leaseEndsMs ? needed(countedOf(each, nowMs)) : heldBy(each, nowMs)
  const gone = sumOf(
    others.filter(({ life }) => life !== 'live'),
    (each) => heldBy(each, nowMs),
  )
  const fair = fairPart(needed(used), live.map(neededBy), limit - gone)
  const heldByLive = sumOf(live, (each) => {
    const held = heldBy(each, nowMs)
    return each.joined < me.joined ? Math.max(held, floor) : held
  })
  const room = Math.max(limit - gone - heldByLive, 0)
  const share = Math.min(Math.max(fair, floor), room)
  const exits = Math.min(Math.max(share, used + Math.floor(floor * exitReserve)), room)
  return { share, exits, floor, guards }
}

/** The part of one of several in `whole`, so that nobody could have more but at the cost of who has less. */
function fairPart(own: number, others: readonly number[], whole: number): number {
  const all = [own, ...others].sort((a, b) => a - b)
  const left = whole - sumOf(all, (each) => each)
  if (left >= 0) return own + Math.floor(left / all.length)
  let rest = whole
  for (const [served, each] of all.entries()) {
    const even = Math.floor(rest / (all.length - served))
    if (each > even) return Math.min(own, even)
    rest -= each
  }
  return own
}

function sumOf<T>(list: readonly T[], valueOf: (each: T) => number): number {
  return list.reduce((sum, each) => sum + valueOf(each), 0)
}
