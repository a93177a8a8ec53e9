import { expect, test } from 'vitest'
import { accountWith, fixtureNow, stopOrder } from '../account/account.fixture.ts'
import type { Account } from '../account/account.ts'
import type { Reservation } from '../account/reservation.ts'
import type { Action, Json, Order } from '../protocol/action.ts'
import { defaultRules } from '../rules/rules.ts'
import type { Rules } from '../rules/rules.ts'
import { Decimal } from '../values/decimal.ts'
import { Dice } from '../values/dice.fixture.ts'
import { actionsOf } from './decision.ts'
import type { Decision, JudgeInput } from './decision.ts'
import { actionOf, judgeInput, orderAction } from './judge.fixture.ts'
import { judge } from './judge.ts'
import {
  anyAccount,
  anyAction,
  anyEntry,
  anyExit,
  anyRules,
  anySurroundings,
  coins,
  mids,
  sizeOf,
} from './states.fixture.ts'

const states = 20_000

/** Runs a law over many states; a failure names the seed that makes it again. */
function forStates(count: number, law: (dice: Dice) => void): void {
  for (let seed = 1; seed <= count; seed++) {
    try {
      law(new Dice(seed))
    } catch (error) {
      throw new Error(`seed ${seed}: ${error instanceof Error ? error.message : String(error)}`, {
        cause: error,
      })
    }
  }
}

function must(condition: boolean, text: string): void {
  if (!condition) throw new Error(text)
}

function ordersOf(action: Action): readonly Order[] {
  if (action.type === 'order') return action.orders
  if (action.type === 'modify') return [action.modify.order]
  return action.type === 'batchModify' ? action.modifies.map((each) => each.order) : []
}

/** Text without the ids, which count up differently. */
function shown(decision: Decision): string {
  return JSON.stringify(decision)
}

test('no state and request make it throw, and judging twice gives the same', () => {
  const seen = new Set<string>()
  forStates(states, (dice) => {
    const { account, orders } = anyAccount(dice)
    const action = actionOf(anyAction(dice, orders))
    const spec = { ...anySurroundings(dice), account }
    const first = judge(judgeInput(action, spec))
    const again = judge(judgeInput(action, spec))
    must(shown(first) === shown(again), 'judged twice, two decisions')
    seen.add(first.code)
    checkShape(first, action)
    checkNoMoreThanAsked(first, action)
  })
  // The states reach nearly everything the judge can say: 33 codes and the three that pass.
  expect(seen.size).toBeGreaterThan(28)
})

/** A decision fits together: places, needs, slots, ids. */
function checkShape(decision: Decision, action: Action): void {
  const actions = actionsOf(decision)
  must(decision.reservations.length === actions.length, 'reservations by place')
  must(decision.needs.length === actions.length, 'needs by place')
  must((decision.verdict === 'veto') === (decision.forward === null), 'a veto forwards nothing')
  must(decision.text.length > 0, 'a text')
  decision.needs.forEach((needs, place) =>
    must(
      needs.every((need) => need >= 0 && need < place),
      'an action needs only what goes before it',
    ),
  )
  if (decision.forward === null) return
  if (decision.reply.kind === 'statuses') {
    const count = action.type === 'batchModify' ? action.modifies.length : ordersOf(action).length
    must(decision.reply.slots.length === count, 'an answer for each order')
    for (let at = 0; at < count; at++) must(decision.reply.slots[at] !== undefined, `slot ${at}`)
  }
  const ids = actions.flatMap(ordersOf).map((order) => order.cloid)
  must(!ids.includes(null), 'every order has an id')
  must(new Set(ids).size === ids.length, 'every id once')
}

/** Nothing forwarded is larger or longer lived than asked, and no entry may fill at a worse price. */
function checkNoMoreThanAsked(decision: Decision, action: Action): void {
  const asked = ordersOf(action)
  for (const order of actionsOf(decision).flatMap(ordersOf)) {
    if (order.isReduceOnly) continue
    const like = asked.filter((each) => each.asset === order.asset && each.isBuy === order.isBuy)
    const source = like.find(
      (each) =>
        !each.isReduceOnly &&
        each.size.gte(order.size) &&
        JSON.stringify(each.type) === JSON.stringify(order.type) &&
        (order.isBuy ? order.price.lte(each.price) : order.price.gte(each.price)),
    )
    must(source !== undefined, `nobody asked for ${JSON.stringify(order)}`)
  }
  for (const { size, requestedSize } of decision.entries) must(size.lte(requestedSize), 'larger')
}

