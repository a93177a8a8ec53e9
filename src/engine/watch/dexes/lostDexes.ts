import type { Account } from '../../../core/account/account.ts'
import type { AccountEvent, CashElsewhere } from '../../../core/account/accountEvent.ts'
import { poolOf } from '../../../core/account/poolOf.ts'
import { dexOf } from '../../../core/protocol/coinKind.ts'
import type { Millis } from '../../../core/values/millis.ts'
import type { VenueNews } from '../../ports.ts'
import type { DexMarkets } from './dexMarkets.ts'
import type { JoinedStates } from './joinedStates.ts'
import type { UntoldDexes } from './untoldDexes.ts'

interface LostDexesDeps {
  readonly account: Pick<Account, 'fills' | 'funds' | 'mode'>
  readonly states: Pick<JoinedStates, 'has' | 'isHeld' | 'newest' | 'timeOf'>
  readonly markets: Pick<DexMarkets, 'isInToken'>
  /** The venue's list has it. */
  readonly isKnown: (dex: string) => boolean
  readonly untold: Pick<UntoldDexes, 'isAwaited'>
  /** The account's cash cannot be compared with what it was. */
  readonly setAnew: () => void
}

type Fills = Extract<VenueNews, { kind: 'fills' }>

/**
 * What becomes of the money of a plain account on a dex that is told of no more. USDC goes to the main
 * dex: it is neither lost nor found before that one was told later than the dex was told last. Another
 * token goes to spot, which is no part of the equity: a flow.
 */
export class LostDexes {
  readonly #deps: LostDexesDeps
  /** Those in USDC, and as of when the newest state was that had them, by the venue's time. */
  readonly #moving = new Map<string, number>()
  /** Those in another token, as of when their own last state was, and what is not told to the account yet. */
  readonly #left = new Map<string, { readonly at: Millis; readonly flow: CashElsewhere | null }>()

  constructor(deps: LostDexesDeps) {
    this.#deps = deps
  }

  has(dex: string): boolean {
    return this.#moving.has(dex)
  }

  /** Neither the stream's states of all dexes nor the list has these any more: before they are let go of. */
  lose(dexes: readonly string[]): void {
    const { account, states, markets, untold, setAnew } = this.#deps
    for (const dex of dexes) {
      if (poolOf(account.mode, dex) === null) continue
      const at = states.timeOf(dex)
      const isInToken = markets.isInToken(dex)
      if (at === null) {
        // An earlier run had something there, and this one has seen none of it.
        if (isInToken && untold.isAwaited(dex)) setAnew()
      } else if (!isInToken) {
        if (states.isHeld(dex)) this.#moving.set(dex, states.newest)
      } else {
        const on = account.funds.on(dex)
        if (on === null) continue
        const [usdc, foundWorth] = [on.cash.negated(), on.worth.negated()]
        const flow = { id: `left:${dex}:${at}`, usdc, foundWorth, isFlow: true, at }
        this.#left.set(dex, { at, flow })
      }
    }
  }

  /** A state of all was joined, the main dex's part as of this time: the flows that it is the first to show. */
  joined(mainTime: Millis, at: Millis): readonly AccountEvent[] {
    const { states, isKnown } = this.#deps
    for (const [dex, time] of this.#moving) {
      if (states.has(dex) || (mainTime > time && !isKnown(dex))) this.#moving.delete(dex)
    }
    const changes: CashElsewhere[] = []
    for (const [dex, left] of this.#left) {
      if (states.has(dex)) this.#left.delete(dex)
      else {
        this.#left.set(dex, { ...left, flow: null })
        if (left.flow !== null) changes.push(left.flow)
      }
    }
    return changes.length === 0 ? [] : [{ kind: 'elsewhere', changes, at }]
  }

  /** What fills that are told late did to money that has gone to spot is undone: it was counted as it was. */
  undone({ fills, at }: Fills): readonly AccountEvent[] {
    const changes = fills.flatMap((fill): readonly CashElsewhere[] => {
      const since = this.#left.get(dexOf(fill.coin))?.at
      const isNew = this.#deps.account.fills.newsOf(fill) === 'new'
      if (since === undefined || fill.at <= since || !isNew) return []
      const usdc = fill.fee.minus(fill.closedPnl)
      return [{ id: `left:${fill.tid}:${fill.oid}`, usdc, isFlow: false, at: fill.at }]
    })
    return changes.length === 0 ? [] : [{ kind: 'elsewhere', changes, at }]
  }

  /** Why the sum of all dexes is not the account's equity, for people; null where it is. */
  get gap(): string | null {
    if (this.#moving.size === 0) return null
    const names = [...this.#moving.keys()].join(', ')
    return `${names} is told of no more, and what the account had there may be on its way to the main dex`
  }
}
