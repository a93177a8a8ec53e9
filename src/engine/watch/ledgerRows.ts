import type { AccountEvent } from '../../core/account/accountEvent.ts'
import { UnknownRows } from '../../core/safety/unknownRows.ts'
import { VaultWithdrawals } from './vaultWithdrawals.ts'

/** What rows of the venue's ledger tell beside the money they move. */
export class LedgerRows {
  private readonly vault = new VaultWithdrawals()
  private readonly unknown = new UnknownRows()

  /** Takes what it says of the ledger; answers a text for each row that Guard cannot account for. */
  told(event: AccountEvent): readonly string[] {
    this.vault.see(event)
    return this.unknown.told(event)
  }

  /** The text of a discrepancy, with what may be behind it. */
  explained(text: string): string {
    return this.vault.explained(text)
  }
}