test('a request that only reduces is never vetoed', () => {
  forStates(states, (dice) => {
    const { account } = anyAccount(dice)
    const exits = Array.from({ length: 1 + dice.roll(3) }, () => anyExit(dice))
    const spec = { ...anySurroundings(dice), account }
    const decision = judge(judgeInput(actionOf(orderAction(exits)), spec))
    must(decision.verdict !== 'veto', `${decision.code}: ${decision.text}`)
    must(decision.lane === 'exit' && decision.entryCount === 0, 'an exit')
    for (const order of actionsOf(decision).flatMap(ordersOf)) must(order.isReduceOnly, 'reduces')
  })
})

/** What an entry gets with another size asked for. */
function grown(input: JudgeInput, factor: bigint): JudgeInput {
  const action = input.action as Extract<Action, { type: 'order' }>
  const orders = action.orders.map((order) => ({
    ...order,
    size: order.size.times(Decimal.whole(factor)),
  }))
  return { ...input, action: { ...action, orders } }
}

test('a larger order is never more allowed than a smaller one', () => {
  forStates(states, (dice) => {
    const { account } = anyAccount(dice)
    const orders = anyEntry(dice, dice.one(coins))
    const spec = { ...anySurroundings(dice), account }
    const small = judgeInput(actionOf(orderAction(orders)), spec)
    const [less] = judge(small).entries
    const [more] = judge(grown(small, dice.one([2n, 3n, 50n]))).entries
    if (less === undefined || more === undefined) return
    // What a larger request gets is at least what the smaller got, or refused for the same reason
    // or for one that only size brings; it never gets in where the smaller did not, but for the
    // venue's least order.
    if (less.verdict === 'veto' && less.code !== 'below_minimum') {
      must(more.verdict === 'veto', `${less.code} was lifted by a larger size`)
    }
    if (more.verdict !== 'veto' && less.verdict !== 'veto') {
      must(more.size.gte(less.size), 'a larger request got less')
    }
  })
})

interface Held {
  readonly entry: Extract<Reservation, { kind: 'entry' }>
  readonly leverage: number
  readonly state: 'filled' | 'resting' | 'flight'
}

/** The account that follows from entries of which some were filled, some rest, some are in flight. */
function accountOf(equity: string, held: readonly Held[]): Account {
  const positions: {
    [coin: string]: { size: string; leverage: { type: 'isolated'; value: number } }
  } = {}
  const orders = []
  let oid = 1000
  for (const { entry, leverage, state } of held) {
    const { coin, isBuy, size, stop } = entry
    oid += 10
    if (state === 'filled') {
      const before = Decimal.of(positions[coin]?.size ?? '0')
      const after = isBuy ? before.plus(size) : before.minus(size)
      positions[coin] = { size: after.toString(), leverage: { type: 'isolated', value: leverage } }
      orders.push(
        stopOrder({ coin, oid, size: size.toString(), trigger: stop.toString(), isBuy: !isBuy }),
      )
    }
    if (state === 'resting') {
      const child = stopOrder({
        coin,
        oid: oid + 1,
        size: size.toString(),
        trigger: stop.toString(),
        isBuy: !isBuy,
      })
      orders.push(
        {
          ...child,
          oid,
          isBuy,
          price: entry.price,
          isReduceOnly: false,
          trigger: null,
          children: [oid + 1],
        },
        child,
      )
    }
  }
  const account = accountWith({ equity, mids, positions, orders })
  held.forEach(({ entry, state }, at) => {
    if (state === 'flight') account.reserve(`${at}`, [entry], fixtureNow)
  })
  return account
}

/** Sums in whole units of 10^-24, by another way than the code under test. */
function sums(held: readonly Held[]): { risk: bigint; value: bigint; sides: Map<string, bigint> } {
  const unit = (value: Decimal, scale: number): bigint =>
    value.units * 10n ** BigInt(scale - value.scale)
  let risk = 0n
  let value = 0n
  const sides = new Map<string, bigint>()
  for (const { entry, state } of held) {
    const mid = unit(Decimal.of(mids[entry.coin] ?? '0'), 12)
    const limit = unit(entry.price, 12)
    const size = unit(entry.size, 12)
    const at = state === 'filled' ? mid : limit
    const loss = entry.isBuy ? at - unit(entry.stop, 12) : unit(entry.stop, 12) - at
    risk += size * (loss > 0n ? loss : 0n)
    // An entry is sized at its limit; what the mid makes of it once it is filled is no decision.
    value += size * (state === 'filled' && mid < limit ? mid : limit)
    const key = `${entry.coin} ${String(entry.isBuy)}`
    sides.set(key, (sides.get(key) ?? 0n) + size * at)
  }
  return { risk, value, sides }
}

