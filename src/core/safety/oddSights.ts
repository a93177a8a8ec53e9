import type { AccountEvent, Source } from '../account/accountEvent.ts'
import type { CashView } from '../account/cash.ts'
import type { PositionView } from '../account/accountView.ts'
import type { Sight, SightEvent } from '../account/ifTold.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import type { Millis } from '../values/millis.ts'
import type { CashDoubt } from './cashBook.ts'

/** What odd sights are told by. */
export interface SightHelp {
  readonly account: {
    readonly venueTime: Millis | null
    ifTold(event: SightEvent): Sight
  }
  readonly risk: {
    doubts(cash: CashView, isSure: boolean): CashDoubt | null
    view(): { readonly peak: Decimal | null }
  }
}

/** A sight that was wrong: what it said, and what was expected in its place, for people. */
export interface WrongSight {
  readonly source: Source
  readonly said: string
  readonly expected: string
}

/** A position that is not what it was, though no fill was told. Sizes are negative when short. */
export interface SizeChange {
  readonly coin: Coin
  readonly was: Decimal
  readonly left: Decimal
}

/** An event that counts, and since when what it says is known, by the monotonic clock. */
export interface Counting {
  readonly event: AccountEvent
  readonly sinceMs: number
}

/** What becomes of an event, and of what was kept back before it. */
interface SightsTold {
  /** Null where the event is kept back. */
  readonly take: Counting | null
  readonly wrong: readonly WrongSight[]
  /** What to ask the venue for once more. */
  readonly ask: SightEvent['kind'] | null
}

interface Oddness {
  readonly cash: Decimal | null
  /** The kind of sight that tells the money: a unified account's is its balance. */
  readonly moneyBy: 'state' | 'spot'
  readonly doubt: CashDoubt | null
  readonly lost: readonly SizeChange[]
}

interface Kept {
  readonly event: SightEvent
  readonly odd: Oddness
  /** When the first of an unbroken row of odd ones came, by the monotonic clock. */
  readonly sinceMs: number
  /** The account has it, having known nothing before, and only the risk engine does not look yet. */
  readonly isTaken: boolean
}

/** A report may be this much later than the sight that includes it. */
const lateReportMs = 1_000
/** Two sights agree when their cash is this near, as a share: fees go by while both are taken. */
const nearShare = Decimal.of('0.01')

/**
 * A sight of the account may be wrong: an empty account, a balance of another mode. One whose cash no
 * report explains and that would halt, or in which a position is gone without a fill, is kept back:
 * it counts when the venue's other source agrees or when it has stood for the whole hold, and for
 * nothing when the next good one contradicts it.
 */
export class OddSights {
  readonly #help: SightHelp
  /** The latest odd one of each kind; those before the money is known at all are one of their own. */
  readonly #kept = new Map<SightEvent['kind'] | 'first', Kept>()

  constructor(help: SightHelp) {
    this.#help = help
  }

  /** The account's equity is one that must not be counted yet. */
  get isBlind(): boolean {
    return [...this.#kept.values()].some(({ isTaken }) => isTaken)
  }

  /** Nothing is kept back. */
  get isEmpty(): boolean {
    return this.#kept.size === 0
  }

  /** Why nothing opens now, for people; null when no sight is doubtful. */
  doubt(nowMs: number): string | null {
    for (const { event, odd, sinceMs } of this.#kept.values()) {
      if (odd.doubt?.expected === null) {
        return `${saidBy(event, odd)} is the first that was told, and a second look has to agree`
      }
      if (odd.doubt !== null || nowMs - sinceMs >= lateReportMs) {
        return `${saidBy(event, odd)}, which nothing explains (${expectedOf(odd)})`
      }
    }
    return null
  }

  /** One event, before the account takes it. */
  told(event: AccountEvent, nowMs: number): SightsTold {
    if (!isSight(event)) return taking(event, nowMs)
    const kept = this.#kept.get(event.kind)
    const odd = this.#oddness(event)
    if (odd === null) {
      if (kept === undefined || isOlder(event, kept.event)) return taking(event, nowMs)
      this.#kept.delete(event.kind)
      return { ...taking(event, nowMs), wrong: [wrongOf(kept)] }
    }
    if (odd.doubt?.expected === null) return this.#first(event, odd, nowMs)
    if (kept !== undefined && confirms(kept, event, odd)) {
      this.#kept.delete(event.kind)
      return taking(event, kept.sinceMs)
    }
    // What the run before held is not let go of by one word: nothing is known until a second one comes.
    const isFirst = this.#isFirst(event) && odd.lost.length === 0
    const isTaken = this.#help.risk.view().peak === null || isFirst
    const sinceMs = kept?.sinceMs ?? nowMs
    this.#kept.set(event.kind, { event, odd, sinceMs, isTaken })
    const take = isTaken ? { event, sinceMs } : null
    return { take, wrong: [], ask: event.kind }
  }

  /** What was kept back and counts by now: a report has explained it, or it has stood long enough. */
  due(nowMs: number): readonly Counting[] {
    const due: Counting[] = []
    for (const [kind, { event, sinceMs }] of this.#kept) {
      const odd = this.#oddness(event)
      const hasStood = nowMs - sinceMs >= limits.flowHoldMsMax
      if (!hasStood && odd !== null) continue
      this.#kept.delete(kind)
      due.push({ event, sinceMs })
    }
    return due
  }

  /** Nothing is known of the money yet: two looks at it must agree, whoever tells them. */
  #first(event: SightEvent, odd: Oddness, nowMs: number): SightsTold {
    const kept = this.#kept.get('first')
    if (kept !== undefined && event.kind === odd.moneyBy && isNear(kept.odd.cash, odd.cash)) {
      this.#kept.delete('first')
      return taking(event, kept.sinceMs)
    }
    const sinceMs = kept?.sinceMs ?? nowMs
    this.#kept.set('first', { event, odd, sinceMs, isTaken: true })
    return { take: { event, sinceMs }, wrong: [], ask: odd.moneyBy }
  }

