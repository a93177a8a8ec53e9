import type { AccountView } from '../../core/account/accountView.ts'
import type { AccountEvent } from '../../core/account/accountEvent.ts'
import type { Action } from '../../core/protocol/action.ts'
import { ordersOf } from '../../core/protocol/actionReply.ts'
import { assetKind } from '../../core/protocol/assetId.ts'
import { isMainPerp } from '../../core/protocol/coinKind.ts'
import type { SpotHoldings } from '../../core/account/spotHoldings.ts'
import type { RulesFor } from '../../core/rules/rules.ts'
import type { Coin } from '../../core/values/coin.ts'
import { Backoff } from '../backoff.ts'
import type { Clock } from '../ports.ts'
import type { AccountReads } from './accountReads.ts'
import { Books } from './books.ts'
import { SpotSells } from './spotSells.ts'

interface NewMarketsDeps {
  readonly clock: Clock
  readonly account: Pick<AccountView, 'markets' | 'positions'> & {
    readonly spot: Pick<SpotHoldings, 'at' | 'pair' | 'free' | 'mayHaveMore'>
  }
  readonly rulesFor: RulesFor
  /** What comes of a read is delivered as an event. */
  readonly reads: Pick<AccountReads, 'markets' | 'spotPairs' | 'spot' | 'book'>
}

/** A market that the venue does not tell is asked for ever later, at last once in so long. */
const askEveryMsMax = 60_000
const key = 'markets'

/**
 * Markets that were listed since they were last read: where an order, a fill, a position or a bot's
 * request names one that is not known, they are read again. Without it nothing there could be stopped
 * or closed.
 */
export class NewMarkets {
  private readonly deps: NewMarketsDeps
  private readonly backoff: Backoff
  private readonly spotSells: SpotSells
  private readonly books: Books
  private asking: Promise<void> | null = null

  constructor(deps: NewMarketsDeps) {
    this.deps = deps
    this.backoff = new Backoff(deps.clock, askEveryMsMax)
    const { clock, account, rulesFor, reads } = deps
    this.spotSells = new SpotSells({ clock, spot: account.spot, rulesFor, reads })
    this.books = new Books({ clock, account, rulesFor, reads })
  }

  /** Looks at what the venue has told; an event of the markets themselves answers the question. */
  seen(event: AccountEvent): void {
    const { byCoin } = this.deps.account.markets
    // Before the first list of them everything is unknown, and the first reads ask for it.
    if (byCoin.size === 0) return
    const isNew = (coin: Coin): boolean => isMainPerp(coin) && !byCoin.has(coin)
    if (coinsOf(event).some(isNew)) this.ask()?.catch(() => undefined)
  }

  /** What a bot's request has to wait for: null where all its markets are known, or asked for just now. */
  wanted(action: Action): Promise<void> | null {
    const { byAsset } = this.deps.account.markets
    const isNew = (asset: number): boolean => assetKind(asset) === 'perp' && !byAsset.has(asset)
    const placed = action.type === 'twapOrder' ? [action] : ordersOf(action)
    const opens = placed.filter(({ isReduceOnly }) => !isReduceOnly)
    const assets = action.type === 'updateLeverage' ? [action.asset] : []
    const isAnyNew = [...opens.map(({ asset }) => asset), ...assets].some(isNew)
    if (isAnyNew) return this.ask()
    return this.spotSells.wanted(action) ?? this.books.wanted(action)
  }

  private ask(): Promise<void> | null {
    if (this.asking !== null) return this.asking
    if (!this.backoff.mayTry(key)) return null
    const before = this.deps.account.markets.byAsset.size
    this.backoff.failed(key)
    this.asking = this.deps.reads.markets('watch').then(
      () => {
        this.asking = null
        if (this.deps.account.markets.byAsset.size > before) this.backoff.reset(key)
      },
      () => {
        this.asking = null
      },
    )
    return this.asking
  }
}

function coinsOf(event: AccountEvent): readonly Coin[] {
  switch (event.kind) {
    case 'state':
      return event.state.positions.map(({ coin }) => coin)
    case 'orders':
      return event.orders.map(({ coin }) => coin)
    case 'order_updates':
      return event.updates.map(({ coin }) => coin)
    case 'fills':
      // What is long past may name markets that are gone.
      return event.isSnapshot ? [] : event.fills.map(({ coin }) => coin)
    case 'twaps':
      return event.twaps.map(({ coin }) => coin)
    default:
      return []
  }
}
