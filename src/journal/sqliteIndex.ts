import { DatabaseSync } from '@photostructure/sqlite'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { EventIndex, IndexFilter, IndexHead, IndexRow, Position } from './eventIndex.ts'
import { causeText, JournalError } from './journalError.ts'
import { fileNames } from './layout.ts'
import { bootId } from './nodeIo.ts'

/**
 * The index in SQLite. It is never synced, so that it never holds up the main thread: while the
 * machine stays up its pages do too, and after a power cut, which a changed boot id shows, it is
 * made anew. One that cannot be opened, or is of another version, is made anew as well.
 */
export function openSqliteIndex(directory: string): EventIndex {
  const path = join(directory, fileNames.index)
  const boot = bootId()
  try {
    return new SqliteIndex(path, openDatabase(path), boot)
  } catch {
    return openedAnew(path, boot)
  }
}

/** An index that cannot be made on an empty place is no index that is broken: the disk is. */
function openedAnew(path: string, boot: string): EventIndex {
  try {
    removeDatabase(path)
    return new SqliteIndex(path, openDatabase(path), boot)
  } catch (error) {
    throw new JournalError('disk', `the index cannot be opened: ${causeText(error)}`, null, error)
  }
}

type Database = InstanceType<typeof DatabaseSync>
type Statement = ReturnType<Database['prepare']>

class SqliteIndex implements EventIndex {
  readonly #path: string
  readonly #boot: string
  #database: Database
  #statements: Statements
  #head: IndexHead

  constructor(path: string, database: Database, boot: string) {
    this.#path = path
    this.#boot = boot
    this.#database = database
    try {
      this.#statements = prepare(database)
      this.#head = this.#believe()
    } catch (error) {
      database.close()
      throw error
    }
  }

  get head(): IndexHead {
    return this.#head
  }

  add(rows: readonly IndexRow[], head: IndexHead): void {
    const { insert, insertCoin } = this.#statements
    this.#database.exec('BEGIN')
    try {
      for (const row of rows) {
        const { seq, segment, offset, length, atMs, kind, code, nonce, client, decision } = row
        insert.run(seq, segment, offset, length, atMs, kind, code, nonce, client, decision)
        for (const coin of new Set(row.coins)) insertCoin.run(coin, seq)
      }
      this.#setMeta('seq', head.seq)
      this.#setMeta('hash', head.hash)
      this.#database.exec('COMMIT')
    } catch (error) {
      this.#database.exec('ROLLBACK')
      throw error
    }
    this.#head = head
  }

  decision(nonce: number, client: string | null): Position | null {
    const row =
      client === null
        ? this.#statements.byNonce.get(nonce)
        : this.#statements.byNonceOfClient.get(nonce, client)
    return row === undefined ? null : toPosition(row)
  }

  sends(decision: number): readonly Position[] {
    return this.#statements.sends.all(decision).map(toPosition)
  }

  position(seq: number): Position | null {
    const row = this.#statements.position.get(seq)
    return row === undefined ? null : toPosition(row)
  }

  page(since: number, limit: number, filter: IndexFilter): readonly Position[] {
    const { kinds, coin, code, fromMs, untilMs } = filter
    const where = ['seq > ?']
    const values: (string | number)[] = [since]
    const only = (condition: string, ...given: readonly (string | number)[]): void => {
      where.push(condition)
      values.push(...given)
    }
    if (kinds !== null) only(`kind IN (${kinds.map(() => '?').join(', ')})`, ...kinds)
    if (coin !== null) only('seq IN (SELECT seq FROM coin WHERE coin = ?)', coin)
    if (code !== null) only('code = ?', code)
    if (fromMs !== null) only('at_ms >= ?', fromMs)
    if (untilMs !== null) only('at_ms <= ?', untilMs)
    const sql = `SELECT ${columns} FROM event WHERE ${where.join(' AND ')} ORDER BY seq LIMIT ?`
    return this.#database
      .prepare(sql)
      .all(...values, limit)
      .map(toPosition)
  }

  forget(upTo: number): void {
    this.#database.exec(`DELETE FROM event WHERE seq <= ${Math.floor(upTo)}`)
    this.#database.exec(`DELETE FROM coin WHERE seq <= ${Math.floor(upTo)}`)
  }

