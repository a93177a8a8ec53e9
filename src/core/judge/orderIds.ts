import type { CloidMint } from '../protocol/guardCloid.ts'
import type { Cloid } from '../values/cloid.ts'
import { change } from './changes.ts'
import type { Change } from './changes.ts'
import { keptName } from './keptName.ts'

/**
 * Gives every order of a request an id of its own: the bot's, or a new one where it sent none, the
 * same again (ccxt repeats one over a group, and the venue may refuse that), or one that another
 * order has while an exit must not wait for it.
 */
export class OrderIds {
  /** The ids Guard gave; the bot does not know them. */
  readonly minted: Cloid[] = []
  /** One for each id of the bot's that went out as another. */
  readonly changes: Change[] = []
  readonly mint: CloidMint
  private readonly used = new Set<Cloid>()
  private readonly given = new Set<Cloid | null>()
  private readonly holderOf: (cloid: Cloid) => string | null

  /** `holderOf` names the order on its way or open that has an id; null when none has. */
  constructor(mint: CloidMint, holderOf: (cloid: Cloid) => string | null) {
    this.mint = mint
    this.holderOf = holderOf
  }

  /** An order that this request replaces gives its id back: the one in its place may have it. */
  giveBack(cloid: Cloid | null): void {
    this.given.add(cloid)
  }

  /** Whether an order of this request has the id already. */
  has(asked: Cloid): boolean {
    return this.used.has(asked)
  }

  /** The id that an order goes out with; `name` is how the bot calls the order, for a change. */
  of(asked: Cloid | null, name: string): Cloid {
    if (asked === null) return this.fresh()
    const holder = this.heldBy(asked)
    if (holder === null) {
      this.used.add(asked)
      return asked
    }
    const text = `${name} goes under an id of Guard's: ${holder} has the client order id ${asked} already`
    this.changes.push(change(text, 'cloid', asked, null, 'cloid'))
    return this.fresh()
  }

  /**
   * The id of an order that the bot goes on calling so: one that Guard has given it, or a new one where
   * the order in whose place it goes rests meanwhile.
   */
  keep(called: Cloid, name: string, id = this.fresh()): Cloid {
    this.used.add(id)
    this.changes.push(keptName(name, called, id))
    return id
  }

  private heldBy(asked: Cloid): string | null {
    if (this.used.has(asked)) return 'another order of this request'
    return this.given.has(asked) ? null : this.holderOf(asked)
  }

  /** A new id, for an order that the bot has not named. */
  fresh(): Cloid {
    const id = this.mint('order')
    this.minted.push(id)
    this.used.add(id)
    return id
  }
}
