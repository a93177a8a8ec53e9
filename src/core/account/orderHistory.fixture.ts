import type { OrderUpdate } from '../protocol/venueState.ts'
import { coin as coinOf } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import { accountWith, botCloid, fixtureNow, venueState } from './account.fixture.ts'
import type { Account } from './account.ts'
import type { AccountEvent } from './accountEvent.ts'
import { RealVenue, tradedCoins } from './realVenue.fixture.ts'
import type { Look, RealFill, RealOrder, Wanted } from './realVenue.fixture.ts'
import type { Reservation } from './reservation.ts'

/** One step of a history: what happens, and the chance that shapes it. */
export interface Step {
  readonly what: StepKind
  readonly pick: number
  readonly size: number
  readonly more: number
  readonly after: number
}

export const stepKinds = [
  ...['send', 'send', 'modify', 'cancel', 'leave', 'arrive', 'arrive', 'reply', 'reply'],
  ...['fill', 'fill', 'end', 'elsewhere', 'state', 'list', 'ask', 'answer'],
  ...['deliver', 'deliver', 'deliver', 'deliver', 'again'],
] as const
type StepKind = (typeof stepKinds)[number]

/** The events that one step of a history gives to the account. */
export type Heard =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'reserved' | 'left'; readonly action: string }
  | { readonly kind: 'reply'; readonly action: string; readonly oids: readonly number[] }
  | { readonly kind: 'update'; readonly update: OrderUpdate; readonly of: RealOrder }
  | { readonly kind: 'fill'; readonly fill: RealFill }
  | Snapshot

type Message = Extract<Heard, { kind: 'update' | 'fill' }> | Snapshot
interface Snapshot {
  readonly kind: 'state' | 'orders'
  /** It was begun then: asked for, or made by the stream. */
  readonly from: number
  readonly look: Look
  readonly madeAt: number
  readonly source: 'stream' | 'read'
}

interface Action {
  readonly id: string
  readonly orders: readonly RealOrder[]
  readonly cancels: readonly RealOrder[]
  readonly at: number
  stage: 'decided' | 'left' | 'arrived' | 'answered'
}

/** What the stream says is at most this old when it comes; Guard counts on a second. */
const streamAgeMax = 900
/** An action that has not arrived by then never will: it says so itself. */
const mayArrive = 30_000
const cloids = Array.from({ length: 6 }, (_, nth) => botCloid(nth + 1))

/** One account and its venue, taken through generated steps. What is told comes in any order. */
export class OrderHistory {
  readonly account: Account
  readonly venue: RealVenue
  readonly #queue: Message[] = []
  readonly #delivered: Message[] = []
  readonly #actions: Action[] = []
  readonly #asked: number[] = []
  #prices = 0
  #ids = 0
  now: number = fixtureNow

  constructor() {
    const mids = { ETH: '2500', SOL: '2500' }
    this.account = accountWith({ mids })
    this.venue = new RealVenue((message) => {
      if ('fill' in message) this.#queue.push({ kind: 'fill', fill: message.fill })
      else this.#queue.push({ kind: 'update', ...message })
    })
    this.venue.now = this.now
  }

  /** Whether an order can still come to be, or is, open at the venue. */
  isAlive({ place, reservedAt }: RealOrder): boolean {
    return place === 'flight' ? this.now < reservedAt + mayArrive : place !== 'over'
  }

  run(step: Step): Heard {
    this.now += 1 + step.after
    this.venue.now = this.now
    switch (step.what) {
      case 'send':
        return this.#send(step, [])
      case 'modify':
        return this.#modify(step)
      case 'cancel':
        return this.#reserve([], pickOf(this.venue.open, step.pick, 1))
      case 'leave':
        return this.#leave(step)
      case 'reply':
        return this.#reply(step)
      case 'deliver':
        return this.#deliver(step)
      case 'again':
        return this.#again(step)
      case 'answer':
        return this.#answer(step)
      default:
        this.#atVenue(step)
        return { kind: 'nothing' }
    }
  }

