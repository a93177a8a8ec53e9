import type { AccountEvent } from '../../core/account/accountEvent.ts'
import type { Json } from '../../core/protocol/action.ts'
import { decodeBook } from '../../core/protocol/decodeBook.ts'
import {
  decodeActiveAssetData,
  decodeClearinghouseState,
  decodeSpotState,
  decodeUserAbstraction,
  decodeUserRateLimit,
} from '../../core/protocol/decodeInfoAccount.ts'
import type { UserRateLimit } from '../../core/protocol/decodeInfoAccount.ts'
import { decodeLedgerUpdates, decodeUserFills } from '../../core/protocol/decodeInfoHistory.ts'
import type { EquityPool } from '../../core/protocol/decodeInfoHistory.ts'
import { decodeAllMids, decodeFrontendOpenOrders } from '../../core/protocol/decodeInfoOrders.ts'
import {
  decodeAllPerpMetas,
  decodeDexContexts,
  decodePerpDexs,
  decodePerpsAtCap,
} from '../../core/protocol/decodeDexes.ts'
import type { BuilderDex } from '../../core/protocol/decodeDexes.ts'
import { contextsOf, decodeMetaAndAssetCtxs } from '../../core/protocol/decodeMeta.ts'
import { decodeSpotMeta, decodeSpotPairs } from '../../core/protocol/decodeSpotMeta.ts'
import type { SpotQuotes } from '../../core/protocol/decodeSpotMeta.ts'
import {
  decodeRunningTwaps,
  decodeSliceFills,
  decodeTwapHistory,
} from '../../core/protocol/decodeTwaps.ts'
import type { Market } from '../../core/protocol/market.ts'
import type { AccountMode, ClearinghouseState, SpotState } from '../../core/protocol/venueState.ts'
import type { Address } from '../../core/values/address.ts'
import type { Coin } from '../../core/values/coin.ts'
import type { Millis } from '../../core/values/millis.ts'
import { err, ok } from '../../core/values/result.ts'
import type { Result } from '../../core/values/result.ts'
import type { Clock, ReadAnswer, ReadFailure, Urgency, VenueHttp, VenueNews } from '../ports.ts'
import { KeptSight } from './keptSight.ts'

interface AccountReadsDeps {
  readonly clock: Clock
  readonly venue: Pick<VenueHttp, 'info'>
  readonly account: Address
  readonly deliver: (event: VenueNews) => void
  /** The builder dexes whose state is read along with the main dex's; null where there are none. */
  readonly dexesToRead: () => readonly string[] | null
}

/** Money that nothing explains is looked for among the fills at most this often. */
const fillsEveryMs = 5_000

/**
 * By one reading of the venue an account that never set its mode has none. Some of these are pooled; of
 * one that does not look so nobody knows, and nothing is sized in it.
 */
const modeOfForm: Readonly<Record<NonNullable<SpotState['shape']>, AccountMode>> = {
  ...{ pooled: 'unifiedAccount', portfolio: 'portfolioMargin', standard: 'unknown' },
}

/** Where the equity of an account of this mode is counted. */
export function poolOf(mode: AccountMode): EquityPool {
  return mode === 'unifiedAccount' ? 'unified' : 'perp'
}

/** A question about the main dex does not name it. */
function ofDex(dex: string): { readonly dex?: string } {
  return dex === '' ? {} : { dex }
}

/** Reads the account over HTTP and delivers what it finds as events. Each read is one question. */
export class AccountReads {
  private readonly deps: AccountReadsDeps
  /** When fills were last asked for because money was missing, by the monotonic clock. */
  private fillsAskedMs = -Infinity

  private readonly kept: KeptSight

  constructor(deps: AccountReadsDeps) {
    this.deps = deps
    this.kept = new KeptSight(deps.clock)
  }

