import type { AccountEvent, Source } from '../account/accountEvent.ts'
import type { AccountView } from '../account/accountView.ts'
import type { AccountMode, Leverage, SpotState } from '../protocol/venueState.ts'
import type { Coin } from '../values/coin.ts'
import type { Millis } from '../values/millis.ts'

/** What is asked of the account, before it takes an event. */
interface SettingHelp extends Pick<AccountView, 'leverage' | 'mode' | 'venueTime'> {
  /** Changes of the coin's setting by Guard or a bot that are on their way. */
  leveragesInFlight(coin: Coin): readonly unknown[]
}

interface CoinSetting {
  /** What the venue told last. */
  told: Leverage['type']
  /** What is set, as far as Guard knows. */
  type: Leverage['type']
  /** When a change that went through Guard was last accepted. */
  changedAt: number
}

type Shape = NonNullable<SpotState['shape']>

/** The modes in which the venue tells a balance in each form. */
const modesOf: Readonly<Record<Shape, ReadonlySet<AccountMode | null>>> = {
  standard: new Set<AccountMode>(['default', 'disabled', 'dexAbstraction']),
  pooled: new Set<AccountMode>(['unifiedAccount', 'dexAbstraction']),
  portfolio: new Set<AccountMode>(['portfolioMargin']),
}

/** For so long after a change that went through Guard the venue may still tell what was before. */
const lateMs = 3_000

/**
 * Finds in what the venue tells that somebody has set the account up anew: its mode, or whether a
 * coin is on cross or on isolated margin. What went through Guard is no such change.
 */
export class SettingChanges {
  #mode: AccountMode | null = null
  /** What an earlier run knew, until this one is told. */
  #remembered: AccountMode | null = null
  readonly #shapes = new Map<Source, Shape>()
  /** Sources whose balance has changed its form, until the mode that they tell is known. */
  readonly #reshaped = new Map<Source, Shape>()
  #formChanges = 0
  readonly #coins = new Map<Coin, CoinSetting>()

  /**
   * The balance is told in a form that is not the known mode's: an equity made of it would be of one
   * pool and not of the account. It ends with the word on the mode.
   */
  get isFormDoubted(): boolean {
    return this.#reshaped.size > 0
  }

  /** How often the mode, or the form of the balance, has changed. */
  get formChanges(): number {
    return this.#formChanges
  }

  /** What an event changes, for people; to be asked before the account takes the event. */
  told(event: AccountEvent, account: SettingHelp): readonly string[] {
    if (this.#mode === null && account.mode !== 'unknown') this.#remembered = account.mode
    switch (event.kind) {
      case 'mode':
        return this.#inMode(event.mode)
      case 'spot':
        return this.#inSpot(event.spot, event.source)
      case 'leverage':
        return this.#inSetting(event.coin, event.leverage, event.at, account)
      case 'state': {
        const { positions, time } = event.state
        if (account.venueTime !== null && time < account.venueTime) return []
        return positions.flatMap(({ coin, leverage }) =>
          this.#inSetting(coin, leverage, event.at, account),
        )
      }
      default:
        return []
    }
  }

  #inMode(mode: AccountMode): readonly string[] {
    const before = this.#mode ?? this.#remembered
    this.#mode = mode
    for (const [source, shape] of this.#reshaped) {
      if (modesOf[shape].has(mode)) this.#reshaped.delete(source)
    }
    if (before === null || before === mode) return []
    this.#formChanges += 1
    return [`the account's mode was changed from ${before} to ${mode}`]
  }

  /** The balance of a pooled account has another form: it may tell of a new mode before any read does. */
  #inSpot({ shape }: SpotState, source: Source): readonly string[] {
    if (shape === undefined) return []
    const before = this.#shapes.get(source)
    this.#shapes.set(source, shape)
    if (before === shape || (before === undefined && this.#fits(shape))) return []
    // The mode was told before it: only this source is late.
    if (modesOf[shape].has(this.#mode)) {
      this.#reshaped.delete(source)
      return []
    }
    this.#formChanges += 1
    this.#reshaped.set(source, shape)
    const was = before ?? `that of ${String(this.#remembered)}`
    return [`the account's balance is told in the form of another mode: ${was}, now ${shape}`]
  }

  /**
   * Whether the first form after a start tells of no change. It tells of one only where it is not the
   * form of the mode that an earlier run knew, and no mode was told since.
   */
  #fits(shape: Shape): boolean {
    return this.#mode !== null || this.#remembered === null || modesOf[shape].has(this.#remembered)
  }

  #inSetting(coin: Coin, { type }: Leverage, at: Millis, account: SettingHelp): readonly string[] {
    const isOnItsWay = account.leveragesInFlight(coin).length > 0
    const known = this.#coins.get(coin)
    const set = account.leverage(coin)
    const setting = known ?? { told: type, type, changedAt: -Infinity }
    this.#coins.set(coin, setting)
    // Where the account holds another setting than the venue told last, Guard or a bot changed it.
    if (set !== null && set.leverage.type !== setting.told) {
      setting.type = set.leverage.type
      setting.changedAt = set.at
    }
    setting.told = type
    if (isOnItsWay) setting.type = type
    if (type === setting.type || at - setting.changedAt <= lateMs) return []
    const before = setting.type
    setting.type = type
    return [`${coin} was set from ${before} to ${type} margin at the venue`]
  }
}