  /** What happens at the venue; Guard is told of it by a later step. */
  #atVenue(step: Step): void {
    const working = this.venue.open.filter(({ place }) => place === 'working')
    if (step.what === 'fill')
      for (const each of pickOf(working, step.pick, 1)) this.venue.fill(each, step.size)
    if (step.what === 'end')
      for (const each of pickOf(this.venue.open, step.pick, 1)) this.venue.end(each, 'canceled')
    if (step.what === 'arrive') this.#arrive(step)
    if (step.what === 'elsewhere') {
      this.#takeAll(this.#orders(step, null), step)
    }
    if (step.what === 'state') this.#snapshot('state', 'stream', this.now)
    if (step.what === 'list') this.#snapshot('orders', 'stream', this.now)
    if (step.what === 'ask') this.#asked.push(this.now)
  }

  // ---------------------------------------------------------------------------------- Guard's side

  /** One to five orders; a group where the first has children. Ids are used again and again. */
  #orders({ pick, size, more }: Step, action: string | null): readonly RealOrder[] {
    const count = 1 + (more % 5)
    const isGroup = more % 3 !== 0
    const coin = tradedCoins[pick % 2 === 0 ? 0 : 1]
    const isBuy = (pick >> 1) % 3 !== 0
    const opens = (pick >> 3) % 4 !== 0
    const orders: RealOrder[] = []
    for (let index = 0; index < count; index++) {
      const isChild = isGroup && index > 0
      const kind = isChild
        ? index === 1
          ? 'stop'
          : 'target'
        : opens
          ? 'entry'
          : index === 1
            ? 'stop'
            : 'exit'
      const ownBuy = kind === 'entry' ? isBuy : !isBuy
      this.#prices += 1
      const wanted: Wanted = {
        ...{ index, coin, isBuy: ownBuy, kind, parent: isChild ? 0 : null },
        size: isChild ? size : 1 + ((size + index) % 5),
        price: (kind === 'stop' ? (ownBuy ? 6_000 : 500) : 2_000) + this.#prices,
        trigger: (isBuy ? 1_500 : 3_500) + ((pick + 7 * index) % 90),
        cloid: cloids[(pick + index * (1 + (more % 2))) % cloids.length] ?? cloids[0] ?? '',
        mayRest: isChild || kind === 'stop' || (pick >> 2) % 3 !== 0,
      }
      const order: RealOrder = {
        ...{ wanted, action, reservedAt: this.now, place: 'flight', oid: null },
        ...{ left: wanted.size, filled: 0, endedAt: null },
      }
      orders.push(order)
      this.venue.orders.push(order)
    }
    return orders
  }

  #send(step: Step, cancels: readonly RealOrder[]): Heard {
    return this.#reserve(this.#orders(step, `a${this.#ids + 1}`), cancels)
  }

  /** The cancel of a resting entry and a new one in its place. */
  #modify(step: Step): Heard {
    const entries = this.venue.open.filter(({ wanted }) => wanted.kind === 'entry')
    const [old] = pickOf(entries, step.pick, 1)
    return this.#send(step, old === undefined ? [] : [old])
  }

  #reserve(orders: readonly RealOrder[], cancels: readonly RealOrder[]): Heard {
    if (orders.length + cancels.length === 0) return { kind: 'nothing' }
    this.#ids += 1
    const id = `a${this.#ids}`
    const items: Reservation[] = [
      ...cancels.map(({ oid, wanted }): Reservation => ({
        ...{ kind: 'cancel', coin: coinOf(wanted.coin), oid, cloid: wanted.cloid },
      })),
      ...orders.map(({ wanted }) => reserved(wanted)),
    ]
    this.account.reserve(id, items, millis(this.now))
    this.#actions.push({ id, orders, cancels, at: this.now, stage: 'decided' })
    return { kind: 'reserved', action: id }
  }

  #leave({ pick }: Step): Heard {
    const [action] = pickOf(this.#inStage('decided'), pick, 1)
    if (action === undefined) return { kind: 'nothing' }
    action.stage = 'left'
    this.account.sent(action.id)
    return { kind: 'left', action: action.id }
  }

  #inStage(...stages: readonly Action['stage'][]): readonly Action[] {
    return this.#actions.filter(({ stage }) => stages.includes(stage))
  }

  #arrive(step: Step): void {
    const waiting = this.#inStage('decided', 'left').filter(({ at }) => this.now < at + mayArrive)
    const [action] = pickOf(waiting, step.pick, 1)
    if (action === undefined) return
    action.stage = 'arrived'
    for (const old of action.cancels)
      if (this.venue.open.includes(old)) this.venue.end(old, 'canceled')
    this.#takeAll(action.orders, step)
  }

  #takeAll(orders: readonly RealOrder[], { pick, size, more }: Step): void {
    for (const order of orders) {
      const { parent, index, mayRest } = order.wanted
      const mother = parent === null ? null : (orders[parent] ?? null)
      const isMotherGone = mother !== null && mother.place === 'over' && mother.left > 0
      if (isMotherGone || (pick + index + more) % 6 === 0) order.place = 'over'
      else {
        const isFilledNow = parent === null && (!mayRest || more % 4 === 0)
        this.venue.take(order, mother?.place === 'over', isFilledNow ? size : 0)
      }
    }
  }

  /** The answer to an action: what became of each order, or nothing that anybody understands. */
  #reply({ pick, more }: Step): Heard {
    const [action] = pickOf(this.#inStage('arrived', 'left', 'decided'), pick, 1)
    if (action === undefined) return { kind: 'nothing' }
    const at = millis(this.now)
    const { id, stage } = action
    // Without an arrival there is no answer; whoever waits for one gives up.
    if (stage !== 'arrived' || more % 5 === 0) {
      if (stage === 'arrived') action.stage = 'answered'
      this.account.settle(id, { outcome: 'unknown' }, at)
      return { kind: 'reply', action: id, oids: [] }
    }
    action.stage = 'answered'
    if (action.orders.length === 0) this.account.settle(id, { outcome: 'accepted' }, at)
    for (const { wanted, oid } of action.orders) {
      if (oid !== null) this.account.numbered(id, wanted.index, oid)
    }
    for (const { wanted, oid } of action.orders) {
      const outcome = oid === null ? 'refused' : 'accepted'
      this.account.settleOrder(id, wanted.index, { outcome }, at)
    }
    return { kind: 'reply', action: id, oids: action.orders.flatMap(({ oid }) => oid ?? []) }
  }

  // ---------------------------------------------------------------------------- what is told of it

  #snapshot(kind: Snapshot['kind'], source: Snapshot['source'], from: number): void {
    this.#queue.push({ kind, source, from, look: this.venue.look(), madeAt: this.now })
  }

  #answer({ pick }: Step): Heard {
    const [from] = this.#asked.splice(pick % Math.max(this.#asked.length, 1), 1)
    if (from !== undefined) this.#snapshot(pick % 3 === 0 ? 'state' : 'orders', 'read', from)
    return { kind: 'nothing' }
  }

  #deliver({ pick }: Step): Heard {
    const [message] = this.#queue.splice(pick % Math.max(this.#queue.length, 1), 1)
    if (message === undefined) return { kind: 'nothing' }
    return this.#hear(message)
  }

  #again({ pick }: Step): Heard {
    const [message] = pickOf(this.#delivered, pick, 1)
    return message === undefined ? { kind: 'nothing' } : this.#hear(message)
  }

  #hear(message: Message): Heard {
    const isSnapshot = message.kind === 'state' || message.kind === 'orders'
    if (isSnapshot && message.source === 'stream' && this.now - message.madeAt > streamAgeMax) {
      return { kind: 'nothing' }
    }
    this.account.apply(this.#eventOf(message))
    if (!isSnapshot) this.#delivered.push(message)
    return message
  }

  #eventOf(message: Message): AccountEvent {
    const at = millis(this.now)
    switch (message.kind) {
      case 'update':
        return { kind: 'order_updates', updates: [message.update], at }
      case 'fill':
        return { kind: 'fills', fills: [message.fill.told], isSnapshot: false, at }
      case 'state': {
        const held = [...message.look.sizes].filter(([, size]) => size !== 0)
        const positions = Object.fromEntries(
          held.map(([name, size]) => [name, { size: `${size}` }]),
        )
        const mids = { ETH: '2500', SOL: '2500' }
        const state = venueState({ mids, positions }, message.madeAt)
        return { kind: 'state', state, source: message.source, askedAt: millis(message.from), at }
      }
      case 'orders': {
        const { orders } = message.look
        return { kind: 'orders', orders, source: message.source, askedAt: millis(message.from), at }
      }
    }
  }

  /** All that is on its way comes, and after a long while both are read once more. */
  *toTheEnd(): Generator<() => Heard> {
    while (this.#queue.length > 0) yield () => this.#deliver(noStep)
    this.now += 200_000
    this.venue.now = this.now
    for (const kind of ['orders', 'state', 'orders', 'state'] as const) {
      this.now += 1
      this.#snapshot(kind, 'read', this.now)
      yield () => this.#deliver(noStep)
    }
  }
}

const noStep: Step = { what: 'deliver', pick: 0, size: 1, more: 0, after: 0 }

function pickOf<T>(list: readonly T[], pick: number, count: number): readonly T[] {
  const start = list.length === 0 ? 0 : pick % list.length
  return list.slice(start, start + count)
}

function reserved({ kind, trigger, ...wanted }: Wanted): Reservation {
  const [price, size] = [Decimal.whole(wanted.price), Decimal.whole(wanted.size)]
  const fields = { ...wanted, coin: coinOf(wanted.coin), price, size }
  if (kind === 'entry') return { ...fields, kind, stop: Decimal.whole(trigger) }
  if (kind === 'stop') return { ...fields, kind, trigger: Decimal.whole(trigger) }
  const target = { price: Decimal.whole(trigger), isMarket: true, tpsl: 'tp' } as const
  return { ...fields, kind: 'reduce', trigger: kind === 'target' ? target : null }
}
