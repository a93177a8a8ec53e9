import { expect, test } from 'vitest'
import type { Account } from '../account/account.ts'
import { stopOf } from '../account/orderLife.ts'
import type { Action, Json, Order } from '../protocol/action.ts'
import type { OpenOrder } from '../protocol/venueState.ts'
import { allowsMarket } from '../rules/marketNames.ts'
import { defaultRules } from '../rules/rules.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import type { Dice } from '../values/dice.fixture.ts'
import { actionsOf } from './decision.ts'
import type { Decision, JudgeInput } from './decision.ts'
import { actionOf, judgeInput, limitOrder, orderAction, triggerOrder } from './judge.fixture.ts'
import type { JudgeSpec } from './judge.fixture.ts'
import { judge } from './judge.ts'
import {
  anyAccount,
  anyAction,
  anyEntry,
  anyExit,
  anySurroundings,
  calmSurroundings,
  coins,
  forStates,
  must,
  priceNear,
  sizeOf,
} from './states.fixture.ts'
import type { CoinSpec } from './states.fixture.ts'

const states = 20_000
/** However busy the machine is: what is counted are states, not seconds. */
const patience = 900_000

function ordersOf(action: Action): readonly Order[] {
  if (action.type === 'order') return action.orders
  if (action.type === 'modify') return [action.modify.order]
  return action.type === 'batchModify' ? action.modifies.map((each) => each.order) : []
}

/** How often something was seen: a law that is never put to the test holds. */
class Tally {
  readonly counts = new Map<string, number>()

  add(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1)
  }
  expectEach(names: readonly string[], least: number): void {
    for (const name of names) {
      expect(this.counts.get(name) ?? 0, name).toBeGreaterThanOrEqual(least)
    }
  }
}
const verdicts = ['allow', 'resize', 'veto'] as const

test(
  'no state and request make it throw, judging twice gives the same, and nothing is more than asked',
  () => {
    const seen = new Tally()
    const codes = new Set<string>()
    forStates(states, (dice) => {
      const isCalm = dice.rare(2)
      const { account, orders } = anyAccount(dice, isCalm)
      const action = actionOf(anyAction(dice, orders))
      const spec = { ...(isCalm ? calmSurroundings(dice) : anySurroundings(dice)), account }
      const first = judge(judgeInput(action, spec))
      const again = judge(judgeInput(action, spec))
      must(JSON.stringify(first) === JSON.stringify(again), 'judged twice, two decisions')
      codes.add(first.code)
      seen.add(first.verdict)
      seen.add(action.type)
      for (const entry of first.entries) seen.add(`an entry: ${entry.verdict}`)
      checkShape(first, action)
      checkEntries(first, action)
      checkExits(first, action)
    })
    // The states reach nearly everything the judge can say: 33 codes and the three that pass.
    expect(codes.size).toBeGreaterThan(28)
    seen.expectEach(verdicts, states / 10)
    seen.expectEach(['order', 'cancel', 'modify', 'batchModify', 'updateLeverage'], states / 20)
    seen.expectEach(['an entry: resize', 'an entry: veto'], states / 20)
    seen.expectEach(['an entry: allow'], states / 200)
  },
  patience,
)

/** A veto, or cancels of orders that are not open: Guard answers these in the venue's words. */
function isAnsweredHere({ verdict, reply }: Decision, action: Action): boolean {
  if (verdict === 'veto') return true
  const isCancel = action.type === 'cancel' || action.type === 'cancelByCloid'
  const slots = isCancel && reply.kind === 'statuses' ? reply.slots : []
  return slots.length > 0 && slots.every(({ kind }) => kind === 'veto')
}

