import type { Json } from '../core/protocol/action.ts'

/**
 * Whether a market's name is a mere name. The venue lets others choose names: what could be read as
 * words is shown only among what is untrusted.
 */
export function isPlainName(name: Json | undefined): name is string {
  return typeof name === 'string' && /^([a-z][a-z0-9]{0,11}:)?[A-Za-z0-9]{1,12}$/.test(name)
}

/** A market's name as a result may show it. */
export function shownName(name: string): string {
  return isPlainName(name) ? name : '(see untrusted)'
}
