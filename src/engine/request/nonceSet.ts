const firstRoom = 1_024
/** A client that has used so many is a busy one: it gets all it can ever need, and grows no more. */
const busyRoom = 8_192

/**
 * The highest numbers that were added, up to a bound, in order and side by side: what a busy client
 * used in the last minutes takes eight bytes each, and the collector has nothing to walk through.
 */
export class NonceSet {
  readonly #max: number
  /** Enough that what is kept moves to the front but rarely. */
  readonly #wholeRoom: number
  #room: Float64Array
  /** Where the lowest one stands, and the place after the highest. */
  #from = 0
  #to = 0

  constructor(max: number) {
    this.#max = max
    this.#wholeRoom = max + Math.ceil(max / 4)
    this.#room = new Float64Array(Math.min(firstRoom, this.#wholeRoom))
  }

  get size(): number {
    return this.#to - this.#from
  }

  has(nonce: number): boolean {
    const place = this.#placeOf(nonce)
    return place < this.#to && this.#room[place] === nonce
  }

  /** The nonces in the set that are not below this one, lowest first. */
  since(nonce: number): number[] {
    return [...this.#room.subarray(this.#placeOf(nonce), this.#to)]
  }

  /** Adds it. Returns the lowest nonce where that was dropped to make room; null while there is room. */
  add(nonce: number): number | null {
    if (this.#to === this.#room.length) this.#makeRoom()
    const place = this.#placeOf(nonce)
    if (place < this.#to && this.#room[place] === nonce) return null
    // Nearly always it is the highest so far, and nothing has to move.
    this.#room.copyWithin(place + 1, place, this.#to)
    this.#room[place] = nonce
    this.#to += 1
    if (this.size <= this.#max) return null
    this.#from += 1
    return this.#room[this.#from - 1] ?? null
  }

  delete(nonce: number): void {
    const place = this.#placeOf(nonce)
    if (place >= this.#to || this.#room[place] !== nonce) return
    this.#room.copyWithin(place, place + 1, this.#to)
    this.#to -= 1
  }

  /** Back to the front, in more room while there is not all of it. */
  #makeRoom(): void {
    const { length } = this.#room
    const kept = this.#room.subarray(this.#from, this.#to)
    if (length < this.#wholeRoom) {
      const next = length < busyRoom ? Math.min(2 * length, this.#wholeRoom) : this.#wholeRoom
      this.#room = new Float64Array(next)
    }
    this.#room.set(kept)
    this.#to -= this.#from
    this.#from = 0
  }

  /** The first place whose number is not below. */
  #placeOf(nonce: number): number {
    let [low, high] = [this.#from, this.#to]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#room[middle] ?? Infinity) < nonce) low = middle + 1
      else high = middle
    }
    return low
  }
}
