import type { Decimal } from '../values/decimal.ts'

interface Kept<Answer> {
  readonly of: Decimal
  readonly answer: Answer
}

/** So many are kept: a row of stops is asked of a handful of sizes, however the price moves. */
const keptMax = 6

/** The last answers of something that never changes, by the number that was asked of. */
export class KeptAnswers<Answer> {
  readonly #kept: Kept<Answer>[] = []

  of(asked: Decimal, ask: () => Answer): Answer {
    for (let at = 0; at < this.#kept.length; at += 1) {
      const { of, answer } = this.#kept[at] as Kept<Answer>
      if (of.units === asked.units && of.scale === asked.scale) return answer
    }
    const answer = ask()
    if (this.#kept.length === keptMax) this.#kept.shift()
    this.#kept.push({ of: asked, answer })
    return answer
  }
}
