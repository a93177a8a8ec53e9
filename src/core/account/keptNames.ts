import { limits } from '../values/limits.ts'

/**
 * An id that Guard gave, the client order id that the bot goes on calling its order by, and what
 * became of it: `waiting` until the venue has taken the order, `current` while the bot's id names
 * this order, `past` once it names a later one.
 */
export type NameRow = readonly [id: string, name: string, state: 'waiting' | 'current' | 'past']

/**
 * What a bot's client order ids name where the order stands at the venue under an id of Guard's:
 * one that took another's place while that still had the bot's id. A name passes on once the venue
 * has taken the new order, and until then it names the one before.
 */
export class KeptNames {
  /** The bot's id by the one that Guard gave, oldest first. */
  readonly #names = new Map<string, string>()
  readonly #waiting = new Set<string>()
  readonly #current = new Map<string, string>()
  readonly #isLive: (id: string) => boolean

  /** `isLive` says whether an order with an id is on its way or open: its name is not forgotten. */
  constructor(isLive: (id: string) => boolean = () => false) {
    this.#isLive = isLive
  }

  /** An order is about to go out under an id of Guard's, in the place of the one the bot calls so. */
  intend(name: string, id: string): void {
    if (this.#names.has(id)) return
    this.#names.set(id, name)
    this.#waiting.add(id)
    this.#forgetOldest()
  }

  /** The venue has taken the order with this id. */
  taken(id: string): void {
    const name = this.#names.get(id)
    if (name !== undefined && this.#waiting.delete(id)) this.#current.set(name, id)
  }

  /** An order went, or was never there, without the venue's word that it took it. */
  forget(id: string): void {
    if (this.#waiting.has(id)) this.#drop(id)
  }

  /** Another order goes out under this very id: it names that one. */
  release(name: string): void {
    this.#current.delete(name)
    for (const id of this.#waiting) if (this.#names.get(id) === name) this.#waiting.delete(id)
  }

  /** The id at the venue of the order that a bot calls so; null where it is no other. */
  idOf(name: string): string | null {
    return this.#current.get(name) ?? null
  }

  /** How the bot calls the order that Guard gave this id; null where it has no name for it. */
  nameOf(id: string): string | null {
    return this.#names.get(id) ?? null
  }

  /** Every id with its name and what became of it, the oldest first: what a next start takes up. */
  rows(): readonly NameRow[] {
    return Array.from(this.#names, ([id, name]) => [id, name, this.#stateOf(id, name)] as const)
  }

  /** Takes up rows of an earlier run, and in them what is known already stays as it is. */
  restore(rows: readonly NameRow[]): void {
    for (const [id, name, state] of rows) {
      if (this.#names.has(id)) continue
      this.intend(name, id)
      if (state === 'current') this.taken(id)
      else if (state === 'past') this.#waiting.delete(id)
    }
  }

  #stateOf(id: string, name: string): NameRow[2] {
    if (this.#waiting.has(id)) return 'waiting'
    return this.#current.get(name) === id ? 'current' : 'past'
  }

  /** Those whose order still rests stay: of them there are no more than orders that may be open. */
  #forgetOldest(): void {
    for (const id of this.#names.keys()) {
      if (this.#names.size <= limits.keptNamesMax) return
      if (!this.#isLive(id)) this.#drop(id)
    }
  }

  #drop(id: string): void {
    const name = this.#names.get(id) ?? ''
    this.#names.delete(id)
    this.#waiting.delete(id)
    if (this.#current.get(name) === id) this.#current.delete(name)
  }
}
