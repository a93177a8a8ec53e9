/** Whose turn it is where not all can be read at once: whoever was read longest ago. */
export class ReadTurns {
  readonly #rounds = new Map<string, number>()
  #round = 0
  #swept = 0

  /** At most so many of `wanted`, and of `also` where there is room beside them. */
  next(wanted: readonly string[], also: readonly string[], most: number): readonly string[] {
    const rank = (name: string): number => this.#rounds.get(name) ?? 0
    const inTurn = wanted.toSorted((one, other) => rank(one) - rank(other))
    const read = [...new Set([...inTurn, ...also])].slice(0, most)
    this.#round += 1
    for (const name of read) this.#rounds.set(name, this.#round)
    return read
  }

  /** So many of `names`, beginning where the last call ended, and from the start again after the last. */
  around(names: readonly string[], count: number): readonly string[] {
    const from = this.#swept % names.length
    this.#swept += count
    return [...names, ...names].slice(from, from + count)
  }

  forget(name: string): void {
    this.#rounds.delete(name)
  }
}
