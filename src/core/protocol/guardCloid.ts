import { cloid } from '../values/cloid.ts'
import type { Cloid } from '../values/cloid.ts'

/**
 * Guard's own client order ids: a prefix it recognises later (and refuses from bots), one byte that
 * says what the order is, and eleven bytes nobody can guess.
 */
export const guardCloidPrefix = '0x67756172'

/** How the ids of orders begin that `guard mcp` sends: Guard lets each of them through once. */
export const agentCloidPrefix = '0x61676e74'

/** `stop`: Guard's own stop. `order`: a bot's order that came without an id. `close`: a close by Guard. */
export type GuardCloidKind = 'stop' | 'order' | 'close'

const kindCodes = { stop: '01', order: '02', close: '03' } as const satisfies Record<
  GuardCloidKind,
  string
>

/** How the ids begin that Guard gave to orders of bots that came without one. */
export const givenCloidPrefix = `${guardCloidPrefix}${kindCodes.order}`

export const guardCloidTailBytes = 11

const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

export function makeGuardCloid(kind: GuardCloidKind, tail: Uint8Array): Cloid {
  if (tail.length !== guardCloidTailBytes) throw new RangeError('a cloid tail has 11 bytes')
  let hex = ''
  for (let at = 0; at < tail.length; at += 1) hex += hexOfByte[tail[at] ?? 0] ?? ''
  return cloid(`${guardCloidPrefix}${kindCodes[kind]}${hex}`)
}

/** What kind of Guard's id this is; null when it is not Guard's. */
export function guardCloidKind(id: string | null): GuardCloidKind | null {
  if (id === null || !id.startsWith(guardCloidPrefix)) return null
  const code = id.slice(guardCloidPrefix.length, guardCloidPrefix.length + 2)
  if (code === kindCodes.stop) return 'stop'
  return code === kindCodes.close ? 'close' : 'order'
}

/** Mints ids for one request; the same request and secret give the same ids. */
export type CloidMint = (kind: GuardCloidKind) => Cloid
