import type { Address } from '../../core/values/address.ts'

const windowMs = 60_000
const slots = 60

/** How many entries each client had forwarded within the last minute, counted by the second. */
export class EntryRate {
  private readonly byClient = new Map<Address, Slot[]>()

  lastMinute(client: Address, monotonicMs: number): number {
    const kept = this.fresh(client, monotonicMs)
    return kept.reduce((sum, slot) => sum + slot.count, 0)
  }

  add(client: Address, count: number, monotonicMs: number): void {
    if (count === 0) return
    const kept = this.fresh(client, monotonicMs)
    const second = Math.floor(monotonicMs / (windowMs / slots))
    const last = kept.at(-1)
    if (last?.second === second) {
      // The slot counts until its youngest entry is a minute old: never less than there were.
      last.count += count
      last.at = monotonicMs
    } else {
      kept.push({ second, at: monotonicMs, count })
    }
    this.byClient.set(client, kept)
  }

  private fresh(client: Address, monotonicMs: number): Slot[] {
    const all = this.byClient.get(client) ?? []
    return all.filter((slot) => slot.at > monotonicMs - windowMs)
  }
}

interface Slot {
  readonly second: number
  at: number
  count: number
}
