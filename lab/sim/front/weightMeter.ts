const windowMs = 60_000
const slotMs = 1_000

/** Request weight by IP over the last minute, kept by the second. */
export class WeightMeter {
  /** Null is no limit; it may change while the meter counts. */
  readonly #limit: () => number | null
  readonly #slots = new Map<string, Map<number, number>>()

  constructor(limit: () => number | null) {
    this.#limit = limit
  }

  clear(): void {
    this.#slots.clear()
  }

  used(ip: string, nowMs: number): number {
    const slots = this.#slots.get(ip)
    if (slots === undefined) return 0
    let sum = 0
    for (const [slot, weight] of slots) {
      if (slot * slotMs <= nowMs - windowMs) slots.delete(slot)
      else sum += weight
    }
    return sum
  }

  /** Takes `weight` unless the minute is full; a refused request is not counted. */
  take(ip: string, weight: number, nowMs: number): boolean {
    const limit = this.#limit()
    if (limit === null) return true
    if (this.used(ip, nowMs) + weight > limit) return false
    this.add(ip, weight, nowMs)
    return true
  }

  /** What an answer cost beyond its question, known only once it is there. */
  add(ip: string, weight: number, nowMs: number): void {
    if (this.#limit() === null || weight === 0) return
    const slots = this.#slots.get(ip) ?? new Map<number, number>()
    this.#slots.set(ip, slots)
    const slot = Math.floor(nowMs / slotMs)
    slots.set(slot, (slots.get(slot) ?? 0) + weight)
  }
}
