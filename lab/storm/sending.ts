import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import type { Rules } from '../../src/core/rules/rules.ts'

/** Where an action that leaves Guard comes from. */
export interface Origin {
  /** The bot's request as `client:nonce`; null where Guard acts by itself. */
  readonly key: string | null
  /** Everything that the same decision sends, in order. */
  readonly actions: readonly Json[]
}

/** An action that left Guard for the venue. Times are the world's, in milliseconds since it began. */
export interface Sending {
  readonly action: JsonObject
  /** Null where it stands on no disk. */
  readonly origin: Origin | null
  /** When the bot asked for it, or when it left where no bot did: Guard cannot have judged it earlier. */
  readonly askedAt: number
  readonly leftAt: number
  /** Past this moment of the venue's clock the venue refuses it. */
  readonly expiresAfter: number
  /** The rules of the process that sent it. */
  readonly rules: Rules
  /** Whether the network did something to it. */
  readonly isStruck: boolean
}

/** What is on its way to the venue and will be executed there. */
export class Air {
  readonly #sendings = new Set<Sending>()

  /** It left, and will be there at this time of the venue's clock. */
  takeOff(sending: Sending, arrivesAt: number): void {
    if (arrivesAt <= sending.expiresAfter) this.#sendings.add(sending)
  }

  land(sending: Sending): void {
    this.#sendings.delete(sending)
  }

  /** The actions that left before this one and are not there yet. */
  besides(sending: Sending): readonly JsonObject[] {
    return [...this.#sendings].flatMap((each) => (each === sending ? [] : [each.action]))
  }
}
