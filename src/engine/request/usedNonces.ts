import type { Json } from '../../core/protocol/action.ts'
import { isObject } from '../../core/protocol/fields.ts'
import { parseAddress } from '../../core/values/address.ts'
import type { Address } from '../../core/values/address.ts'
import { limits } from '../../core/values/limits.ts'
import type { Nonce } from '../../core/values/millis.ts'
import { AgentOrders } from './agentOrders.ts'
import { NonceSet } from './nonceSet.ts'
import { freshnessOf } from './signingClocks.ts'
import type { SigningClocks } from './signingClocks.ts'

/** How long before its nonce an order of an agent may have been looked up and found new. */
const lookedUpMs = 540_000

type NonceRefusal = 'auth_replay' | 'auth_nonce_too_old' | 'auth_nonce_too_new'

/**
 * Why nobody can say that a nonce was not used before, though it is new enough: a run that ended
 * without a word may have used it, or it is new by the clock of this machine alone, which is wrong. With
 * such a nonce nothing opens; closes, cancels and kills pass.
 */
export type NonceDoubt = 'earlier_run' | 'clock'

/** Whether a nonce may be used now, and what is known of it. */
type NonceUse = { readonly isNew: true; readonly doubt: NonceDoubt | null } | RefusedNonce

export interface RefusedNonce {
  readonly isNew: false
  readonly code: NonceRefusal
  /** `forgotten`: it is so low that nobody remembers whether it was used. */
  readonly why: 'used' | 'age' | 'taken_over' | 'forgotten'
}

/**
 * The nonces each client has used, as a set: concurrent senders may share a key, and none can be
 * used twice. The set is bounded; what it no longer holds is refused as too old, whatever the venue's
 * clock says, and with what is new by the machine's clock alone nothing opens: so a clock that steps back
 * opens nothing.
 */
export class UsedNonces {
  /** Orders that must not come again under another nonce either. */
  readonly agentOrders = new AgentOrders()
  private readonly byClient = new Map<Address, ClientNonces>()
  private readonly perClientMax: number
  private doubtedUpTo = -1
  private takenOverAt = -1

  constructor(perClientMax: number = limits.noncesPerClientMax) {
    this.perClientMax = perClientMax
  }

  check(client: Address, nonce: Nonce, clocks: SigningClocks): NonceUse {
    const used = this.byClient.get(client)
    if (used?.has(nonce)) return refusedAs('auth_replay', 'used')
    const freshness = freshnessOf(nonce, clocks)
    if (freshness === 'machine') return { isNew: true, doubt: 'clock' }
    if (this.isOthers(nonce)) return refusedAs('auth_nonce_too_old', 'taken_over')
    if (freshness === 'too_old') return refusedAs('auth_nonce_too_old', 'age')
    if (freshness === 'too_new') return refusedAs('auth_nonce_too_new', 'age')
    if (used !== undefined && nonce <= used.floor) {
      return refusedAs('auth_nonce_too_old', 'forgotten')
    }
    return { isNew: true, doubt: nonce <= this.doubtedUpTo ? 'earlier_run' : null }
  }

  /**
   * The run before ended without a word, and what it answered last may be on no disk: of a nonce from
   * before this start nobody can say whether it was used. `at` is when this run began, by the clock as
   * it is known by now: a later word replaces an earlier one.
   */
  doubtUpTo(at: number): void {
    this.doubtedUpTo = at
  }

  /** This Guard took over from another at that moment: what was signed before was the other's to answer. */
  takeOver(at: number): void {
    this.takenOverAt = Math.max(this.takenOverAt, at)
  }

  /** Whether it was signed before this Guard took over. */
  private isOthers(nonce: Nonce): boolean {
    return nonce <= this.takenOverAt
  }

  consume(client: Address, nonce: Nonce): void {
    const used = this.byClient.get(client) ?? new ClientNonces(this.perClientMax)
    this.byClient.set(client, used)
    used.add(nonce)
  }

  /** The request that used it up was shed, and may come again. */
  release(client: Address, nonce: Nonce): void {
    this.byClient.get(client)?.delete(nonce)
  }

  /** What a restart must still know: every nonce from `since` on; older ones are refused anyway. */
  toJson(since: number): Json {
    const clients = [...this.byClient].map(([client, used]) => {
      const kept = used.from(since)
      return [client, Math.max(used.floor, since - 1), kept]
    })
    const agentOrders = this.agentOrders.toJson(since - lookedUpMs)
    return { since, clients, agentOrders, taken_over_at: this.takenOverAt }
  }

  restore(json: Json): void {
    if (!isObject(json) || !Array.isArray(json['clients'])) return
    this.agentOrders.restore(json['agentOrders'])
    if (typeof json['taken_over_at'] === 'number') this.takeOver(json['taken_over_at'])
    for (const each of json['clients'] as readonly Json[]) {
      if (!Array.isArray(each)) continue
      const [client, floor, kept] = each as readonly Json[]
      const address = parseAddress(client)
      if (!address.ok || typeof floor !== 'number' || !Array.isArray(kept)) continue
      this.forgetUpTo(address.value, floor)
      for (const nonce of kept as readonly Json[]) {
        if (typeof nonce === 'number') this.consume(address.value, nonce as Nonce)
      }
    }
  }

  /** Recovery read no further back than this: everything up to it is refused. */
  forgetUpTo(client: Address, nonce: number): void {
    const used = this.byClient.get(client) ?? new ClientNonces(this.perClientMax)
    this.byClient.set(client, used)
    used.floor = Math.max(used.floor, nonce)
  }
}

class ClientNonces {
  floor = -1
  private readonly nonces: NonceSet

  constructor(max: number) {
    this.nonces = new NonceSet(max)
  }

  has(nonce: number): boolean {
    return this.nonces.has(nonce)
  }

  delete(nonce: number): void {
    this.nonces.delete(nonce)
  }

  from(since: number): number[] {
    return this.nonces.since(since)
  }

  add(nonce: number): void {
    const dropped = this.nonces.add(nonce)
    if (dropped !== null) this.floor = Math.max(this.floor, dropped)
  }
}

function refusedAs(code: NonceRefusal, why: RefusedNonce['why']): RefusedNonce {
  return { isNew: false, code, why }
}
