import type { Json } from '../../../src/core/protocol/action.ts'
import type { Address } from '../../../src/core/values/address.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { VenueReads } from '../engine/venueReads.ts'
import { wireNumber } from './render/wireNumber.ts'

const requestsFree = 10_000n
const cancelsExtra = 100_000n
/** An exhausted address still gets one request through in this time. */
const trickleMs = 10_000

interface Used {
  requests: bigint
  /** What it may ask before it has traded anything. */
  free: bigint
  lastTrickleMs: number
}

/** What each address may ask over its life: 10,000 and one for each USDC traded. */
export class AddressBudget {
  readonly #used = new Map<Address, Used>()

  clear(): void {
    this.#used.clear()
  }

  /** Why the address may send no more, or null. A refused request costs nothing. */
  refusal(venue: VenueReads, user: Address, count: number, isCancel: boolean): string | null {
    const used = this.#of(user)
    const after = used.requests + BigInt(count)
    const cap = this.#cap(venue, user)
    const limit = isCancel ? least(cap + cancelsExtra, cap * 2n) : cap
    if (after <= limit) return null
    if (venue.nowMs - used.lastTrickleMs >= trickleMs) {
      used.lastTrickleMs = venue.nowMs
      return null
    }
    const volume = venue.cumulativeVolume(user).rounded(2, 'down').toString()
    return (
      `Too many cumulative requests sent (${String(after)} > ${String(limit)}) for cumulative ` +
      `volume traded $${volume}. Place taker orders to free up 1 request per USDC traded.`
    )
  }

  /** Sets what the address may ask over its life, and what of that it has asked; null leaves it. */
  set(user: Address, cap: number | null, used: number | null): void {
    const known = this.#of(user)
    if (cap !== null) known.free = BigInt(cap)
    if (used !== null) known.requests = BigInt(used)
  }

  /** The address has paid for so many more; the venue does not document where it shows them. */
  bought(user: Address, count: number): void {
    this.#of(user).free += BigInt(count)
  }

  spend(user: Address, count: number): void {
    this.#of(user).requests += BigInt(count)
  }

  /** The answer to `userRateLimit`. */
  render(venue: VenueReads, user: Address): Json {
    return {
      cumVlm: wireNumber(venue.cumulativeVolume(user)),
      nRequestsUsed: Number(this.#used.get(user)?.requests ?? 0n),
      nRequestsCap: Number(this.#cap(venue, user)),
      nRequestsSurplus: 0,
    }
  }

  #of(user: Address): Used {
    const known = this.#used.get(user)
    if (known !== undefined) return known
    const fresh: Used = {
      requests: 0n,
      free: requestsFree,
      lastTrickleMs: Number.NEGATIVE_INFINITY,
    }
    this.#used.set(user, fresh)
    return fresh
  }

  #cap(venue: VenueReads, user: Address): bigint {
    const volume = venue.cumulativeVolume(user).over(Decimal.one, 0, 'floor')
    return (this.#used.get(user)?.free ?? requestsFree) + volume.units
  }
}

function least(first: bigint, second: bigint): bigint {
  return first < second ? first : second
}
