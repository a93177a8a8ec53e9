import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Crypto } from '../../../../src/core/protocol/crypto.ts'
import type { Network } from '../../../../src/core/protocol/hashAction.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import type { Decimal } from '../../../../src/core/values/decimal.ts'
import type { VenueAction } from '../../engine/venueAction.ts'
import type { ApplyContext, Refusal, VenueControl } from '../../engine/venueControl.ts'
import type { VenueReads } from '../../engine/venueReads.ts'
import type { AddressBudget } from '../addressBudget.ts'
import type { DailyActions } from '../dailyActions.ts'
import type { FrontOptions } from '../options.ts'
import type { LogEntry } from '../requestLog.ts'
import { specialAnswer } from './specialActions.ts'
import { findSigner } from './findSigner.ts'
import { NonceBook } from './nonceBook.ts'
import type { Envelope } from './readEnvelope.ts'
import { toVenueAction } from './toVenueAction.ts'

export interface DeskSettings {
  readonly network: Network
  readonly faucet: Decimal | null
  readonly options: FrontOptions
}

const entriesMax = 200
const expiredCost = 5

/** The answer of an action that is refused whole. */
function refusedWhole(text: string): Json {
  return { status: 'err', response: text }
}

/** Takes signed requests: who signed, for which account, may it be, and what comes of it. */
export class ExchangeDesk {
  readonly nonces = new NonceBook()
  readonly #venue: VenueReads & VenueControl
  readonly #crypto: Crypto
  readonly #budget: AddressBudget
  readonly #daily: DailyActions
  readonly #settings: DeskSettings

  constructor(
    venue: VenueReads & VenueControl,
    crypto: Crypto,
    budget: AddressBudget,
    daily: DailyActions,
    settings: DeskSettings,
  ) {
    this.#venue = venue
    this.#crypto = crypto
    this.#budget = budget
    this.#daily = daily
    this.#settings = settings
  }

  /** The body of the answer; `unfit` where a field shows only now that it does not fit. */
  take(envelope: Envelope, refuse: Refusal | null, entry: LogEntry | null): Json | 'unfit' {
    const { network, options } = this.#settings
    const signer = findSigner(this.#crypto, envelope, network, options.hashing)
    if (!signer.ok) return refusedWhole(signer.error)
    note(entry, { signer: signer.value })
    if (envelope.scheme === 'multisig') return refusedWhole('Invalid multi-sig user')
    const user = this.#accountOf(signer.value, envelope.scheme === 'user')
    if (user === null) return refusedWhole(this.#strangerText(signer.value, envelope))
    note(entry, { user })
    const nowMs = this.#venue.nowMs
    const nonceRefusal = this.nonces.refusal(signer.value, envelope.nonce, nowMs)
    if (nonceRefusal !== null) return refusedWhole(nonceRefusal)
    if (envelope.expiresAfter !== null && envelope.expiresAfter < nowMs) {
      this.#budget.spend(user, expiredCost)
      this.#useNonce(signer.value, envelope.nonce, false)
      return refusedWhole('Action already expired')
    }
    if (envelope.vaultAddress !== null) {
      return refusedWhole(`Vault not registered: ${envelope.vaultAddress}`)
    }
    const action = toVenueAction(envelope.type, envelope.canonical)
    if (action === 'unfit') return 'unfit'
    const reply = this.#execute(user, envelope, action, refuse)
    this.#useNonce(signer.value, envelope.nonce, isAccepted(reply))
    return reply
  }

  /** Who signed a request that a fault keeps from being taken, for the log. */
  identify(envelope: Envelope, entry: LogEntry): void {
    const { network, options } = this.#settings
    const signer = findSigner(this.#crypto, envelope, network, options.hashing)
    if (!signer.ok) return
    const role = this.#venue.role(signer.value)
    note(entry, { signer: signer.value })
    if (role.role === 'agent') note(entry, { user: role.user })
    else if (role.role === 'user') note(entry, { user: signer.value })
  }

  #execute(user: Address, envelope: Envelope, action: VenueAction, refuse: Refusal | null): Json {
    const count = entriesOf(action)
    if (count > entriesMax) {
      return refusedWhole(`Signed action over weight limit of ${String(entriesMax)}.`)
    }
    const isCancel = action.type === 'cancel' || action.type === 'cancelByCloid'
    const overspent =
      this.#budget.refusal(this.#venue, user, count, isCancel) ??
      this.#daily.refusal(this.#venue, user, count, isCancel)
    if (overspent !== null) return refusedWhole(overspent)
    if (refuse !== null && refuse.only === 'all' && !hasOrders(action)) {
      return refusedWhole(refuse.text)
    }
    const context: ApplyContext = refuse === null ? {} : { refuse }
    const special = specialAnswer(user, envelope.type, envelope.canonical)
    const reply =
      special.kind === 'answer'
        ? special.reply
        : this.#venue.apply(user, special.action ?? action, context)
    if (isAccepted(reply)) {
      this.#budget.spend(user, count)
      this.#daily.spend(user, count, isCancel, this.#venue.nowMs)
    }
    return reply
  }

  #useNonce(signer: Address, nonce: number, isAccepted: boolean): void {
    if (isAccepted || this.#settings.options.refusedActionConsumesNonce) {
      this.nonces.use(signer, nonce)
    }
  }

  /** Agents act for their account; what only the account's key may sign acts on the signer. */
  #accountOf(signer: Address, isOwnOnly: boolean): Address | null {
    const role = this.#venue.role(signer)
    if (role.role === 'user') return signer
    if (role.role === 'agent') return isOwnOnly ? null : role.user
    const { faucet } = this.#settings
    if (faucet === null) return null
    return this.#venue.flow(signer, faucet).ok ? signer : null
  }

  #strangerText(signer: Address, envelope: Envelope): string {
    return envelope.scheme === 'user'
      ? `Must deposit before performing actions. User: ${signer}`
      : `User or API Wallet ${signer} does not exist.`
  }
}

function note(entry: LogEntry | null, fields: { signer?: string; user?: string }): void {
  if (entry !== null) Object.assign(entry, fields)
}

function isAccepted(reply: Json): boolean {
  return reply !== null && typeof reply === 'object' && (reply as { status?: Json }).status === 'ok'
}

function entriesOf(action: VenueAction): number {
  switch (action.type) {
    case 'order':
      return Math.max(1, action.orders.length)
    case 'cancel':
    case 'cancelByCloid':
      return Math.max(1, action.cancels.length)
    case 'batchModify':
      return Math.max(1, action.modifies.length)
    default:
      return 1
  }
}

function hasOrders(action: VenueAction): boolean {
  return action.type === 'order' || action.type === 'batchModify'
}
