import type { SqlValue } from '../journal/sqliteThread.ts'

/**
 * One Guard in the host's ledger, column for column: who it is, what it last said of itself, and
 * its request weight. Never a key or a token.
 */
export interface LedgerRow {
  readonly home: string
  readonly network: string
  readonly account: string
  /** Where its weight counts: the network, or the address of a venue on this machine. */
  readonly venue: string
  readonly mode: string
  readonly api_wallet: string | null
  readonly state_dir: string
  /** Which directory that is, whatever it is called in its container; null where it was not there. */
  readonly state_place: string | null
  readonly version: string
  /** Where it listens; null before it does. */
  readonly url: string | null
  readonly pid: number
  readonly pid_started: string | null
  readonly pid_space: string
  readonly boot: string
  /** 0 once it has stopped and said so. */
  readonly running: number
  readonly state: string
  /** USD, as a decimal; null while it is not known. */
  readonly equity: string | null
  readonly positions: number
  /** Why it is latched; null when it is not. */
  readonly kill: string | null
  /** UTC epoch milliseconds, by the machine's clock. */
  readonly last_seen_ms: number
  readonly joined: number
  readonly weight_limit: number
  readonly weight_floor: number
  readonly weight_share: number
  /** This and the next two by the host's monotonic clock. */
  readonly lease_ends_ms: number
  readonly spent_at_ms: number
  readonly gone_at_ms: number | null
  /** What was spent in each second, the newest first, as JSON. */
  readonly spent: string
}

type Column = 'TEXT NOT NULL' | 'TEXT' | 'INTEGER NOT NULL' | 'INTEGER'

export const columns = {
  home: 'TEXT NOT NULL',
  network: 'TEXT NOT NULL',
  account: 'TEXT NOT NULL',
  venue: 'TEXT NOT NULL',
  mode: 'TEXT NOT NULL',
  api_wallet: 'TEXT',
  state_dir: 'TEXT NOT NULL',
  state_place: 'TEXT',
  version: 'TEXT NOT NULL',
  url: 'TEXT',
  pid: 'INTEGER NOT NULL',
  pid_started: 'TEXT',
  pid_space: 'TEXT NOT NULL',
  boot: 'TEXT NOT NULL',
  running: 'INTEGER NOT NULL',
  state: 'TEXT NOT NULL',
  equity: 'TEXT',
  positions: 'INTEGER NOT NULL',
  kill: 'TEXT',
  last_seen_ms: 'INTEGER NOT NULL',
  joined: 'INTEGER NOT NULL',
  weight_limit: 'INTEGER NOT NULL',
  weight_floor: 'INTEGER NOT NULL',
  weight_share: 'INTEGER NOT NULL',
  lease_ends_ms: 'INTEGER NOT NULL',
  spent_at_ms: 'INTEGER NOT NULL',
  gone_at_ms: 'INTEGER',
  spent: 'TEXT NOT NULL',
} as const satisfies Record<keyof LedgerRow, Column>

export const columnNames = Object.keys(columns) as (keyof LedgerRow)[]

export function valuesOf(row: LedgerRow): readonly SqlValue[] {
  return columnNames.map((name) => row[name])
}

/** A row as it was read; throws where it is none, so that a damaged ledger is not gone by. */
export function readRow(value: unknown): LedgerRow {
  const row = value as { readonly [name: string]: unknown }
  for (const [name, column] of Object.entries(columns)) {
    const found = row[name]
    const isFitting = column.startsWith('TEXT')
      ? typeof found === 'string'
      : Number.isSafeInteger(found)
    if (isFitting || (found === null && !column.endsWith('NOT NULL'))) continue
    throw new Error(`the ledger holds a row whose ${name} cannot be read`)
  }
  return row as unknown as LedgerRow
}

/** What was spent in each second; what is no such list counts as nothing known, and throws. */
export function readSpent(text: string): readonly number[] {
  const list: unknown = JSON.parse(text)
  if (!Array.isArray(list) || !list.every(Number.isSafeInteger)) {
    throw new Error('the ledger holds spending that cannot be read')
  }
  return list as number[]
}

/** Whether two rows are of the same Guard. */
export function isSameGuard(one: GuardKey, other: GuardKey): boolean {
  return one.home === other.home && one.network === other.network && one.account === other.account
}

export type GuardKey = Pick<LedgerRow, 'home' | 'network' | 'account'>
