/** A refusal of a whole action that goes by the venue's clock alone: nothing of it was done. */
export type TimeRefusal =
  /** Its `expiresAfter` had passed. */
  | { readonly kind: 'expired' }
  /** Its nonce had to be above this one. */
  | { readonly kind: 'nonce_too_low'; readonly least: number }
  /** Its nonce had to be below this one, which is a day after the venue's time. */
  | { readonly kind: 'nonce_too_high'; readonly most: number }

const nonceText = /^Invalid nonce: nonce too (low|high) (\d{1,15}) [<>] (\d{1,15})$/

/**
 * Reads the venue's words about the action that was sent with `nonce`; null where they say something
 * else, speak of another nonce, or contradict themselves: such words must not move Guard's clock.
 */
export function timeRefusalIn(text: string, nonce: number): TimeRefusal | null {
  if (text === 'Action already expired') return { kind: 'expired' }
  const [, which, named, told] = nonceText.exec(text) ?? []
  if (named === undefined || told === undefined || named !== String(nonce)) return null
  const bound = Number.parseInt(told, 10)
  if (which === 'low') return nonce < bound ? { kind: 'nonce_too_low', least: bound } : null
  return nonce > bound ? { kind: 'nonce_too_high', most: bound } : null
}
