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
  private readonly given = new Set<Cloid>()
  private readonly isHeld: (cloid: Cloid) => boolean

  /** `isHeld` says whether an order on its way or open has an id. */
  constructor(mint: CloidMint, isHeld: (cloid: Cloid) => boolean) {
    this.mint = mint
    this.isHeld = isHeld
  }

  /** An order that this request replaces gives its id back: the one in its place may have it. */
  giveBack(cloid: Cloid | null): void {
    if (cloid !== null) this.given.add(cloid)
  }

  /** Whether an order of this request has the id already. */
  has(asked: Cloid): boolean {
    return this.used.has(asked)
  }

  of(asked: Cloid | null): Cloid {
    if (asked === null || this.used.has(asked)) return this.fresh()
    if (!this.given.has(asked) && this.isHeld(asked)) return this.fresh()
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