/** A decision fits together: places, needs, slots, ids. */
function checkShape(decision: Decision, action: Action): void {
  const actions = actionsOf(decision)
  must(decision.reservations.length === actions.length, 'reservations by place')
  must(decision.needs.length === actions.length, 'needs by place')
  must(decision.verdict !== 'veto' || decision.forward === null, 'a veto forwards nothing')
  must(decision.forward !== null || isAnsweredHere(decision, action), 'what passes is forwarded')
  must(decision.text.length > 0, 'a text')
  decision.needs.forEach((needs, place) =>
    must(
      needs.every((need) => need >= 0 && need < place),
      'an action needs only what goes before it',
    ),
  )
  if (decision.forward === null) return
  if (decision.reply.kind === 'statuses') {
    const count = itemsOf(action)
    must(decision.reply.slots.length === count, 'an answer for each order')
    for (let at = 0; at < count; at++) must(decision.reply.slots[at] !== undefined, `slot ${at}`)
  }
  const ids = actions.flatMap(ordersOf).map((order) => order.cloid)
  must(!ids.includes(null), 'every order has an id')
  must(new Set(ids).size === ids.length, 'every id once')
}

/** How many items of the request are answered one by one. */
function itemsOf(action: Action): number {
  if (action.type === 'batchModify') return action.modifies.length
  const isCancel = action.type === 'cancel' || action.type === 'cancelByCloid'
  return isCancel ? action.cancels.length : ordersOf(action).length
}

function isLike(order: Order, asked: Order): boolean {
  return asked.asset === order.asset && asked.isBuy === order.isBuy && asked.size.gte(order.size)
}

/** No entry is larger or longer lived than one that was asked for, or may fill at a worse price. */
function checkEntries(decision: Decision, action: Action): void {
  const left = ordersOf(action).filter((each) => !each.isReduceOnly)
  for (const order of actionsOf(decision).flatMap(ordersOf)) {
    if (order.isReduceOnly) continue
    const at = left.findIndex(
      (asked) =>
        isLike(order, asked) &&
        JSON.stringify(asked.type) === JSON.stringify(order.type) &&
        (order.isBuy ? order.price.lte(asked.price) : order.price.gte(asked.price)),
    )
    must(at >= 0, `nobody asked for ${JSON.stringify(order)}`)
    left.splice(at, 1)
  }
  for (const { size, requestedSize } of decision.entries) must(size.lte(requestedSize), 'larger')
}

/** An exit is one that was asked for, at its price; or the stop or take profit of an entry that goes. */
function checkExits(decision: Decision, action: Action): void {
  const asked = ordersOf(action)
  for (const sent of actionsOf(decision)) {
    const orders = ordersOf(sent)
    const entry = orders.find((each) => !each.isReduceOnly)
    for (const order of orders) {
      if (!order.isReduceOnly) continue
      const isChild = entry?.asset === order.asset && entry.isBuy !== order.isBuy
      if (order.type.kind === 'trigger' && isChild) {
        must(order.size.lte(entry.size), 'a child is no larger than its entry')
        continue
      }
      const isAsked = asked.some(
        (each) =>
          isLike(order, each) &&
          (isStop(order) || order.price.eq(each.price)) &&
          (order.type.kind === 'trigger' ||
            JSON.stringify(each.type) === JSON.stringify(order.type)),
      )
      must(isAsked, `nobody asked for ${JSON.stringify(order)}`)
    }
  }
}

function isStop({ type }: Order): boolean {
  return type.kind === 'trigger' && type.tpsl === 'sl'
}

function specOf(coin: string): CoinSpec {
  return coins.find((each) => each.coin === coin) ?? coins[0]
}

/** Moves a stop toward the price, never away; as large as it was or larger. */
function tightened(dice: Dice, order: OpenOrder, trigger: Decimal): Json {
  const spec = specOf(order.coin)
  const mid = Decimal.of(spec.mid)
  const share = new Decimal(BigInt(dice.roll(90)), 2)
  const closer = trigger.plus(mid.minus(trigger).times(share)).rounded(6, 'half-even')
  const size = order.size.times(Decimal.whole(dice.one([1, 1, 2, 9]))).toString()
  const limit = priceNear(spec, dice.roll(300) - 150)
  const text = triggerOrder(spec.asset, order.isBuy, size, closer.toString(), limit)
  return { type: 'modify', oid: order.oid, order: text }
}