function within(rules: Rules, equity: string, held: readonly Held[]): void {
  const unit = (ratio: Decimal): bigint => {
    const most = Decimal.of(equity).times(ratio)
    return most.units * 10n ** BigInt(24 - most.scale)
  }
  const { risk, value, sides } = sums(held)
  must(risk <= unit(rules.openRisk), `open risk ${risk} beyond ${unit(rules.openRisk)}`)
  must(value <= unit(rules.maxLeverage), `value ${value} beyond ${unit(rules.maxLeverage)}`)
  for (const [side, worth] of sides)
    must(worth <= unit(rules.maxPosition), `${side} is worth ${worth}`)
}

test('after any sequence of decisions with any of them filled the account stays within the rules', () => {
  let forwarded = 0
  // Four requests each, so as many states as everywhere.
  forStates(states / 4, (dice) => {
    const rules: Rules = { ...defaultRules, ...anyRules(dice), equityCap: null, markets: ['*'] }
    const equity = dice.one(['700', '7350.25', '250000'])
    const held: Held[] = []
    const spec = dice.one(coins)
    for (let turn = 0; turn < 4; turn++) {
      const account = accountOf(equity, held)
      const orders = [...anyEntry(dice, spec), ...(dice.rare(2) ? anyEntry(dice, spec) : [])]
      const decision = judge(
        judgeInput(actionOf(orderAction(orders as Json[])), { account, rules }),
      )
      const leverage = decision.entries.find((each) => each.leverage !== null)?.leverage ?? 1
      for (const entry of decision.reservations.flat()) {
        if (entry.kind !== 'entry') continue
        forwarded += 1
        const mid = Decimal.of(mids[entry.coin] ?? '0')
        const isTaking = entry.isBuy ? entry.price.gte(mid) : entry.price.lte(mid)
        const state = isTaking
          ? dice.one(['filled', 'flight'] as const)
          : dice.one(['resting', 'flight'] as const)
        // A position and entries against it would net: only one side is filled.
        const isNet = held.some(
          (each) => each.state === 'filled' && each.entry.isBuy !== entry.isBuy,
        )
        held.push({ entry, leverage, state: state === 'filled' && isNet ? 'flight' : state })
      }
      within(rules, equity, held)
    }
  })
  expect(forwarded).toBeGreaterThan(states / 8)
})

test('two entries, one after the other, never exceed what the account allows one', () => {
  let pairs = 0
  forStates(states, (dice) => {
    const risk = Decimal.of(dice.one(['0.01', '0.05']))
    const rules: Rules = {
      ...defaultRules,
      riskPerTrade: risk,
      openRisk: risk,
      maxPosition: Decimal.of(dice.one(['0.1', '2'])),
    }
    const spec = dice.one(coins)
    const entry = (): Json[] => {
      const isBuy = dice.rare(2)
      const size = sizeOf(dice, spec)
      return [
        { a: spec.asset, b: isBuy, p: spec.mid, s: size, r: false, t: { limit: { tif: 'Ioc' } } },
      ]
    }
    const account = accountWith({ mids })
    const first = judge(judgeInput(actionOf(orderAction(entry())), { account, rules }))
    const asked = actionOf(orderAction(entry()))
    const alone = judge(judgeInput(asked, { account, rules }))
    first.reservations.forEach((items, at) => account.reserve(`${at}`, items, fixtureNow))
    const second = judge(judgeInput(asked, { account, rules }))
    const got = second.entries[0]?.size ?? Decimal.zero
    must(got.lte(alone.entries[0]?.size ?? Decimal.zero), 'more after another than alone')
    const held = [...first.reservations.flat(), ...second.reservations.flat()].flatMap(
      (entry): Held[] => (entry.kind === 'entry' ? [{ entry, leverage: 1, state: 'resting' }] : []),
    )
    if (held.length === 2) pairs += 1
    within(rules, '7350.25', held)
  })
  expect(pairs).toBeGreaterThan(states / 10)
})
