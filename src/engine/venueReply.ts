import type { Json } from '../core/protocol/action.ts'

/** The venue's answer to an action, as far as Guard reads it. */
export type VenueReply =
  | { readonly kind: 'refused'; readonly text: string }
  | { readonly kind: 'statuses'; readonly statuses: readonly Json[] }
  | { readonly kind: 'done' }
  /** Not a shape the venue documents: what it means is unknown. */
  | { readonly kind: 'strange' }

export function readVenueReply(reply: Json): VenueReply {
  const { status, response } = fieldsOf(reply)
  if (status === 'err') return { kind: 'refused', text: textOf(response ?? null) }
  if (status !== 'ok') return { kind: 'strange' }
  const { type, data } = fieldsOf(response ?? null)
  const { statuses, status: single } = fieldsOf(data ?? null)
  if (Array.isArray(statuses)) return { kind: 'statuses', statuses: statuses as readonly Json[] }
  if (single !== undefined) return { kind: 'statuses', statuses: [single] }
  return typeof type === 'string' ? { kind: 'done' } : { kind: 'strange' }
}

/** The status of one item; a refusal before validation comes once for the whole batch. */
export function statusAt(reply: VenueReply, index: number): Json {
  switch (reply.kind) {
    case 'refused':
      return { error: reply.text }
    case 'statuses': {
      const own = reply.statuses[index]
      if (own !== undefined) return own
      const only = reply.statuses.length === 1 ? reply.statuses[0] : undefined
      return only !== undefined && errorOf(only) !== null ? only : { error: 'no status came back' }
    }
    case 'done':
      return 'success'
    case 'strange':
      return { error: 'the answer could not be read' }
  }
}

/** The refusal in a status, or null when it is none. */
export function errorOf(status: Json): string | null {
  const { error } = fieldsOf(status)
  return typeof error === 'string' ? error : null
}

/** What a status says was filled, as decimal text; null when nothing was. */
export function filledOf(status: Json): string | null {
  const { totalSz } = fieldsOf(fieldsOf(status)['filled'] ?? null)
  return typeof totalSz === 'string' ? totalSz : null
}

/** The venue's number of an order that rests or was filled. */
export function oidOf(status: Json): number | null {
  const { resting, filled } = fieldsOf(status)
  const { oid } = fieldsOf(resting ?? filled ?? null)
  return typeof oid === 'number' ? oid : null
}

export function isResting(status: Json): boolean {
  return fieldsOf(status)['resting'] !== undefined
}

/** Accepted whole: every item of it. */
export function isWhole(reply: VenueReply, items: number): boolean {
  if (reply.kind === 'done') return true
  if (reply.kind !== 'statuses' || reply.statuses.length !== items) return false
  return reply.statuses.every((status) => errorOf(status) === null)
}

/** Nothing of it was accepted. */
export function isRefused(reply: VenueReply): boolean {
  if (reply.kind === 'refused') return true
  return reply.kind === 'statuses' && reply.statuses.every((status) => errorOf(status) !== null)
}

function fieldsOf(value: Json): { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as { readonly [key: string]: Json })
    : {}
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
