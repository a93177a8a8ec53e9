import { limits } from '../core/values/limits.ts'
import { CallCancelled, usedBefore } from './agentError.ts'

interface Begun<Answer> {
  readonly arguments: string
  isRunning: boolean
  readonly answer: Promise<Answer>
}

/**
 * First answers by idempotency key, while this server runs: calls that come at once or later get
 * the first one's answer. What is older than the last thousand is found in Guard's journal.
 */
export class OnceEach<Answer> {
  readonly #begun = new Map<string, Begun<Answer>>()
  readonly #unknown = new Set<string>()

  /**
   * `running`: a call with this key is under way. `unknown`: the last one ended without anybody
   * knowing whether something was sent. Null where neither is so.
   */
  stateOf(key: string): 'running' | 'unknown' | null {
    if (this.#begun.get(key)?.isRunning === true) return 'running'
    return this.#unknown.has(key) ? 'unknown' : null
  }

  /**
   * The answer of the first call with this key, and whether this call is that one. A call that
   * failed, or whose end is not known, is forgotten: the next one asks Guard.
   */
  async run(
    key: string,
    arguments_: string,
    begin: () => Promise<Answer>,
    endOf: (answer: Answer) => 'final' | 'unknown' | 'nothing_sent',
  ): Promise<{ readonly answer: Answer; readonly isFirst: boolean }> {
    const known = this.#begun.get(key)
    if (known !== undefined) {
      if (known.arguments !== arguments_) throw usedBefore(known.arguments)
      try {
        return { answer: await known.answer, isFirst: false }
      } catch (error) {
        // The first call was given up by its client, and this one was not.
        if (!(error instanceof CallCancelled)) throw error
        return this.run(key, arguments_, begin, endOf)
      }
    }
    const answer = begin()
    const begun = { arguments: arguments_, answer, isRunning: true }
    this.#begun.set(key, begun)
    this.#forgetOldest()
    try {
      const made = await answer
      begun.isRunning = false
      const end = endOf(made)
      if (end === 'unknown') this.#unknown.add(key)
      if (end === 'final') this.#unknown.delete(key)
      else this.#begun.delete(key)
      return { answer: made, isFirst: true }
    } catch (error) {
      this.#begun.delete(key)
      throw error
    }
  }

  #forgetOldest(): void {
    for (const kept of [this.#begun, this.#unknown]) {
      const oldest = kept.keys().next()
      if (kept.size > limits.agentAnswersKeptMax && oldest.done !== true) kept.delete(oldest.value)
    }
  }
}
