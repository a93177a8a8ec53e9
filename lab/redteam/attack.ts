import type { Attacker } from './attacker.ts'

export const groups = [
  'authentication',
  'funds and rights',
  'sizing',
  'stops',
  'leverage and margin',
  'markets',
  'halts',
  'http',
  'websocket',
  'content',
  'routes',
  'foreign text',
  'nonces',
  'subscriptions',
  'flooding',
  'latch',
] as const

export type Group = (typeof groups)[number]

/** One thing an attacker tries. */
export interface Attack {
  readonly group: Group
  /** Short, in words joined by dashes; `--only` finds it by a part of this. */
  readonly name: string
  /** What it tries, for a reader. */
  readonly tries: string
  /**
   * What may reach the venue meanwhile: `nothing`, or `trades` where the attack trades within the
   * rules on its way.
   */
  readonly venue: 'nothing' | 'trades'
  /** Needs a Guard that sends, is not halted and sees an account with money. */
  readonly needsTrading?: true
  /** Says how it was held; throws a `Breach` when something got through. */
  readonly run: (attacker: Attacker) => Promise<string>
}