  clear(): void {
    this.#head = { seq: 0, hash: '' }
    try {
      this.#database.close()
    } catch {
      // A damaged database may fail to close; its files go all the same.
    }
    removeDatabase(this.#path)
    this.#database = openDatabase(this.#path)
    this.#statements = prepare(this.#database)
    this.#head = this.#believe()
  }

  close(): void {
    this.#setMeta('clean', 1)
    // Only now may the disk be waited for: a clean index must still be there after a power cut.
    this.#database.exec('PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)')
    this.#database.close()
  }

  /** How far the index reaches, or an error when its pages may not all be there. */
  #believe(): IndexHead {
    const boot = this.#meta('boot')
    const isClean = this.#meta('clean') === 1
    if (boot !== undefined && boot !== this.#boot && !isClean) {
      throw new Error('the machine went down while the index was open')
    }
    this.#setMeta('boot', this.#boot)
    this.#setMeta('clean', 0)
    const seq = this.#meta('seq')
    const hash = this.#meta('hash')
    return typeof seq === 'number' && typeof hash === 'string'
      ? { seq, hash }
      : { seq: 0, hash: '' }
  }

  #meta(name: string): unknown {
    const row: unknown = this.#statements.meta.get(name)
    return (row as { readonly value?: unknown } | undefined)?.value
  }

  #setMeta(name: string, value: string | number): void {
    this.#statements.setMeta.run(name, value)
  }
}

function openDatabase(path: string): Database {
  const database = new DatabaseSync(path, { timeout: 0 })
  try {
    database.exec(pragmas)
    const version: unknown = database.prepare('PRAGMA user_version').get()
    const { user_version: found } = version as { readonly user_version: number }
    if (found !== 0 && found !== schemaVersion) throw new Error('an index of another version')
    database.exec(schema)
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}

type Statements = { readonly [Name in keyof typeof queries]: Statement }

function prepare(database: Database): Statements {
  const entries = Object.entries(queries).map(([name, sql]) => [name, database.prepare(sql)])
  return Object.fromEntries(entries) as Statements
}

function toPosition(row: unknown): Position {
  const { seq, segment, at, length } = row as { readonly [name: string]: number }
  const values = [seq, segment, at, length]
  if (!values.every(Number.isSafeInteger)) throw new Error('the index holds no position')
  return { seq: Number(seq), segment: Number(segment), offset: Number(at), length: Number(length) }
}

const schemaVersion = 1

const pragmas = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = OFF;
  PRAGMA wal_autocheckpoint = 256;
  PRAGMA temp_store = MEMORY;
`

const schema = `
  CREATE TABLE IF NOT EXISTS event (
    seq INTEGER PRIMARY KEY, segment INTEGER NOT NULL, at INTEGER NOT NULL,
    length INTEGER NOT NULL, at_ms INTEGER NOT NULL, kind TEXT NOT NULL,
    code TEXT, nonce INTEGER, client TEXT, decision INTEGER
  );
  CREATE INDEX IF NOT EXISTS event_nonce ON event (nonce, seq) WHERE nonce IS NOT NULL;
  CREATE INDEX IF NOT EXISTS event_decision ON event (decision, seq) WHERE decision IS NOT NULL;
  CREATE INDEX IF NOT EXISTS event_kind ON event (kind, seq);
  CREATE INDEX IF NOT EXISTS event_code ON event (code, seq) WHERE code IS NOT NULL;
  CREATE INDEX IF NOT EXISTS event_at ON event (at_ms);
  CREATE TABLE IF NOT EXISTS coin (
    coin TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (coin, seq)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
  PRAGMA user_version = ${schemaVersion};
`

const columns = 'seq, segment, at, length'

const queries = {
  insert: 'INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  insertCoin: 'INSERT INTO coin VALUES (?, ?)',
  byNonce: `SELECT ${columns} FROM event WHERE nonce = ? ORDER BY seq DESC LIMIT 1`,
  byNonceOfClient: `SELECT ${columns} FROM event WHERE nonce = ? AND client = ?
                    ORDER BY seq DESC LIMIT 1`,
  sends: `SELECT ${columns} FROM event WHERE decision = ? ORDER BY seq`,
  position: `SELECT ${columns} FROM event WHERE seq = ?`,
  meta: 'SELECT value FROM meta WHERE name = ?',
  setMeta: 'INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
} as const