  /** The perps, their marks and mids. */
  async markets(lane: Urgency): Promise<Result<null>> {
    const answer = await this.ask({ type: 'metaAndAssetCtxs' }, lane)
    if (!answer.ok) return answer
    const decoded = decodeMetaAndAssetCtxs(answer.value)
    if (!decoded.ok) return decoded
    const { markets, contexts } = decoded.value
    const at = this.deps.clock.now()
    // Marks come first: the watcher may act on a position as soon as its market is known.
    for (const [coin, { mark, oracle }] of contexts)
      this.deps.deliver({ kind: 'mark', coin, mark, oracle, at })
    this.deps.deliver({ kind: 'markets', markets, at })
    return ok(null)
  }

  /** The builder dexes, each with its place, which gives its perps their ids. */
  async dexes(lane: Urgency): Promise<Result<readonly BuilderDex[]>> {
    const answer = await this.ask({ type: 'perpDexs' }, lane)
    return answer.ok ? decodePerpDexs(answer.value) : answer
  }

  /** The perps of these builder dexes; no question where there are none. */
  async dexPerps(dexes: readonly BuilderDex[], lane: Urgency): Promise<Result<readonly Market[]>> {
    if (dexes.length === 0) return ok([])
    const answer = await this.ask({ type: 'allPerpMetas' }, lane)
    return answer.ok ? decodeAllPerpMetas(answer.value, dexes) : answer
  }

  /** Of the main dex, or of a builder dex. */
  async mids(lane: Urgency, dex = ''): Promise<Result<null>> {
    return await this.read({ type: 'allMids', ...ofDex(dex) }, lane, (json, at) => {
      const decoded = decodeAllMids(json)
      return decoded.ok ? ok({ kind: 'mids', mids: decoded.value, at }) : decoded
    })
  }

  /** Mark, oracle price and mid of every perp of a builder dex. */
  async dexPrices(dex: string, lane: Urgency): Promise<Result<null>> {
    return await this.read({ type: 'metaAndAssetCtxs', dex }, lane, (json, at) => {
      const decoded = decodeDexContexts(json)
      if (!decoded.ok) return decoded
      const contexts = contextsOf(decoded.value.coins, decoded.value.contexts)
      return ok({ kind: 'contexts', contexts, areLastMade: true, at })
    })
  }

  /** The perps of a builder dex whose open interest is at its cap. */
  async capped(dex: string, lane: Urgency): Promise<Result<null>> {
    return await this.read({ type: 'perpsAtOpenInterestCap', dex }, lane, (json, at) => {
      const decoded = decodePerpsAtCap(json)
      return decoded.ok ? ok({ kind: 'capped', dex, coins: decoded.value, at }) : decoded
    })
  }

  async mode(lane: Urgency): Promise<Result<AccountMode>> {
    const answer = await this.ask({ type: 'userAbstraction', user: this.deps.account }, lane)
    if (!answer.ok) return answer
    const isUnnamed = answer.value === null
    const decoded = isUnnamed ? await this.modeOfForm(lane) : decodeUserAbstraction(answer.value)
    if (!decoded.ok) return decoded
    this.deps.deliver({ kind: 'mode', mode: decoded.value, at: this.deps.clock.now() })
    return decoded
  }

  /** Where the venue names no mode, the form of the balance says what it can. */
  private async modeOfForm(lane: Urgency): Promise<Result<AccountMode>> {
    const request = { type: 'spotClearinghouseState', user: this.deps.account }
    const answer = await this.ask(request, lane)
    const spot = answer.ok ? decodeSpotState(answer.value) : answer
    return spot.ok ? ok(modeOfForm[spot.value.shape ?? 'standard']) : spot
  }

  /** The account's action allowance, as the venue counts it. */
  async allowance(lane: Urgency): Promise<Result<UserRateLimit>> {
    const answer = await this.ask({ type: 'userRateLimit', user: this.deps.account }, lane)
    return answer.ok ? decodeUserRateLimit(answer.value) : answer
  }

