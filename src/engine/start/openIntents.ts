import { readActionReply } from '../../core/protocol/actionReply.ts'
import type { Json, WireAction } from '../../core/protocol/action.ts'
import { decodeAction } from '../../core/protocol/decodeAction.ts'
import { isObject } from '../../core/protocol/fields.ts'
import { limits } from '../../core/values/limits.ts'
import type { Millis } from '../../core/values/millis.ts'
import type { OpenIntent } from './engineMemory.ts'

/** An action that is still absent this long after it has expired will never happen. */
export const expirySlackMs = 1_000

/** How an action of an event is called by its place there. */
export function keyOf(of: number, index: number): string {
  return `${of}:${index}`
}

/** The actions on record of which nothing tells yet what became of them, as the records are read. */
export class OpenIntents {
  readonly #open = new Map<string, OpenIntent>()
  readonly #unanswered = new Set<string>()
  #lastAt = 0

  /** A record was written at this time. */
  pass(at: Millis): void {
    this.#lastAt = at
  }

  intend(of: number, at: Millis, actions: readonly WireAction[]): void {
    actions.forEach((action, index) => {
      this.#open.set(keyOf(of, index), { of, index, at, action })
    })
  }

  /** What came back for it; where that is no answer it may still arrive. */
  answer(key: string, reply: Json): void {
    const intent = this.#open.get(key)
    if (intent !== undefined && isUnanswered(intent.action, reply)) this.#unanswered.add(key)
    else this.delete(key)
  }

  delete(key: string): void {
    this.#open.delete(key)
  }

  /**
   * Those that are to be looked up. What was sent and not answered is not, where a later record proves
   * that it could not arrive any more: the account as a start reads it has all of it.
   */
  left(): readonly OpenIntent[] {
    return [...this.#open].flatMap(([key, intent]) => {
      const isOver = this.#lastAt > intent.at + limits.sendLifeMs + expirySlackMs
      return isOver && this.#unanswered.has(key) ? [] : [intent]
    })
  }
}

/** An answer that tells of one of its orders at least proves that the action arrived. */
function isUnanswered(action: WireAction, reply: Json): boolean {
  if (isObject(reply) && 'may_have_arrived' in reply) return reply['may_have_arrived'] === true
  const decoded = decodeAction(action)
  return decoded.ok && readActionReply(decoded.value, reply).kind === 'unknown'
}
