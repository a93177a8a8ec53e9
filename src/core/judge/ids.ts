import type { CloidMint } from '../protocol/guardCloid.ts'
import type { Cloid } from '../values/cloid.ts'

/**
 * Gives every order of a request an id of its own: the bot's, or a new one where it sent none or
 * the same again (ccxt repeats one over a group, and the venue may refuse that).
 */
export class Ids {
  /** The ids Guard gave; the bot does not know them. */
  readonly minted: Cloid[] = []
  readonly mint: CloidMint
  private readonly used = new Set<Cloid>()

  constructor(mint: CloidMint) {
    this.mint = mint
  }

  of(asked: Cloid | null): Cloid {
    const id = asked === null || this.used.has(asked) ? this.mint('order') : asked
    if (id !== asked) this.minted.push(id)
    this.used.add(id)
    return id
  }
}
