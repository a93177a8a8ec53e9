import type { Rules } from '../../../src/core/rules/rules.ts'
import type { Address } from '../../../src/core/values/address.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Venue } from '../../sim/engine/venue.ts'
import type { FillView, LedgerRow } from '../../sim/engine/views.ts'
import { accountFaults } from '../faultKinds.ts'
import { Violation } from '../violation.ts'
import type { DiskRecord } from '../watchedDisk.ts'
import { equityOf } from '../wholeAccount.ts'

/** Of the least that makes a halt: fees and prices move between a look and the halt. */
const nearlyAll = Decimal.of('0.9')

/** Faults that tell Guard nothing wrong of its money. */
const honest: ReadonlySet<string> = new Set([
  ...accountFaults,
  ...['price_jump', 'price_gap', 'market_crash', 'deposit', 'withdrawal', 'clean_restart'],
  ...['process_killed', 'crash_lost', 'crash_kept', 'crash_torn', 'crash_at_send'],
  ...['crash_at_answer', 'kill_request', 'kill_file', 'kill_command', 'rules_changed'],
])

/** What a world knows of what was done to it. */
interface Troubled {
  readonly isTraded: boolean
  readonly recent: ReadonlyMap<string, number>
}

/**
 * What trading has cost, whatever money came and went meanwhile: deposits, withdrawals, transfers, what
 * followers of a vault put in and take out, and the USDC that spot trades move. Nothing else is a loss.
 */
export class LossOracle {
  readonly #venue: Venue
  readonly #user: Address
  /** The most that was there without all that came and went, and how far that ever fell. */
  #most: Decimal | null = null
  #lost = Decimal.zero
  #equityMin: Decimal | null = null

  constructor(venue: Venue, user: Address) {
    this.#venue = venue
    this.#user = user
  }

  look(): void {
    const equity = equityOf(this.#venue, this.#user)
    const mode = this.#venue.mode(this.#user)
    if (mode === 'portfolioMargin') return
    const beside = mode === 'disabled' ? this.#venue.spotState(this.#user).usdcTotal : Decimal.zero
    const own = equity.plus(beside).minus(this.#flows())
    this.#equityMin = Decimal.min(this.#equityMin ?? equity, equity)
    this.#most = Decimal.max(this.#most ?? own, own)
    this.#lost = Decimal.max(this.#lost, this.#most.minus(own))
  }

  /** A halt that reached the disk is for a loss. */
  onDisk({ kind, state }: DiskRecord, rules: Rules, { isTraded, recent }: Troubled): void {
    if (kind !== 'risk' || state === 'active' || isTraded) return
    if (![...recent.keys()].every((fault) => honest.has(fault))) return
    this.look()
    const least = (this.#equityMin ?? Decimal.zero).times(rules.dailyLossStop).times(nearlyAll)
    if (this.#lost.gte(least)) return
    const text = `the account is ${String(state)}, and trading lost ${this.#lost.toString()} USD`
    throw new Violation('flow_no_loss', text)
  }

  /** All that came, less all that went. */
  #flows(): Decimal {
    const moved = this.#venue.ledger(this.#user).map((row) => this.#flowOf(row))
    const traded = this.#venue.fills(this.#user).map((fill) => this.#spotFlow(fill))
    return [...moved, ...traded].reduce((sum, each) => sum.plus(each), Decimal.zero)
  }

  #flowOf({ delta }: LedgerRow): Decimal {
    switch (delta.type) {
      case 'deposit':
      case 'vaultDeposit':
        return delta.usdc
      case 'withdraw':
        return delta.usdc.plus(delta.fee).negated()
      case 'vaultWithdraw':
        return delta.requested.negated()
      case 'vaultDistribution':
        return delta.usdc.negated()
      case 'subAccountTransfer':
        return delta.destination === this.#user ? delta.usdc : delta.usdc.negated()
      default:
        return Decimal.zero
    }
  }

  /** The USDC that a trade of a token brought or cost. */
  #spotFlow({ coin, isBuy, price, size, fee, feeToken }: FillView): Decimal {
    if (this.#venue.market(coin) !== null) return Decimal.zero
    const paid = feeToken === 'USDC' ? fee : Decimal.zero
    const worth = price.times(size)
    return (isBuy ? worth.negated() : worth).minus(paid)
  }
}
