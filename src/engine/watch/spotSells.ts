import type { SpotHoldings } from '../../core/account/spotHoldings.ts'
import type { Action, Order } from '../../core/protocol/action.ts'
import { ordersOf } from '../../core/protocol/actionReply.ts'
import { assetKind } from '../../core/protocol/assetId.ts'
import type { RulesFor } from '../../core/rules/rules.ts'
import { limits } from '../../core/values/limits.ts'
import { Backoff } from '../backoff.ts'
import type { Clock } from '../ports.ts'
import type { AccountReads } from './accountReads.ts'

interface SpotSellsDeps {
  readonly clock: Clock
  readonly spot: Pick<SpotHoldings, 'at' | 'pair' | 'free' | 'mayHaveMore'>
  readonly rulesFor: RulesFor
  /** What comes of a read is delivered as an event. */
  readonly reads: Pick<AccountReads, 'spotPairs' | 'spot'>
}

/** What the venue does not tell is asked for ever later, at last once in so long. */
const askEveryMsMax = 60_000

/** What a sell on a spot pair is judged by, read where a bot asks for one and it is not known. */
export class SpotSells {
  private readonly deps: SpotSellsDeps
  private readonly backoff: Backoff
  private asking: Promise<unknown> | null = null

  constructor(deps: SpotSellsDeps) {
    this.deps = deps
    this.backoff = new Backoff(deps.clock, askEveryMsMax)
  }

  /** What a request has to wait for: null where all is known, or was asked for just now. */
  wanted(action: Action): Promise<void> | null {
    const sells = ordersOf(action).filter(
      ({ asset, isBuy }) => !isBuy && assetKind(asset) === 'spot',
    )
    if (sells.length === 0 || this.deps.rulesFor(null, null).spot === 'refuse') return null
    const { spot, clock, reads } = this.deps
    const isKnown = sells.every(({ asset }) => spot.pair(asset) !== null)
    const isFresh = spot.at !== null && clock.now() - spot.at <= limits.spotAgeMsMax
    const isShort = sells.some((sell) => this.isShort(sell))
    const asked = [
      ...(isKnown ? [] : this.ask('pairs', () => reads.spotPairs('watch'))),
      ...(isFresh ? [] : this.ask('balances', () => reads.spot('watch'))),
      ...(isFresh && isShort ? [this.askShort()] : []),
    ]
    return asked.length === 0 ? null : Promise.all(asked).then(() => undefined)
  }

  /** It would be cut or refused, and a read that is newer than the last answers may show more free. */
  private isShort({ asset, size }: Order): boolean {
    const { spot } = this.deps
    const token = spot.pair(asset)?.token
    return token !== undefined && size.gt(spot.free(token)) && spot.mayHaveMore(token)
  }

  /** With the weight for entries: it is asked as often as bots sell more than is free. */
  private askShort(): Promise<unknown> {
    this.asking ??= this.deps.reads
      .spot('entry')
      .catch(() => undefined)
      .finally(() => {
        this.asking = null
      })
    return this.asking
  }

  private ask(key: string, read: () => Promise<unknown>): readonly Promise<unknown>[] {
    if (!this.backoff.mayTry(key)) return []
    this.backoff.failed(key)
    return [read().catch(() => undefined)]
  }
}
