import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Crypto } from '../../../../src/core/protocol/crypto.ts'
import type { Network } from '../../../../src/core/protocol/hashAction.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import type { Decimal } from '../../../../src/core/values/decimal.ts'
import { err, ok } from '../../../../src/core/values/result.ts'
import type { Result } from '../../../../src/core/values/result.ts'
import type { VenueAction } from '../../engine/venueAction.ts'
import type { ApplyContext, Refusal, VenueControl } from '../../engine/venueControl.ts'
import type { VenueReads } from '../../engine/venueReads.ts'
import type { AddressBudget } from '../addressBudget.ts'
import type { DailyActions } from '../dailyActions.ts'
import type { FrontOptions } from '../options.ts'
import type { LogEntry } from '../requestLog.ts'
import { findSigner } from './findSigner.ts'
import { openMultiSig } from './multiSig.ts'
import type { SharedAction } from './multiSig.ts'
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
/** Actions that may be done for a vault or a sub-account. */
const vaultActions: ReadonlySet<string> = new Set([
  ...['order', 'cancel', 'cancelByCloid', 'modify', 'batchModify', 'scheduleCancel'],
  ...['twapOrder', 'twapCancel', 'updateLeverage', 'updateIsolatedMargin'],
  ...['topUpIsolatedOnlyMargin', 'borrowLend'],
])

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
    const opened = this.#open(envelope, signer.value)
    if (opened === 'unfit') return 'unfit'
    if (!opened.ok) return refusedWhole(opened.error)
    note(entry, { user: opened.value.user })
    return this.#takeFor(opened.value, signer.value, refuse, entry)
  }

  /** The action for the account it is for, whether one has signed it or several. */
  #open(envelope: Envelope, signer: Address): Result<SharedAction> | 'unfit' {
    if (envelope.scheme === 'multisig') {
      return openMultiSig(this.#crypto, envelope, signer, this.#settings.network, {
        multiSig: (user) => this.#venue.multiSig(user),
        actsFor: (address) => this.#accountOf(address, false),
      })
    }
    const user = this.#accountOf(signer, envelope.scheme === 'user')
    if (user === null) return err(this.#strangerText(signer, envelope))
    if (this.#venue.multiSig(user) !== null) return err('Multi-sig required')
    return ok({ user, envelope })
  }

  #takeFor(
    { user, envelope }: SharedAction,
    signer: Address,
    refuse: Refusal | null,
    entry: LogEntry | null,
  ): Json | 'unfit' {
    const nowMs = this.#venue.nowMs
    const nonceRefusal = this.nonces.refusal(signer, envelope.nonce, nowMs)
    if (nonceRefusal !== null) return refusedWhole(nonceRefusal)
    if (envelope.expiresAfter !== null && envelope.expiresAfter < nowMs) {
      this.#budget.spend(user, expiredCost)
      this.#useNonce(signer, envelope.nonce, false)
      return refusedWhole('Action already expired')
    }
    const target = this.#targetOf(user, envelope)
    if (!target.ok) return refusedWhole(target.error)
    note(entry, { user: target.value })
    const action = toVenueAction(envelope.type, envelope.canonical)
    if (action === 'unfit') return 'unfit'
    const isBuying = action.type === 'reserveRequestWeight' && signer !== user
    if (isBuying && this.#settings.options.agentBuysRequests === 'refuse') {
      return refusedWhole(`Must deposit before performing actions. User: ${signer}`)
    }
    const reply = this.#execute(target.value, action, refuse)
    this.#useNonce(signer, envelope.nonce, isAccepted(reply))
    return reply
  }

  /** The account that an action is for: the signer's own, or the one it names and may act for. */
  #targetOf(user: Address, { type, vaultAddress }: Envelope): Result<Address> {
    if (vaultAddress === null) return ok(user)
    const isTaken = vaultActions.has(type)
    if (!isTaken && this.#settings.options.vaultOnOtherActions === 'ignore') return ok(user)
    if (!this.#venue.mayActFor(user, vaultAddress)) {
      return err(`Vault not registered: ${vaultAddress}`)
    }
    return isTaken ? ok(vaultAddress) : err('Vault may not perform this action.')
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

  #execute(user: Address, action: VenueAction, refuse: Refusal | null): Json {
    const count = entriesOf(action)
    if (count > entriesMax) {
      return refusedWhole(`Signed action over weight limit of ${String(entriesMax)}.`)
    }
    const isCancel = isCancelClass(action, this.#settings.options)
    const overspent =
      this.#budget.refusal(this.#venue, user, count, isCancel) ??
      this.#daily.refusal(this.#venue, user, count, isCancel)
    if (overspent !== null) return refusedWhole(overspent)
    if (refuse !== null && refuse.only === 'all' && !hasOrders(action)) {
      return refusedWhole(refuse.text)
    }
    const context: ApplyContext = refuse === null ? {} : { refuse }
    const reply = this.#venue.apply(user, action, context)
    if (isAccepted(reply)) {
      this.#budget.spend(user, count)
      if (action.type === 'reserveRequestWeight') this.#budget.bought(user, action.weight)
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
    if (role.role !== 'missing') return null
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

/** Whether it counts as a cancel in what an address may send. */
function isCancelClass({ type }: VenueAction, { twapcancel_class }: FrontOptions): boolean {
  return type === 'twapCancel'
    ? twapcancel_class === 'cancel'
    : type === 'cancel' || type === 'cancelByCloid'
}

function hasOrders(action: VenueAction): boolean {
  return action.type === 'order' || action.type === 'batchModify'
}
