interface Kept<Asked, Answer> {
  readonly of: Asked
  readonly answer: Answer
}

/** So many are kept: a row of stops is asked of a handful of sizes, however the price moves. */
const keptMax = 6

/** The last answers of something that never changes, by what it was asked of. */
export class KeptAnswers<Asked, Answer> {
  readonly #kept: Kept<Asked, Answer>[] = []
  readonly #isSame: (one: Asked, other: Asked) => boolean

  constructor(isSame: (one: Asked, other: Asked) => boolean) {
    this.#isSame = isSame
  }

  of(asked: Asked, ask: () => Answer): Answer {
    for (let at = 0; at < this.#kept.length; at += 1) {
      const { of, answer } = this.#kept[at] as Kept<Asked, Answer>
      if (this.#isSame(of, asked)) return answer
    }
    const answer = ask()
    if (this.#kept.length === keptMax) this.#kept.shift()
    this.#kept.push({ of: asked, answer })
    return answer
  }
}
