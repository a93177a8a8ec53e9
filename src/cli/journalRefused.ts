import type { JournalError } from '../journal/journalError.ts'
import type { CliError } from './cliError.ts'
import { refused } from './cliError.ts'

/** Why Guard does not start on a journal, and the way out. */
export function journalRefused(error: JournalError): CliError {
  switch (error.code) {
    case 'locked':
      return refused('another Guard runs on this home', [
        error.message,
        'look at it with: guard status; a second Guard needs a home of its own: --home DIR',
      ])
    case 'identity':
      return refused('the journal belongs to another account or network', [
        error.message,
        'a Guard for this account needs a home (or state_dir) of its own',
      ])
    case 'key':
      return refused('the records of the journal are not of this API wallet', [
        error.message,
        'after a change of the API wallet: guard journal rekey; otherwise find out who wrote them',
      ])
    case 'damaged':
      return refused(
        'the journal is damaged, and Guard does not trade on a record it cannot trust',
        [
          error.message,
          'guard journal verify names every place; docs/operating.md says how to go on',
        ],
      )
    case 'disk':
    case 'slow':
    case 'queue_full':
    case 'closed':
    case 'invalid':
      return refused('the journal cannot be used', [error.message])
  }
}
