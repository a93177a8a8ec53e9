import type { Json } from '../../core/protocol/action.ts'
import { holdsTooManyValues } from '../../core/protocol/jsonValues.ts'

/** What a bot says on its socket. Ids and payloads stay text: ids have any size, payloads are signed. */
export type ClientFrame =
  | { readonly kind: 'ping' }
  | {
      readonly kind: 'subscribe' | 'unsubscribe'
      readonly subscription: { readonly [key: string]: Json }
    }
  | {
      readonly kind: 'post'
      readonly id: string
      readonly type: 'info' | 'action'
      readonly payload: string
    }

/** Null when the frame is none of the venue's requests. */
export function parseFrame(text: string): ClientFrame | null {
  const frame = holdsTooManyValues(text) ? null : parseObject(text)
  if (frame === null) return null
  switch (frame['method']) {
    case 'ping':
      return { kind: 'ping' }
    case 'subscribe':
    case 'unsubscribe':
      return isObject(frame['subscription'])
        ? { kind: frame['method'], subscription: frame['subscription'] }
        : null
    case 'post':
      return parsePost(text)
    default:
      return null
  }
}

function parsePost(text: string): ClientFrame | null {
  const outer = memberTexts(text)
  const id = outer?.get('id')
  const request = outer?.get('request')
  if (id === undefined || !/^-?\d{1,40}$/.test(id) || request === undefined) return null
  const inner = memberTexts(request)
  const type = inner?.get('type')
  const payload = inner?.get('payload')
  // An action without anything in it is a request all the same: it is refused, and recorded.
  if (type === '"action"') return { kind: 'post', id, type: 'action', payload: payload ?? 'null' }
  if (type === '"info"' && payload !== undefined) return { kind: 'post', id, type: 'info', payload }
  return null
}

/**
 * The members of a JSON object, each value as the very text it was written in. The text must be
 * valid JSON already; null when it is no object, or says a member twice.
 */
export function memberTexts(text: string): Map<string, string> | null {
  let at = skipSpace(text, 0)
  if (text[at] !== '{') return null
  const members = new Map<string, string>()
  at = skipSpace(text, at + 1)
  while (text[at] === '"') {
    const nameEnd = stringEnd(text, at)
    const name = JSON.parse(text.slice(at, nameEnd)) as string
    const start = skipSpace(text, skipSpace(text, nameEnd) + 1)
    const end = valueEnd(text, start)
    if (members.has(name)) return null
    members.set(name, text.slice(start, end))
    at = skipSpace(text, end)
    if (text[at] === ',') at = skipSpace(text, at + 1)
  }
  return members
}

function skipSpace(text: string, from: number): number {
  let at = from
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at += 1
  return at
}

function stringEnd(text: string, from: number): number {
  let at = from + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

function valueEnd(text: string, from: number): number {
  let depth = 0
  let at = from
  while (at < text.length) {
    const char = text[at]
    if (char === '"') {
      at = stringEnd(text, at)
      if (depth === 0) return at
      continue
    }
    if (char === '{' || char === '[') depth += 1
    else if (char === '}' || char === ']') {
      if (depth === 0) return at
      depth -= 1
      if (depth === 0) return at + 1
    } else if (depth === 0 && (char === ',' || isSpace(char))) return at
    at += 1
  }
  return at
}

const isSpace = (char: string | undefined): boolean =>
  char === ' ' || char === '\n' || char === '\r' || char === '\t'

export function parseObject(text: string): { readonly [key: string]: Json } | null {
  try {
    const value = JSON.parse(text) as Json
    return isObject(value) ? value : null
  } catch {
    return null
  }
}

export function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
}
