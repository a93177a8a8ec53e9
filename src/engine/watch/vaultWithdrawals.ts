import type { AccountEvent } from '../../core/account/accountEvent.ts'

/**
 * What withdrawals from a vault explain: where its margin is short, the venue ends orders of the
 * vault and closes parts of its positions without asking its leader.
 */
export class VaultWithdrawals {
  #wasSeen = false

  /** The vault's own ledger tells a withdrawal as money that left. */
  see(event: AccountEvent): void {
    if (event.kind !== 'ledger') return
    if (event.entries.some(({ type, usdc }) => type === 'vaultWithdraw' && usdc.isNegative())) {
      this.#wasSeen = true
    }
  }

  /** The text of a discrepancy, with what may be behind it. */
  explained(text: string): string {
    return this.#wasSeen
      ? `${text}; a withdrawal from the vault may have closed a part of it`
      : text
  }
}