/** A request that can only lower risk, by its kind; null when the account has none of that kind. */
function reducing(
  dice: Dice,
  kind: string,
  account: Account,
  orders: readonly OpenOrder[],
): Json | null {
  const pick = (fits: (order: OpenOrder) => boolean): OpenOrder | undefined =>
    dice.one(orders.filter(fits))
  const position = dice.one([...account.positions.values()])
  switch (kind) {
    case 'orders':
      return orderAction(Array.from({ length: 1 + dice.roll(3) }, () => anyExit(dice)))
    case 'closes': {
      if (position === undefined) return null
      const { asset, mid } = specOf(position.coin)
      const size = position.size.abs().toString()
      return orderAction([limitOrder(asset, position.size.isNegative(), size, mid, 'Ioc')])
    }
    case 'cancels': {
      const free = orders.filter((order) => !order.isReduceOnly || stopOf(order) === null)
      const picked = free.filter(() => dice.rare(2))
      // A number that nobody has shown may be that of a stop on its way.
      const unknown = account.stopsInFlight(coin('ETH')).length === 0 ? [9] : []
      const oids = [...picked.map(({ oid }) => oid), ...unknown]
      if (oids.length === 0) return null
      return { type: 'cancel', cancels: oids.map((o) => ({ a: 1, o })) }
    }
    case 'modifies': {
      const order = pick((each) => each.isReduceOnly && each.trigger === null)
      if (order === undefined) return null
      const spec = specOf(order.coin)
      const price = priceNear(spec, dice.roll(100) - 50)
      const text = limitOrder(spec.asset, order.isBuy, sizeOf(dice, spec), price, 'Gtc', true)
      return { type: 'modify', oid: order.oid, order: text }
    }
    case 'stops': {
      const order = pick(
        (each) => stopOf(each)?.owner === 'bot' && account.parentOf(each.oid) === null,
      )
      return order?.trigger == null ? null : tightened(dice, order, order.trigger.price)
    }
    case 'leverage': {
      if (position === undefined || position.leverage.value === 1) return null
      const leverage = 1 + dice.roll(position.leverage.value - 1)
      const { asset } = specOf(position.coin)
      return { type: 'updateLeverage', asset, isCross: false, leverage }
    }
    default:
      return dice.rare(2)
        ? { type: 'scheduleCancel' }
        : { type: 'updateIsolatedMargin', asset: 1, isBuy: true, ntli: 1 + dice.roll(999) }
  }
}

/**
 * How many of the orders were refused: only for want of a place, only what would take one, and never
 * a market stop of a position that is not covered in full.
 */
function refusedFor(
  decision: Decision,
  account: Account,
  orders: readonly Order[],
  rules: JudgeSpec['rules'],
): number {
  const most = { ...defaultRules, ...rules }.maxOpenOrders
  let places = account.orderCount
  let refused = 0
  orders.forEach((order, at) => {
    const rests = order.type.kind === 'trigger' || order.type.tif !== 'Ioc'
    const slot = decision.reply.slots[at]
    if (decision.verdict !== 'veto' && slot?.kind === 'status') {
      if (rests) places += 1
      return
    }
    refused += 1
    const text = slot?.kind === 'veto' ? slot.text : `[${decision.code}]`
    must(text.includes('[too_many_orders]'), `refused for ${text}`)
    must(rests && places >= most, `refused with ${places} of ${most} places taken`)
    const name = coin(account.markets.byAsset.get(order.asset)?.coin ?? '')
    const isFacing = account.positions.get(name)?.size.isPositive() === !order.isBuy
    const isBare = isFacing && account.cover(name)?.isFull === false
    const isMarketStop = order.type.kind === 'trigger' && order.type.isMarket && isStop(order)
    must(!isBare || !isMarketStop, 'a stop of what is not covered was refused')
  })
  return refused
}

