import type { WireAction } from '../core/protocol/action.ts'
import type { Cloid } from '../core/values/cloid.ts'
import { limits } from '../core/values/limits.ts'
import type { AgentKey } from './agentKey.ts'
import { AgentError, CallCancelled, usedBefore } from './agentError.ts'
import type { DecisionReply } from '../client/client.ts'
import type { Delivery, GuardPort } from './guardPort.ts'
import type { Nonces } from './nonces.ts'
import { hasMark } from './nonces.ts'
import { UnsettledOrders } from './unsettledOrders.ts'

/** A signed request that went to Guard, and what Guard has on record of it. */
export interface Sent {
  readonly nonce: number
  readonly delivery: Delivery
  readonly record: DecisionReply | null
}

/** The first order of an idempotency key, found again. */
export interface FoundAgain {
  readonly nonce: number
  readonly record: DecisionReply
}

/** An order that has an idempotency key, with its arguments as one text. */
export interface NamedOrder {
  readonly key: string
  readonly arguments: string
  readonly cloid: Cloid
}

/** How long the record of an answered request is waited for, in steps. */
const recordWaitsMs = [5, 10, 20, 40, 80, 160, 320]

/** Signs as the client and sends to Guard; an order with a key of its own goes out once. */
export class Sender {
  readonly #port: GuardPort
  readonly #key: AgentKey
  readonly #nonces: Nonces
  readonly #wait: (ms: number) => Promise<void>
  readonly #unsettled = new UnsettledOrders()

  constructor(
    port: GuardPort,
    key: AgentKey,
    nonces: Nonces,
    wait: (ms: number) => Promise<void> = pause,
  ) {
    this.#port = port
    this.#key = key
    this.#nonces = nonces
    this.#wait = wait
  }

  /** Sends what has no key; a nonce that somebody else used up is replaced, since nothing was judged. */
  async send(
    path: '/exchange' | '/guard/kill',
    action: WireAction,
    signal: AbortSignal | null = null,
  ): Promise<Sent> {
    for (let tries = 0; ; tries += 1) {
      stopIfCancelled(signal)
      const nonce = this.#nonces.next()
      const delivery = await this.#port.send(path, this.#key.sign(action, nonce))
      if (isReplay(delivery) && tries < limits.agentReplaysMax) continue
      const record = path === '/exchange' ? await this.#recordOf(nonce, delivery) : null
      return { nonce, delivery, record }
    }
  }

  /**
   * Sends an order with a key. Its nonce carries a mark of key and arguments: where two servers send
   * the same order at once, both use one nonce, and Guard takes it once. While nobody can tell
   * whether it arrived it goes out with the same nonce again. Where Guard has let the order through
   * before, or has it on its way, the first one is found; `describe` names one of other arguments.
   */
  async sendNamed(
    named: NamedOrder,
    action: WireAction,
    describe: (record: DecisionReply) => Promise<string>,
    signal: AbortSignal | null = null,
  ): Promise<Sent | FoundAgain> {
    const { cloid, arguments: given } = named
    const before = this.#unsettled.nonceOf(cloid, given, this.#nonces.now)
    const nonce = before ?? this.#nonces.marked(this.#key.markOf(named.key, given))
    stopIfCancelled(signal)
    const delivery = await this.#port.send('/exchange', this.#key.sign(action, nonce))
    if (delivery.kind === 'unknown') this.#unsettled.note(cloid, { nonce, arguments: given })
    else if (delivery.kind === 'answered') this.#unsettled.settled(cloid)
    if (delivery.kind === 'not_sent' && before !== null) {
      const why = `an earlier request of this order may have arrived; now ${delivery.why}`
      return { nonce, delivery: { kind: 'unknown', why }, record: null }
    }
    if (!isReplay(delivery) && !isIdTaken(delivery)) {
      return { nonce, delivery, record: await this.#recordOf(nonce, delivery) }
    }
    const find = (): Promise<DecisionReply | null> => this.#port.decisionOn(named.cloid)
    const taken = await this.#awaited(find, isJudged)
    if (taken !== null && isJudged(taken)) return this.#ownFirst(named, taken, describe)
    const why = 'the same order is on its way already, and its answer cannot be read yet'
    return { nonce, delivery: { kind: 'unknown', why }, record: null }
  }

  /**
   * The first order of this key; null where there is none yet. Other arguments are an error that
   * names the first order. A request that Guard has not judged is none.
   */
  async first(
    named: NamedOrder,
    describe: (record: DecisionReply) => Promise<string>,
  ): Promise<FoundAgain | null> {
    const record = await this.#port.decisionOn(named.cloid)
    return record === null || !isJudged(record) ? null : this.#ownFirst(named, record, describe)
  }

  async #ownFirst(
    named: NamedOrder,
    record: DecisionReply,
    describe: (record: DecisionReply) => Promise<string>,
  ): Promise<FoundAgain> {
    const { client, nonce } = record.decision
    if (client !== this.#key.address || nonce === null) {
      throw new AgentError(
        'Another client has used the order id that belongs to this idempotency_key',
        'Nothing was sent. Choose a new idempotency_key, and tell the person at the machine.',
      )
    }
    if (!hasMark(nonce, this.#key.markOf(named.key, named.arguments))) {
      throw usedBefore(`${await describe(record)}, nonce ${String(nonce)}`)
    }
    return { nonce, record }
  }

  /** The record of an answered request, with what was sent for it; null where it is not readable soon. */
  async #recordOf(nonce: number, delivery: Delivery): Promise<DecisionReply | null> {
    if (delivery.kind !== 'answered') return null
    const response = delivery.reply['response']
    const isPaper = typeof response === 'string' && response.startsWith('Guard paper mode')
    const find = (): Promise<DecisionReply | null> => this.#port.decision(nonce, this.#key.address)
    return this.#awaited(find, (record) => {
      if (record === null) return false
      const { verdict, pre, forward, forward_more: more } = record.decision
      if (verdict === 'veto' || isPaper || forward === null) return true
      return (
        record.sent.length >= pre.length + 1 + more.length || delivery.reply['status'] === 'err'
      )
    })
  }

  async #awaited(
    find: () => Promise<DecisionReply | null>,
    isEnough: (record: DecisionReply | null) => boolean,
  ): Promise<DecisionReply | null> {
    let record: DecisionReply | null = null
    for (const ms of recordWaitsMs) {
      record = await find().catch(() => null)
      if (isEnough(record)) return record
      await this.#wait(ms)
    }
    return record
  }
}

function isReplay(delivery: Delivery): boolean {
  return delivery.kind === 'answered' && delivery.reply['code'] === 'auth_replay'
}

const idTaken = /has the client order id \S+ already/

/** Refused since an order with its id is on its way or open: the first one of this key. */
function isIdTaken(delivery: Delivery): boolean {
  if (delivery.kind !== 'answered' || delivery.reply['code'] !== 'invalid') return false
  const { response } = delivery.reply
  return typeof response === 'string' && idTaken.test(response)
}

/** Whether a code of Guard's says that no rule was asked: then nothing was sent, and it may come again. */
export function isUnjudged(code: string | null): boolean {
  return code === 'recovering' || code?.startsWith('auth_') === true
}

/** What was refused unjudged, or for the sake of the first order of its key, is no answer of that key. */
function isJudged(record: DecisionReply | null): boolean {
  if (record === null || isUnjudged(record.decision.code)) return false
  return record.decision.code !== 'invalid' || !idTaken.test(record.decision.text)
}

function stopIfCancelled(signal: AbortSignal | null): void {
  if (signal?.aborted === true) throw new CallCancelled()
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
