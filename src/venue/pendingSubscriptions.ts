import type { Json } from '../core/protocol/action.ts'
import { isObject } from '../core/protocol/fields.ts'

/** The venue acknowledges at once; what it has not by then it may never have heard. */
const askAgainAfterMs = 3_000
const asksMax = 10

interface Pending {
  readonly subscription: Json
  askedMs: number
  asks: number
}

/**
 * Subscriptions that neither an acknowledgement nor a frame has answered yet. A stream can be alive
 * and tell nothing of the account: then it is asked again, a bounded number of times.
 */
export class PendingSubscriptions {
  readonly #pending = new Map<string, Pending>()

  asked(subscription: Json, nowMs: number): void {
    const key = keyOf(subscription)
    if (key !== null) this.#pending.set(key, { subscription, askedMs: nowMs, asks: 1 })
  }

  forget(subscription: Json): void {
    const key = keyOf(subscription)
    if (key !== null) this.#pending.delete(key)
  }

  clear(): void {
    this.#pending.clear()
  }

  heard(text: string): void {
    if (this.#pending.size === 0) return
    for (const key of answeredBy(text)) this.#pending.delete(key)
  }

  /** What is to be asked again now. */
  due(nowMs: number): readonly Json[] {
    const due: Json[] = []
    for (const pending of this.#pending.values()) {
      if (nowMs - pending.askedMs < askAgainAfterMs || pending.asks >= asksMax) continue
      pending.askedMs = nowMs
      pending.asks += 1
      due.push(pending.subscription)
    }
    return due
  }
}

function keyOf(subscription: Json): string | null {
  if (!isObject(subscription)) return null
  const { type, coin } = subscription
  return typeof type === 'string' ? `${type}|${typeof coin === 'string' ? coin : ''}` : null
}

/** What a frame answers: the subscription it acknowledges, or the one it belongs to. */
function answeredBy(text: string): readonly string[] {
  const { channel, data } = objectOf(parsed(text))
  if (typeof channel !== 'string') return []
  const { method, subscription, coin } = objectOf(data ?? null)
  if (channel !== 'subscriptionResponse') {
    return [`${channel}|`, `${channel}|${typeof coin === 'string' ? coin : ''}`]
  }
  const key = method === 'subscribe' ? keyOf(subscription ?? null) : null
  return key === null ? [] : [key]
}

function objectOf(json: Json): { readonly [key: string]: Json } {
  return isObject(json) ? json : {}
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    return null
  }
}