const kinds = ['orders', 'closes', 'cancels', 'modifies', 'stops', 'leverage', 'rest'] as const

test(
  'a request that only reduces is never refused, whatever the limits, the latch and the age say',
  () => {
    const seen = new Tally()
    let judged = 0
    for (let round = 0; judged < states; round++) {
      forStates(
        states / 4,
        (dice) => {
          const kind = dice.one(kinds)
          const { account, orders } = anyAccount(dice)
          const json = reducing(dice, kind, account, orders)
          if (json === null) return
          const spec = { ...anySurroundings(dice), account }
          const decision = judge(judgeInput(actionOf(json), spec))
          judged += 1
          // The one rule that is about where, not how much: a leverage is set on allowed markets only.
          if (decision.code === 'market_not_allowed') {
            const { asset } = json as { asset: number }
            const coin = coins.find((each) => each.asset === asset)?.coin ?? ''
            const rules = { ...defaultRules, ...spec.rules }
            must(kind === 'leverage' && !allowsMarket(rules, coin as never), decision.text)
            return
          }
          seen.add(kind)
          if (kind === 'orders') {
            const refused = refusedFor(decision, account, ordersOf(actionOf(json)), spec.rules)
            if (refused > 0) seen.add('no room')
            if (decision.verdict === 'veto') return
          }
          must(decision.verdict !== 'veto', `${kind} ${decision.code}: ${decision.text}`)
          must(decision.lane !== 'entry' && decision.entryCount === 0, 'no entry')
          for (const order of actionsOf(decision).flatMap(ordersOf))
            must(order.isReduceOnly, 'reduces')
        },
        round * (states / 4),
      )
    }
    expect(judged).toBeGreaterThanOrEqual(states)
    seen.expectEach(kinds, states / 25)
    seen.expectEach(['no room'], states / 100)
  },
  patience,
)

/** What an entry gets with another size asked for. */
function grown(input: JudgeInput, factor: bigint): JudgeInput {
  const action = input.action as Extract<Action, { type: 'order' }>
  const orders = action.orders.map((order) => ({
    ...order,
    size: order.size.times(Decimal.whole(factor)),
  }))
  return { ...input, action: { ...action, orders } }
}

test(
  'a larger order is never more allowed than a smaller one',
  () => {
    const seen = new Tally()
    forStates(states, (dice) => {
      const isCalm = !dice.rare(4)
      const { account } = anyAccount(dice, isCalm)
      const orders = anyEntry(dice, dice.one(coins))
      const spec = { ...(isCalm ? calmSurroundings(dice) : anySurroundings(dice)), account }
      const small = judgeInput(actionOf(orderAction(orders)), spec)
      const [less] = judge(small).entries
      const [more] = judge(grown(small, dice.one([2n, 3n, 50n]))).entries
      if (less === undefined || more === undefined) return
      seen.add(
        `${less.verdict === 'veto' ? 'veto' : 'goes'}, ${more.verdict === 'veto' ? 'veto' : 'goes'}`,
      )
      // What a larger request gets is at least what the smaller got, or refused for the same reason
      // or for one that only size brings; it never gets in where the smaller did not, but for the
      // venue's least order.
      if (less.verdict === 'veto' && less.code !== 'below_minimum') {
        must(more.verdict === 'veto', `${less.code} was lifted by a larger size`)
      }
      if (more.verdict !== 'veto' && less.verdict !== 'veto') {
        must(more.size.gte(less.size), 'a larger request got less')
        if (more.size.eq(less.size)) seen.add('both get the same')
      }
    })
    seen.expectEach(['goes, goes', 'veto, veto'], states / 10)
    seen.expectEach(['both get the same', 'veto, goes'], states / 100)
  },
  patience,
)
