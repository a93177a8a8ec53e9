/** Whose turn it is where not all can be read at once: whoever was read longest ago. */
export class ReadTurns {
  readonly #rounds = new Map<string, number>()
  #round = 0

  /** At most so many of `wanted`, and of `also` where there is room beside them. */
  next(wanted: readonly string[], also: readonly string[], most: number): readonly string[] {
    const rank = (name: string): number => this.#rounds.get(name) ?? 0
    const inTurn = wanted.toSorted((one, other) => rank(one) - rank(other))
    const read = [...new Set([...inTurn, ...also])].slice(0, most)
    this.#round += 1
    for (const name of read) this.#rounds.set(name, this.#round)
    return read
  }

  forget(name: string): void {
    this.#rounds.delete(name)
  }
}
