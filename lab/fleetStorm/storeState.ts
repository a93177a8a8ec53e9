/** All money of the model is in whole cents. */
export type Cents = number

export interface BudgetRow {
  readonly scope: string
  readonly kind: string
  /** What a person set. */
  set: Cents
  /** What of it the members hold. */
  leased: Cents
}

export interface LeaseRow {
  readonly member: string
  readonly scope: string
  readonly kind: string
  held: Cents
  used: Cents
  /** What its holder said is used, be it more than it holds. */
  reported: Cents
  want: Cents
  renewedMs: number
}

export interface WriterRow {
  epoch: number
  instance: string
  run: string
  untilMs: number
  /** What its holder said last, and whether nothing was heard of it since. */
  word: string | null
  isTold: boolean
  /** What the home before said last, until this one has heeded it. */
  left: { readonly word: string | null; readonly isKnown: boolean } | null
  /** How many answers gave the right to act, to whomever. */
  answers: number
}

/** Which server leases were last granted by, and since when. */
export interface LeasingRow {
  readonly timeline: number
  readonly startedMs: number
  /** Nothing but a start of the same server was noticed last. */
  readonly isRestart: boolean
  /** A member was told something since then that this server does not have. */
  readonly isPutBack: boolean
  /** The millisecond in which that was noticed; 0: nothing was. */
  readonly begun: number
  readonly sinceMs: number
}

export interface MemberRow {
  readonly name: string
  readonly group: string
  readonly account: string
  retiredMs: number | null
  obeyed: number
  /** By which number the records of its present home are kept. */
  writerEpoch: number
  leaseTurn: number
}

export interface StreamRow {
  /** The home whose records they are. */
  readonly instance: string
  /** Of each record, in order. */
  readonly hashes: string[]
}

interface ControlRow {
  readonly epoch: number
  isKilled: boolean
  readonly reason: string
  /** The id of the request that raised it, so that a repeated one is known; null when it had none. */
  readonly request: string | null
}

/** Everything that a store keeps, by name; it can be copied whole, as a replica has it. */
export interface StoreState {
  /** Of the server itself, whatever is kept in it. */
  timeline: number
  startedMs: number
  leasing: LeasingRow
  readonly members: Map<string, MemberRow>
  readonly budgets: Map<string, BudgetRow>
  readonly leases: Map<string, LeaseRow>
  readonly control: Map<string, ControlRow>
  readonly acks: Map<string, { readonly epoch: number; isFlat: boolean }>
  readonly writers: Map<string, WriterRow>
  /** The records that are kept, by member and writer epoch. */
  readonly streams: Map<string, StreamRow>
}

export function emptyState(): StoreState {
  return {
    ...{ timeline: 1, startedMs: 0 },
    leasing: {
      timeline: 1,
      startedMs: 0,
      isRestart: false,
      isPutBack: false,
      begun: 0,
      sinceMs: -Infinity,
    },
    ...{ members: new Map(), budgets: new Map(), leases: new Map(), control: new Map() },
    ...{ acks: new Map(), writers: new Map(), streams: new Map() },
  }
}

export function budgetKey(scope: string, kind: string): string {
  return `${scope} ${kind}`
}

export function leaseKey(member: string, scope: string, kind: string): string {
  return `${member} ${scope} ${kind}`
}

export function scopesOf({ group, account }: MemberRow): readonly string[] {
  return ['fleet', `group:${group}`, `account:testnet:${account}`]
}

/** `12.34` is 1,234. */
export function centsOf(text: string): Cents {
  const [whole = '0', fraction = ''] = text.split('.')
  return Number(whole) * 100 + Number(fraction.slice(0, 2).padEnd(2, '0'))
}

export function textOf(cents: Cents): string {
  return `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`
}