  /** With those of builder dexes; one of these that cannot be read keeps nobody from seeing the rest. */
  async state(lane: Urgency): Promise<Result<null>> {
    const dexes = this.deps.dexesToRead()
    const [main, others] = await Promise.all([
      this.stateOf('', lane),
      Promise.all((dexes ?? []).map(async (dex) => [dex, await this.stateOf(dex, lane)] as const)),
    ])
    if (!main.ok) return main
    const at = this.deps.clock.now()
    const state = main.value
    if (dexes === null) this.deps.deliver({ kind: 'state', state, source: 'read', at })
    else {
      const told = others.map(([dex, read]) => [dex, read.ok ? read.value : null] as const)
      const states = new Map([['', state], ...told])
      this.deps.deliver({ kind: 'dex_states', states, source: 'read', at })
    }
    return ok(null)
  }

  /** Of the main dex with spot, or of a builder dex. */
  async orders(lane: Urgency, dex = ''): Promise<Result<null>> {
    const request = { type: 'frontendOpenOrders', user: this.deps.account, ...ofDex(dex) }
    return await this.read(request, lane, (json, at) => {
      const decoded = decodeFrontendOpenOrders(json)
      if (!decoded.ok) return decoded
      return ok({ kind: 'orders', orders: decoded.value, ...ofDex(dex), source: 'read', at })
    })
  }

  async spot(lane: Urgency): Promise<Result<null>> {
    const request = { type: 'spotClearinghouseState', user: this.deps.account }
    const askedAt = this.deps.clock.now()
    return await this.read(request, lane, (json, at) => {
      const decoded = decodeSpotState(json)
      if (!decoded.ok) return decoded
      return ok({ kind: 'spot', spot: decoded.value, source: 'read', askedAt, at })
    })
  }

  /** What margin and leverage a coin is set to, and what the venue has left for orders on it. */
  async setting(coin: Coin, lane: Urgency): Promise<Result<null>> {
    const request = { type: 'activeAssetData', user: this.deps.account, coin }
    return await this.read(request, lane, (json, at) => {
      const decoded = decodeActiveAssetData(json)
      if (!decoded.ok) return decoded
      const { coin: told, leverage, available } = decoded.value
      if (told !== coin) return err(`asked about ${coin}, answered about ${told}`)
      return ok({
        kind: 'leverage',
        coin,
        leverage,
        ...(available === null ? {} : { available }),
        at,
      })
    })
  }

  /** The book of a perp, as far as the venue shows it. */
  async book(coin: Coin, lane: Urgency): Promise<Result<null>> {
    return await this.read({ type: 'l2Book', coin }, lane, (json, at) => {
      const decoded = decodeBook(json)
      if (!decoded.ok) return decoded
      const { coin: told, bids, asks } = decoded.value
      if (told !== coin) return err(`asked about ${coin}, answered about ${told}`)
      return ok({ kind: 'book', coin, bids, asks, at })
    })
  }

  /** Reads the recent fills over HTTP, for when the stream has not listed them. */
  async fills(lane: Urgency): Promise<Result<null>> {
    const request = { type: 'userFills', user: this.deps.account }
    return await this.read(request, lane, (json, at) => {
      const decoded = decodeUserFills(json)
      return decoded.ok
        ? ok({ kind: 'fills', fills: decoded.value, isSnapshot: true, at })
        : decoded
    })
  }

  /** The recent fills of TWAPs, which no other list of fills has. */
  async slices(lane: Urgency): Promise<Result<null>> {
    const request = { type: 'userTwapSliceFills', user: this.deps.account }
    return await this.read(request, lane, (json, at) => {
      const decoded = decodeSliceFills(json)
      return decoded.ok
        ? ok({ kind: 'fills', fills: decoded.value, isSnapshot: true, areSlices: true, at })
        : decoded
    })
  }

