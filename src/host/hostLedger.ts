import { constants } from 'node:fs'
import { chmod, mkdir, open, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '../core/values/limits.ts'
import { SqliteThread } from '../journal/sqliteThread.ts'
import type { SqlStatement } from '../journal/sqliteThread.ts'
import { columnNames, columns, readRow, valuesOf } from './ledgerRow.ts'
import type { GuardKey, LedgerRow } from './ledgerRow.ts'

/** Every row, and the number of the turn in which they were so. */
export interface LedgerPage {
  readonly turn: number
  readonly rows: readonly LedgerRow[]
}

/** Somebody else has written since the page was read: what was decided by it does not hold. */
export class TurnTaken extends Error {}

/** How long one step waits for another process that holds the database. */
const lockWaitMs = 50

/** 2: `state_place`. A ledger of an earlier version is made anew: every Guard puts its row again. */
const schemaVersion = 2

export function ledgerFile(directory: string): string {
  return join(directory, 'ledger.db')
}

/**
 * The ledger that the Guards of a host share: a database in a directory, and no process that serves
 * it. It runs on a thread of its own, so that no disk and no lock holds up Guard. Who writes names
 * the turn by which it decided, and fails where anybody has written since.
 */
export class HostLedger {
  readonly #thread: SqliteThread
  readonly #file: string
  readonly #inode: number

  private constructor(thread: SqliteThread, file: string, inode: number) {
    this.#thread = thread
    this.#file = file
    this.#inode = inode
  }

  /** Opens the ledger, and makes it where there is none; throws where it is broken or held. */
  static async open(directory: string): Promise<HostLedger> {
    const file = ledgerFile(directory)
    await makePrivate(directory, file)
    const thread = new SqliteThread()
    try {
      await thread.open(file)
      await thread.exec(connection)
      const [version] = await thread.all('PRAGMA user_version')
      const { user_version: found } = version as { readonly user_version: number }
      if (found > schemaVersion) throw new Error('the ledger is of a later version of Guard')
      if (found > 0 && found < schemaVersion) await thread.exec(forgetAll)
      if (found < schemaVersion) await thread.exec(schema)
      return new HostLedger(thread, file, (await stat(file)).ino)
    } catch (error) {
      await thread.end()
      throw error
    }
  }

  /** Opens a ledger that is there; null where there is none. */
  static async find(directory: string): Promise<HostLedger | null> {
    return (await inodeOf(ledgerFile(directory))) === null ? null : await HostLedger.open(directory)
  }

  /** Whether its file is still the one in the directory: a person may have removed a broken one. */
  async isInPlace(): Promise<boolean> {
    return (await inodeOf(this.#file)) === this.#inode
  }

  async read(): Promise<LedgerPage> {
    const found = await this.#thread.all(queries.page)
    const [first] = found as readonly { readonly turn: unknown }[]
    if (typeof first?.turn !== 'number') throw new Error('the ledger has no turn')
    const rows = (found as readonly { readonly home: unknown }[]).filter(
      ({ home }) => home !== null,
    )
    return { turn: first.turn, rows: rows.map(readRow) }
  }

  /** Puts a row, and notes who is gone, if nobody has written since that turn. */
  async write(
    turn: number,
    row: LedgerRow,
    gone: readonly GuardKey[],
    nowMs: number,
  ): Promise<void> {
    const statements: SqlStatement[] = [
      { sql: queries.takeTurn, values: [turn, turn + 1] },
      { sql: queries.forgetTurns, values: [turn] },
      { sql: queries.put, values: valuesOf(row) },
      ...gone.map((each) => ({ sql: queries.gone, values: [nowMs, ...keyOf(each)] })),
      { sql: queries.forgetGuards, values: [limits.hostGuardsMax] },
    ]
    try {
      await this.#thread.write(statements)
    } catch (error) {
      if (/UNIQUE constraint failed: turn/.test(String(error))) throw new TurnTaken()
      throw error
    }
  }

  /** What a Guard has spent by now. It takes no turn: a Guard spends within what it holds already. */
  async tell(guard: GuardKey, spent: readonly number[], atMs: number): Promise<void> {
    const values = [JSON.stringify(spent), atMs, ...keyOf(guard)]
    await this.#thread.write([{ sql: queries.tell, values }])
  }

  async close(): Promise<void> {
    await this.#thread.close().catch(() => undefined)
    await this.#thread.end()
  }
}

/** For the owner alone; what the operator has made, or opened to others, stays as it is. */
async function makePrivate(directory: string, file: string): Promise<void> {
  const made = await mkdir(directory, { recursive: true, mode: 0o700 })
  if (made !== undefined) await chmod(directory, 0o700)
  for (const suffix of ['', '-wal', '-shm', '-journal']) await mustBeFile(`${file}${suffix}`)
  // SQLite gives the files beside it the same mode.
  const handle = await open(file, constants.O_WRONLY | constants.O_CREAT, 0o600)
  await handle.close()
}

/** To open a pipe would wait for its other end, on a thread that then never ends. */
async function mustBeFile(path: string): Promise<void> {
  const found = await stat(path).catch(() => null)
  if (found?.isFile() === false) throw new Error(`${path} is not a regular file`)
}

async function inodeOf(file: string): Promise<number | null> {
  return await stat(file).then(
    ({ ino }) => ino,
    () => null,
  )
}

function keyOf({ home, network, account }: GuardKey): readonly string[] {
  return [home, network, account]
}

const connection = `
  PRAGMA busy_timeout = ${lockWaitMs};
  PRAGMA synchronous = NORMAL;
`

const forgetAll = 'BEGIN IMMEDIATE; DROP TABLE guard; DROP TABLE turn; COMMIT;'

const schema = `
  PRAGMA journal_mode = WAL;
  BEGIN IMMEDIATE;
  CREATE TABLE IF NOT EXISTS guard (
    ${Object.entries(columns)
      .map(([name, type]) => `${name} ${type}`)
      .join(', ')},
    PRIMARY KEY (home, network, account)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS turn (number INTEGER PRIMARY KEY);
  INSERT INTO turn SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM turn);
  PRAGMA user_version = ${schemaVersion};
  COMMIT;
`

const isKey = 'home = ? AND network = ? AND account = ?'

const queries = {
  // One statement, so that rows and turn are of one moment.
  page: `SELECT (SELECT MAX(number) FROM turn) AS turn, guard.* FROM (SELECT 1) LEFT JOIN guard
         ORDER BY joined`,
  // Where somebody has written since, it puts a number that is there already, and fails.
  takeTurn: 'INSERT INTO turn SELECT CASE MAX(number) WHEN ? THEN ? ELSE MAX(number) END FROM turn',
  forgetTurns: 'DELETE FROM turn WHERE number <= ?',
  put: `INSERT OR REPLACE INTO guard (${columnNames.join(', ')})
        VALUES (${columnNames.map(() => '?').join(', ')})`,
  gone: `UPDATE guard SET gone_at_ms = ? WHERE gone_at_ms IS NULL AND ${isKey}`,
  tell: `UPDATE guard SET spent = ?, spent_at_ms = ? WHERE ${isKey}`,
  forgetGuards: `DELETE FROM guard WHERE (running = 0 OR gone_at_ms IS NOT NULL) AND (home, network, account) NOT IN
                 (SELECT home, network, account FROM guard ORDER BY last_seen_ms DESC LIMIT ?)`,
} as const
