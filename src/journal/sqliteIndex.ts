import { join } from 'node:path'
import type { EventIndex, IndexFilter, IndexHead, IndexRow } from './eventIndex.ts'
import type { OrderDecision, Position } from './eventIndex.ts'
import { fileNames } from './layout.ts'
import { bootId } from './nodeIo.ts'
import { SqliteThread } from './sqliteThread.ts'
import type { SqlStatement, SqlValue } from './sqliteThread.ts'

/**
 * The index in SQLite, on a thread of its own: no disk that stalls holds up Guard. It is never
 * synced: while the machine stays up its pages do too, and after a power cut, which a changed boot
 * id shows, it is made anew. One that cannot be opened, or is of another version, is made anew as
 * well. Where a disk takes none it is empty, and every question of it fails: the journal is read
 * instead, until it could be made. `sqlite` is the path of the module that opens databases.
 */
export async function openSqliteIndex(directory: string, sqlite?: string): Promise<EventIndex> {
  const index = new SqliteIndex(join(directory, fileNames.index), bootId(), sqlite)
  await index
    .open()
    .catch(() => index.clear())
    .catch(() => undefined)
  return index
}

class SqliteIndex implements EventIndex {
  readonly #path: string
  readonly #boot: string
  readonly #sqlite: string | undefined
  #thread: SqliteThread
  #head: IndexHead = nothing
  /** How often it was made anew: rows that were on their way then are not in the new one. */
  #made = 0

  constructor(path: string, boot: string, sqlite: string | undefined) {
    this.#path = path
    this.#boot = boot
    this.#sqlite = sqlite
    this.#thread = new SqliteThread(sqlite)
  }

  get head(): IndexHead {
    return this.#head
  }

  /** Opens what is there; throws where it is of no use. */
  async open(): Promise<void> {
    await this.#thread.open(this.#path)
    await this.#thread.exec(pragmas)
    const [version] = await this.#thread.all('PRAGMA user_version')
    const { user_version: found } = version as { readonly user_version: number }
    if (found !== 0 && found !== schemaVersion) throw new Error('an index of another version')
    await this.#thread.exec(schema)
    this.#head = await this.#believe()
  }

  async add(rows: readonly IndexRow[], head: IndexHead): Promise<void> {
    const made = this.#made
    await this.#thread.write([
      ...rows.flatMap(insertsOf),
      setMeta('seq', head.seq),
      setMeta('hash', head.hash),
    ])
    if (made === this.#made) this.#head = head
  }

  async decision(nonce: number, client: string | null): Promise<Position | null> {
    return client === null
      ? await this.#first(queries.byNonce, [nonce])
      : await this.#first(queries.byNonceOfClient, [nonce, client])
  }

  async decisionOn(cloid: string): Promise<OrderDecision | null> {
    const [row] = await this.#thread.all(queries.byCloid, [cloid])
    if (row === undefined) return null
    return { ...toPosition(row), isPassed: (row as { readonly passed?: unknown }).passed === 1 }
  }

  async sends(decision: number): Promise<readonly Position[]> {
    return (await this.#thread.all(queries.sends, [decision])).map(toPosition)
  }

  position(seq: number): Promise<Position | null> {
    return this.#first(queries.position, [seq])
  }

  async page(since: number, limit: number, filter: IndexFilter): Promise<readonly Position[]> {
    const { kinds, coin, code, fromMs, untilMs } = filter
    const where = ['seq > ?']
    const values: SqlValue[] = [since]
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
    return (await this.#thread.all(sql, [...values, limit])).map(toPosition)
  }

  async forget(upTo: number): Promise<void> {
    await this.#thread.write([
      { sql: 'DELETE FROM event WHERE seq <= ?', values: [upTo] },
      { sql: 'DELETE FROM coin WHERE seq <= ?', values: [upTo] },
      { sql: 'DELETE FROM cloid WHERE seq <= ?', values: [upTo] },
    ])
  }

  async clear(): Promise<void> {
    this.#made += 1
    this.#head = nothing
    if (this.#thread.hasEnded) this.#thread = new SqliteThread(this.#sqlite)
    // A damaged database may fail to close; its files go all the same.
    await this.#thread.close().catch(() => undefined)
    await this.#thread.remove(this.#path)
    await this.open()
  }

  async close(): Promise<void> {
    try {
      await this.#thread.write([setMeta('clean', 1)])
      // Only now is the disk waited for: a clean index must still be there after a power cut.
      await this.#thread.exec('PRAGMA synchronous = FULL; PRAGMA wal_checkpoint(TRUNCATE)')
      await this.#thread.close()
    } finally {
      await this.end()
    }
  }

  async end(): Promise<void> {
    await this.#thread.end()
  }

  /** How far the index reaches, or an error when its pages may not all be there. */
  async #believe(): Promise<IndexHead> {
    const boot = await this.#meta('boot')
    const isClean = (await this.#meta('clean')) === 1
    if (boot !== undefined && boot !== this.#boot && !isClean) {
      throw new Error('the machine went down while the index was open')
    }
    await this.#thread.write([setMeta('boot', this.#boot), setMeta('clean', 0)])
    const seq = await this.#meta('seq')
    const hash = await this.#meta('hash')
    return typeof seq === 'number' && typeof hash === 'string' ? { seq, hash } : nothing
  }

  async #meta(name: string): Promise<unknown> {
    const [row] = await this.#thread.all(queries.meta, [name])
    return (row as { readonly value?: unknown } | undefined)?.value
  }

  async #first(sql: string, values: readonly SqlValue[]): Promise<Position | null> {
    const [row] = await this.#thread.all(sql, values)
    return row === undefined ? null : toPosition(row)
  }
}