  /**
   * The same where money is there, or gone, that nothing explains: a trade on a spot pair moves it on a
   * unified account, and its report may be lost. At most once in so long, for the answer is dear.
   */
  async missingFills(): Promise<void> {
    const nowMs = this.deps.clock.monotonicMs()
    if (nowMs - this.fillsAskedMs < fillsEveryMs) return
    this.fillsAskedMs = nowMs
    await this.fills('watch').catch(() => undefined)
  }

  /** The TWAPs that run, without the stream. */
  async twaps(lane: Urgency): Promise<Result<null>> {
    const request = { type: 'webData2', user: this.deps.account }
    return await this.read(request, lane, (json, at) => {
      const decoded = decodeRunningTwaps(json)
      return decoded.ok ? ok({ kind: 'twaps', twaps: decoded.value, source: 'read', at }) : decoded
    })
  }

  /** What became of TWAPs: the only list that surely has those which wait for a price. */
  async twapHistory(lane: Urgency): Promise<Result<null>> {
    const request = { type: 'twapHistory', user: this.deps.account }
    return await this.read(request, lane, (json, at) => {
      const decoded = decodeTwapHistory(json)
      return decoded.ok ? ok({ kind: 'twap_history', news: decoded.value, at }) : decoded
    })
  }

  /** The token that each spot pair is paid in. */
  async spotQuotes(lane: Urgency): Promise<Result<SpotQuotes>> {
    const answer = await this.ask({ type: 'spotMeta' }, lane)
    return answer.ok ? decodeSpotMeta(answer.value) : answer
  }

  /** The spot pairs that the venue lists. */
  async spotPairs(lane: Urgency): Promise<Result<null>> {
    return await this.read({ type: 'spotMeta' }, lane, (json, at) => {
      const decoded = decodeSpotPairs(json)
      return decoded.ok ? ok({ kind: 'spot_pairs', pairs: decoded.value, at }) : decoded
    })
  }

  /** Deposits, withdrawals and transfers since a time. */
  async ledger(since: Millis, mode: AccountMode, lane: Urgency): Promise<Result<null>> {
    const { account } = this.deps
    const request = { type: 'userNonFundingLedgerUpdates', user: account, startTime: since }
    const pool = poolOf(mode)
    return await this.read(request, lane, (json, at) => {
      const decoded = decodeLedgerUpdates(json, account, pool)
      return decoded.ok
        ? ok({ kind: 'ledger', entries: decoded.value, isSnapshot: true, at })
        : decoded
    })
  }

  private async stateOf(dex: string, lane: Urgency): Promise<Result<ClearinghouseState>> {
    const request = { type: 'clearinghouseState', user: this.deps.account, ...ofDex(dex) }
    const asked = await this.deps.venue.info(request, lane)
    // Where other looks have spent the weight of all, positions are still seen now and then.
    const isLeftOut = !asked.ok && asked.error.kind === 'no_weight' && lane === 'watch'
    const isKept = isLeftOut && this.kept.take(dex)
    const answer = bodyOf(isKept ? await this.deps.venue.info(request, 'safety') : asked)
    return answer.ok ? decodeClearinghouseState(answer.value) : answer
  }

  private async read(
    request: Json,
    lane: Urgency,
    decode: (json: Json, at: Millis) => Result<AccountEvent>,
  ): Promise<Result<null>> {
    const answer = await this.ask(request, lane)
    if (!answer.ok) return answer
    const event = decode(answer.value, this.deps.clock.now())
    if (!event.ok) return event
    this.deps.deliver(event.value)
    return ok(null)
  }

  private async ask(request: Json, lane: Urgency): Promise<Result<Json>> {
    return bodyOf(await this.deps.venue.info(request, lane))
  }
}

function bodyOf(answer: Result<ReadAnswer, ReadFailure>): Result<Json> {
  if (!answer.ok) return err(answer.error.text)
  const { status, body } = answer.value
  return status === 200 ? ok(body) : err(`the venue answered a read with HTTP ${status}`)
}
