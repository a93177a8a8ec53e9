import type { CloidMint } from '../protocol/guardCloid.ts'
import type { Cloid } from '../values/cloid.ts'

/**
 * Gives every order of a request an id of its own: the bot's, or a new one where it sent none, the
 * same again (ccxt repeats one over a group, and the venue may refuse that), or one that another
 * order has while an exit must not wait for it.
 */
export class Ids {
  /** The ids Guard gave; the bot does not know them. */
  readonly minted: Cloid[] = []
  readonly mint: CloidMint
  private readonly used = new Set<Cloid>()

  constructor(mint: CloidMint) {
    this.mint = mint
  }

  /** Whether an order of this request has the id already. */
  has(asked: Cloid): boolean {
    return this.used.has(asked)
  }

  of(asked: Cloid | null): Cloid {
    if (asked === null || this.used.has(asked)) return this.fresh()
    this.used.add(asked)
    return asked
  }

  /** A new id, whatever was asked for. */
  fresh(): Cloid {
    const id = this.mint('order')
    this.minted.push(id)
    this.used.add(id)
    return id
  }
}
