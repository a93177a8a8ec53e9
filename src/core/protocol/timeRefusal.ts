/** A refusal of a whole action that goes by the venue's clock alone: nothing of it was done. */
export type TimeRefusal =
  /** Its `expiresAfter` had passed. */
  | { readonly kind: 'expired' }
  /** Its nonce had to be above this one. */
  | { readonly kind: 'nonce_too_low'; readonly least: number }
  /** Its nonce had to be below this one, which is a day after the venue's time. */
  | { readonly kind: 'nonce_too_high'; readonly most: number }

const nonceText = /^Invalid nonce: nonce too (low|high) \d{1,16} [<>] (\d{1,15})$/

/** Reads the venue's words; null where they say something else. */
export function timeRefusalIn(text: string): TimeRefusal | null {
  if (text === 'Action already expired') return { kind: 'expired' }
  const [, which, bound] = nonceText.exec(text) ?? []
  if (bound === undefined) return null
  return which === 'low'
    ? { kind: 'nonce_too_low', least: Number.parseInt(bound, 10) }
    : { kind: 'nonce_too_high', most: Number.parseInt(bound, 10) }
}
