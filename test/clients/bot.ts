/** How an order stands, as far as the client tells its bot. */
export interface Shown {
  readonly id?: string
  readonly filled?: number
  readonly error?: string
}

/** What a bot gets for one call: orders as its client shows them, or words of refusal. */
export type Seen =
  | { readonly orders: readonly Shown[]; readonly refused?: undefined }
  | { readonly orders?: undefined; readonly refused: string; readonly as: string }

export type Side = 'buy' | 'sell'

export interface LimitOptions {
  readonly tif?: 'Gtc' | 'Ioc' | 'Alo'
  readonly cloid?: string
  readonly reduceOnly?: boolean
}

export interface Wish {
  readonly size: number
  readonly price: number
}

/** Something Guard refuses whoever asks, and the code it gives. */
interface Forbidden {
  readonly name: string
  readonly code: string
  run(): Promise<Seen>
}

/**
 * One bot on one client: the same wishes for all of them, each said with the client's own calls.
 * All of it is about ETH. A wish a client cannot say is missing, and `lacks` says why.
 */
export interface Bot {
  markets(): Promise<readonly string[]>
  read(): Promise<{
    readonly mid: number
    readonly equity: number
    readonly levels: number
    readonly orders: number
  }>
  leverage(value: number, margin: 'isolated' | 'cross'): Promise<Seen>
  market(side: Side, size: number): Promise<Seen>
  limit(side: Side, size: number, price: number, options?: LimitOptions): Promise<Seen>
  marketWithStop(size: number, stop: number): Promise<Seen>
  limitWithStop(size: number, price: number, stop: number): Promise<Seen>
  group(size: number, price: number, profit: number, stop: number): Promise<Seen>
  stop(size: number, trigger: number): Promise<Seen>
  /** A buy at market that waits for a price above. */
  triggerEntry(size: number, trigger: number): Promise<Seen>
  modify(id: string, size: number, price: number): Promise<Seen>
  modifyStop(id: string, size: number, trigger: number): Promise<Seen>
  cancel(id: string): Promise<Seen>
  cancelByCloid(cloid: string): Promise<Seen>
  cancelAll(): Promise<Seen>
  close(size: number): Promise<Seen>
  several(wishes: readonly Wish[]): Promise<Seen>
  /** Sends at once, and waits for all. */
  together(wishes: readonly Wish[]): Promise<readonly Seen[]>
  /** Follows the book and the account's fills; `next` resolves when both have come. */
  watch?(): Promise<{ fill(): Promise<number>; book(): Promise<number> }>
  readonly forbidden: readonly Forbidden[]
  end(): Promise<void>
}

export interface Target {
  readonly url: string
  readonly wsUrl: string
  readonly key: string
  readonly account: string
  /** The account that the bot names as the one it trades; left out: it names none. */
  readonly vault?: string
}

export interface Driver {
  /** How it is called in the matrix. */
  readonly name: string
  readonly client: string
  readonly version: string
  /** What to set, in one line of its own language. */
  readonly settings: string
  /** Whose phantom agent it signs for, and how its actions arrive. */
  readonly signedAs: 'mainnet' | 'testnet'
  readonly via: 'http' | 'ws'
  /** What it sends without being asked, by action. */
  readonly unasked: readonly string[]
  /** Actions it may send over HTTP whatever its other ones do. */
  readonly overHttp: readonly string[]
  /** How far its stops' limits lie beyond their triggers, as a share of them. */
  readonly stopRoom: number
  /** It sends an entry and its stop as two orders of one action, and knows no groups. */
  readonly hasNoGroups?: boolean
  /** Wishes it cannot say, and why. */
  readonly lacks: Readonly<Record<string, string>>
  open(target: Target): Promise<Bot>
}