  #isFirst(event: SightEvent): boolean {
    return event.kind === 'state' && this.#help.account.venueTime === null
  }

  #oddness(event: SightEvent): Oddness | null {
    const { account, risk } = this.#help
    const { venueTime } = account
    // The account does not take one that is older than what it has.
    if (event.kind === 'state' && venueTime !== null && event.state.time < venueTime) return null
    const { cash, positions, held } = account.ifTold(event)
    const lost = lostIn(positions, held)
    const doubt = cash === null ? null : risk.doubts(cash, lost.length === 0)
    if (doubt === null && lost.length === 0) return null
    const moneyBy = cash?.isUnified === true ? 'spot' : 'state'
    // Tokens are no money of a plain account: what is odd about it was said by its state before.
    if (event.kind === 'spot' && moneyBy === 'state' && doubt?.expected !== null) return null
    return { cash: cash?.cash ?? null, moneyBy, doubt, lost }
  }
}

function isSight(event: AccountEvent): event is SightEvent {
  return event.kind === 'state' || event.kind === 'spot' || event.kind === 'mode'
}

function taking(event: AccountEvent, sinceMs: number): SightsTold {
  return { take: { event, sinceMs }, wrong: [], ask: null }
}

function isOlder(event: SightEvent, than: SightEvent): boolean {
  return event.kind === 'state' && than.kind === 'state' && event.state.time < than.state.time
}

/** The positions of which less is told than is held; sizes are negative when short. */
export function lostIn(
  told: ReadonlyMap<Coin, PositionView>,
  held: ReadonlyMap<Coin, Decimal>,
): readonly SizeChange[] {
  const lost: SizeChange[] = []
  for (const [coin, was] of held) {
    const left = told.get(coin)?.size ?? Decimal.zero
    if (was.isPositive() ? left.lt(was) : left.gt(was)) lost.push({ coin, was, left })
  }
  return lost
}

/** The other of the venue's two sources says the same; of a mode, any second answer. */
function confirms(kept: Kept, event: SightEvent, odd: Oddness): boolean {
  if (event.kind !== 'mode' && sourceOf(event) === sourceOf(kept.event)) return false
  const coins = new Set(kept.odd.lost.map(({ coin }) => coin))
  if (odd.lost.length !== coins.size || odd.lost.some(({ coin }) => !coins.has(coin))) return false
  return isNear(kept.odd.cash, odd.cash)
}

export function isNear(before: Decimal | null, now: Decimal | null): boolean {
  if (before === null || now === null) return before === now
  const isPositive = before.isPositive() === now.isPositive()
  return isPositive && before.minus(now).abs().lte(before.abs().times(nearShare))
}

function sourceOf(event: SightEvent): Source {
  return event.kind === 'mode' ? 'read' : event.source
}

function wrongOf({ event, odd }: Kept): WrongSight {
  return { source: sourceOf(event), said: saidBy(event, odd), expected: expectedOf(odd) }
}

function saidBy(event: SightEvent, { cash, lost }: Oddness): string {
  const what = event.kind === 'mode' ? `mode ${event.mode}` : `the ${event.kind} of the account`
  const money = cash === null ? '' : ` with ${cash.toString()} USDC besides unrealised profit`
  const coins = lost.map(({ coin }) => coin).join(', ')
  const gone = lost.length === 0 ? '' : `; less of ${coins} without a fill`
  return `${what}${money}${gone}`
}

function expectedOf({ doubt }: Oddness): string {
  const expected = doubt?.expected ?? null
  return expected === null ? 'the positions as they were' : `${expected.toString()} USDC expected`
}
