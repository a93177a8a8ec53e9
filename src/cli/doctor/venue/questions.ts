import type { Json } from '../../../core/protocol/action.ts'
import { infoWeight, rowsWeight, rowsWeightMax } from '../../../core/protocol/requestWeight.ts'
import { limits } from '../../../core/values/limits.ts'
import type { Result } from '../../../core/values/result.ts'
import type { AskVenue } from '../../setup/agentCheck.ts'

type Asked = Json & { readonly type: string }

/** Questions to the venue within a weight and a time; what was not answered is kept by name. */
export class Questions {
  readonly unanswered: { readonly question: string; readonly why: string }[] = []
  #weight = 0
  readonly #ask: AskVenue
  readonly #isOver: () => boolean

  constructor(ask: AskVenue, isOver: () => boolean) {
    this.#ask = ask
    this.#isOver = isOver
  }

  /** What they cost so far of the venue's weight, rows included. */
  get weight(): number {
    return this.#weight
  }

  /** The answer as it is read; null where there is none, or none in a form that is known. */
  async ask<T>(request: Asked, read: (answer: Json) => Result<T>): Promise<T | null> {
    const why = this.#whyNot(request)
    if (why !== null) return this.#miss(request.type, why)
    this.#weight += infoWeight(request)
    const answer = await this.#ask(request)
    if (!answer.ok) return this.#miss(request.type, answer.error)
    this.#weight += rowsWeight(request, answer.value)
    return this.#read(request.type, answer.value, read)
  }

  /** Decodes an answer that is here already by another reader; null when there is none. */
  decoded<T>(answer: Json, read: (answer: Json) => Result<T>): T | null {
    return answer === null ? null : this.#read('an answer', answer, read)
  }

  #read<T>(question: string, answer: Json, read: (answer: Json) => Result<T>): T | null {
    const value = read(answer)
    return value.ok ? value.value : this.#miss(question, value.error)
  }

  #whyNot(request: Asked): string | null {
    if (this.#isOver()) return 'there was no time left'
    const most = infoWeight(request) + rowsWeightMax(request)
    const isDear = this.#weight + most > limits.examinedWeightMax
    return isDear ? 'there was no request weight left' : null
  }

  #miss(question: string, why: string): null {
    this.unanswered.push({ question, why })
    return null
  }
}