function insertsOf(row: IndexRow): readonly SqlStatement[] {
  const { seq, segment, offset, length, atMs, kind, code, nonce, client, decision } = row
  const event = [seq, segment, offset, length, atMs, kind, code, nonce, client, decision]
  const passed = row.isPassed ? 1 : 0
  return [
    { sql: queries.insert, values: event },
    ...[...new Set(row.coins)].map((coin) => ({ sql: queries.insertCoin, values: [coin, seq] })),
    ...row.cloids.map((cloid) => ({ sql: queries.insertCloid, values: [cloid, passed, seq] })),
  ]
}

function setMeta(name: string, value: string | number): SqlStatement {
  return { sql: queries.setMeta, values: [name, value] }
}

function toPosition(row: unknown): Position {
  const { seq, segment, at, length } = row as { readonly [name: string]: number }
  const values = [seq, segment, at, length]
  if (!values.every(Number.isSafeInteger)) throw new Error('the index holds no position')
  return { seq: Number(seq), segment: Number(segment), offset: Number(at), length: Number(length) }
}

const nothing: IndexHead = { seq: 0, hash: '' }

/** An index of another version is made anew, behind the journal and without holding it up. */
const schemaVersion = 2

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
  CREATE TABLE IF NOT EXISTS cloid (
    cloid TEXT NOT NULL, passed INTEGER NOT NULL, seq INTEGER NOT NULL,
    PRIMARY KEY (cloid, passed, seq)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value) WITHOUT ROWID;
  PRAGMA user_version = ${schemaVersion};
`

const columns = 'seq, segment, at, length'

const queries = {
  insert: 'INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
  insertCoin: 'INSERT INTO coin VALUES (?, ?)',
  insertCloid: 'INSERT INTO cloid VALUES (?, ?, ?)',
  byCloid: `SELECT ${columns}, passed FROM cloid JOIN event USING (seq) WHERE cloid = ?
            ORDER BY passed DESC, cloid.seq DESC LIMIT 1`,
  byNonce: `SELECT ${columns} FROM event WHERE nonce = ? ORDER BY seq DESC LIMIT 1`,
  byNonceOfClient: `SELECT ${columns} FROM event WHERE nonce = ? AND client = ?
                    ORDER BY seq DESC LIMIT 1`,
  sends: `SELECT ${columns} FROM event WHERE decision = ? ORDER BY seq`,
  position: `SELECT ${columns} FROM event WHERE seq = ?`,
  meta: 'SELECT value FROM meta WHERE name = ?',
  setMeta: 'INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value',
} as const
