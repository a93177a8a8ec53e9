import { limits } from '../core/values/limits.ts'
import type { Json } from '../core/protocol/action.ts'
import { isObject } from '../core/protocol/fields.ts'

/** The venue acknowledges at once; what it has not by then it may never have heard. */
const askAgainAfterMs = 3_000
const asksMax = limits.streamAsksMax
/** How the venue's refusal of a second subscription begins; the subscription follows. */
const already = 'Already subscribed: '

interface Pending {
  readonly subscription: Json
  askedMs: number
  asks: number
}

/** What a frame says of subscriptions: nothing, that they are kept, or that answers were lost. */
type Heard = 'nothing' | 'answered' | 'lost'

/**
 * Subscriptions that neither an acknowledgement nor a frame has answered yet. A stream can be alive
 * and tell nothing of the account: then it is asked again, a bounded number of times.
 */
export class PendingSubscriptions {
  readonly #pending = new Map<string, Pending>()

  /** Whether one of these has not been answered yet. */
  hasAny(subscriptions: readonly Json[]): boolean {
    if (this.#pending.size === 0) return false
    return subscriptions.some((subscription) => this.#pending.has(keyOf(subscription) ?? ''))
  }

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

  /**
   * A venue that has a subscription already and whose answer never came has said things that were
   * lost: its first state, and maybe changes. It will not say them again on this connection.
   */
  heard(text: string): Heard {
    if (this.#pending.size === 0) return 'nothing'
    const { channel, data } = objectOf(parsed(text))
    if (channel === 'error' && typeof data === 'string' && data.startsWith(already)) {
      const key = keyOf(parsed(data.slice(already.length)))
      return key !== null && this.#pending.has(key) ? 'lost' : 'nothing'
    }
    const answered = answeredBy(channel, data).filter((key) => this.#pending.delete(key))
    return answered.length > 0 ? 'answered' : 'nothing'
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
  const { type, coin, dex } = subscription
  return typeof type === 'string' ? `${type}|${textOf(coin)}|${textOf(dex)}` : null
}

function textOf(json: Json | undefined): string {
  return typeof json === 'string' ? json : ''
}

/** What a frame answers: the subscription it acknowledges, or the one it belongs to. */
function answeredBy(channel: Json | undefined, data: Json | undefined): readonly string[] {
  if (typeof channel !== 'string') return []
  const { method, subscription, coin, dex } = objectOf(data ?? null)
  if (channel !== 'subscriptionResponse') {
    return [`${channel}||${textOf(dex)}`, `${channel}|${textOf(coin)}|`]
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
