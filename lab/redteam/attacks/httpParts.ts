import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { harmless } from './authentication.ts'

export const crlf = '\r\n'

/** Over HTTP nothing of it may reach the venue. */
export function attack(
  name: string,
  tries: string,
  run: (attacker: Attacker) => Promise<string>,
): Attack {
  return { group: 'http', name, tries, venue: 'nothing', run }
}

export const signedText = (attacker: Attacker): string =>
  JSON.stringify(attacker.sign(harmless(attacker)))
export const port = (attacker: Attacker): string => new URL(attacker.url).port

/** A request to the exchange up to its body. */
export const head = (lines: readonly string[]): string =>
  ['POST /exchange HTTP/1.1', 'Host: 127.0.0.1', ...lines, '', ''].join(crlf)
