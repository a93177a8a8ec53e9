import { join } from 'node:path'
import type { GuardConfigFile } from '../config/readConfig.ts'
import type { Journal } from '../engine/ports.ts'
import type { ChainKey } from '../journal/chainKey.ts'
import { JournalError } from '../journal/journalError.ts'
import { nodeIo } from '../journal/nodeIo.ts'
import { openJournal } from '../journal/openJournal.ts'
import type { OpenedJournal } from '../journal/opened.ts'
import { openSqliteIndex } from '../journal/sqliteIndex.ts'
import { systemClock } from '../system/systemClock.ts'
import { systemTimers } from '../system/systemTimers.ts'
import { journalKey } from './journalKey.ts'
import { refused } from './cliError.ts'
import { journalRefused } from './journalRefused.ts'
import { StoppedClock } from './stoppedClock.ts'
import type { Terminal } from './terminal.ts'

type Use<T> = (journal: Journal, opened: OpenedJournal) => Promise<T>

/** Writes to the journal of a Guard that does not run; a running one holds the lock and is told of. */
export async function withStoppedJournal<T>(
  config: GuardConfigFile,
  terminal: Terminal,
  use: Use<T>,
  isRekeying = false,
): Promise<T> {
  return await withJournalOf(config, await journalKey(config, terminal), use, isRekeying)
}

/** Opens the journal with a key that is at hand already; no passphrase is asked for. */
export async function withJournalOf<T>(
  config: GuardConfigFile,
  key: ChainKey | null,
  use: Use<T>,
  isRekeying = false,
): Promise<T> {
  let opened: OpenedJournal
  const clock = new StoppedClock(systemClock)
  try {
    opened = await openJournal({
      directory: join(config.stateDir, 'journal'),
      emergencyDirectory: config.emergencyDir,
      identity: { account: config.account, network: config.venue.network },
      key,
      isRekeying,
      clock,
      timers: systemTimers,
      io: nodeIo,
      log: { log: () => undefined },
      openIndex: openSqliteIndex,
    })
  } catch (error) {
    if (!(error instanceof JournalError)) throw error
    if (error.code === 'locked') {
      throw refused('Guard runs on this home; stop it first', [error.message])
    }
    throw journalRefused(error)
  }
  try {
    await clock.recall(opened)
    return await use(opened.journal, opened)
  } finally {
    await opened.journal.close()
  }
}
