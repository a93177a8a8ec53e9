import { err } from '../values/result.ts'
import type { codes } from './codes.ts'

/** A code that stands for a veto. */
type VetoCode = Extract<(typeof codes)[number], { verdict: 'veto' }>['code']

/** Why something is not forwarded: the code, and the sentence with the numbers in it. */
export interface Refusal {
  readonly code: VetoCode
  readonly text: string
}

export function refuse(
  code: VetoCode,
  text: string,
): { readonly ok: false; readonly error: Refusal } {
  return err({ code, text })
}
