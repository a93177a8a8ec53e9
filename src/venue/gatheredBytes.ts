/**
 * Bytes that come in pieces, gathered into one buffer. What is there is copied only when the room
 * doubles, so that any number of pieces costs at most three times their bytes; one piece alone is
 * not copied at all.
 */
export class GatheredBytes {
  #room: Buffer = Buffer.alloc(0)
  #length = 0
  /** False while the room is the first piece itself, which belongs to whoever gave it. */
  #isOwn = false

  get length(): number {
    return this.#length
  }

  /** All of it; shared, so it must not be changed. */
  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length)
  }

  add(piece: Buffer): void {
    if (this.#length === 0) {
      this.#room = piece
      this.#length = piece.length
      this.#isOwn = false
      return
    }
    const needed = this.#length + piece.length
    if (!this.#isOwn || needed > this.#room.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, 2 * this.#length))
      this.#room.copy(larger, 0, 0, this.#length)
      this.#room = larger
      this.#isOwn = true
    }
    piece.copy(this.#room, this.#length)
    this.#length = needed
  }

  /** Forgets the first so many bytes. */
  drop(count: number): void {
    this.#room = this.#room.subarray(count)
    this.#length -= count
  }
}
