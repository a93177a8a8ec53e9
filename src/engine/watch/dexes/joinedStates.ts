import type { ClearinghouseState } from '../../../core/protocol/venueState.ts'
import { Decimal } from '../../../core/values/decimal.ts'
import type { Millis } from '../../../core/values/millis.ts'

/** States that are told or read together are of nearly one moment: at most so long after the joined one's. */
export const apartMsMax = 2_000

type Told = ReadonlyMap<string, ClearinghouseState | null>

/** The states of all dexes, each as it was last told, joined into the one that the account knows. */
export class JoinedStates {
  readonly #states = new Map<string, ClearinghouseState>()

  /** The builder dexes whose states have been told. */
  get builderDexes(): readonly string[] {
    return this.#builders().map(([dex]) => dex)
  }

  #builders(): readonly (readonly [string, ClearinghouseState])[] {
    return [...this.#states].filter(([dex]) => dex !== '')
  }

  get hasAny(): boolean {
    return this.builderDexes.length > 0
  }

  has(dex: string): boolean {
    return this.#states.has(dex)
  }

  /** As of when its state is, by the venue's time; null where none was told. */
  timeOf(dex: string): Millis | null {
    return this.#states.get(dex)?.time ?? null
  }

  /** As of when the newest of all states is, by the venue's time. */
  get newest(): number {
    return Math.max(...[...this.#states.values()].map(({ time }) => time))
  }

  /** Something is there: a position, or money. */
  isHeld(dex: string): boolean {
    const state = this.#states.get(dex)
    return state !== undefined && (state.positions.length > 0 || !state.accountValue.isZero())
  }

  hasPositions(dex: string): boolean {
    return (this.#states.get(dex)?.positions.length ?? 0) > 0
  }

  /** What the account has on these dexes: all that it is worth, and the part beside unrealised profit. */
  worthOf(dexes: readonly string[]): { readonly worth: Decimal; readonly cash: Decimal } {
    const states = dexes.flatMap((dex) => this.#states.get(dex) ?? [])
    const worth = sumOf(states.map(({ accountValue }) => accountValue))
    const unrealised = states.flatMap(({ positions }) =>
      positions.map((each) => each.unrealisedPnl),
    )
    return { worth, cash: worth.minus(sumOf(unrealised)) }
  }

  forget(dex: string): void {
    this.#states.delete(dex)
  }

  /**
   * Takes what was told, the main dex's state among it: of all dexes, so that one that is missing is gone,
   * or of some. One that could not be read stays as it was.
   */
  take(
    told: Told,
    main: ClearinghouseState,
    isOfAll: boolean,
    isPooled: boolean,
  ): ClearinghouseState {
    if (isOfAll) for (const dex of this.#states.keys()) if (!told.has(dex)) this.forget(dex)
    let { time } = main
    for (const [dex, state] of told) {
      if (state === null || (isOfAll && this.#isOlder(dex, state))) continue
      this.#states.set(dex, state)
      // Fills after the earliest of them are played on top: none is lost, and none counts twice. A dex
      // whose answer was long on its way, or whose time stands still, holds up nobody else's.
      if (main.time - state.time <= apartMsMax) time = Math.min(time, state.time) as Millis
    }
    const dexTimes = this.#olderTimes(told, time)
    const joined = this.#joined(main, time, isPooled)
    return dexTimes.size === 0 ? joined : { ...joined, dexTimes }
  }

  /** The stream repeats a state of a builder dex from before one that is known. */
  #isOlder(dex: string, { time }: ClearinghouseState): boolean {
    return dex !== '' && time < (this.#states.get(dex)?.time ?? -Infinity)
  }

  /** From when those are that were not told now, could not be read, or were told as of long before. */
  #olderTimes(told: Told, time: Millis): ReadonlyMap<string, Millis> {
    const isNew = (dex: string): boolean => (told.get(dex)?.time ?? -Infinity) >= time
    const older = [...this.#states].filter(([dex]) => !isNew(dex))
    return new Map(older.map(([dex, state]) => [dex, Math.min(state.time, time) as Millis]))
  }

  /**
   * Money: the dexes of a standard account have a balance each, and only a dex's own stands behind the
   * cross positions there; a unified account has one pool. Tokens other than USDC count at face value.
   */
  #joined(main: ClearinghouseState, time: Millis, isPooled: boolean): ClearinghouseState {
    const all = [...this.#states.values()]
    const crossOf = ({ crossValue, accountValue }: ClearinghouseState): Decimal =>
      crossValue ?? accountValue
    return {
      accountValue: sumOf(all.map(({ accountValue }) => accountValue)),
      crossValue: isPooled ? sumOf(all.map(crossOf)) : crossOf(main),
      withdrawable: main.withdrawable,
      positions: all.flatMap(({ positions }) => positions),
      ...{ time, dexes: this.builderDexes },
      ...(isPooled ? {} : { dexValues: new Map(this.#builders()) }),
    }
  }
}

function sumOf(values: readonly Decimal[]): Decimal {
  return values.reduce((sum, value) => sum.plus(value), Decimal.zero)
}
