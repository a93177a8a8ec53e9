import { expect, test } from 'vitest'
import { accountWith, fixtureNow } from '../account/account.fixture.ts'
import type { Json } from '../protocol/action.ts'
import { defaultRules } from '../rules/rules.ts'
import type { Rules } from '../rules/rules.ts'
import { Decimal } from '../values/decimal.ts'
import type { Dice } from '../values/dice.fixture.ts'
import { actionOf, judgeInput, limitOrder, orderAction } from './judge.fixture.ts'
import { judge } from './judge.ts'
import {
  anyEntry,
  anyRules,
  coins,
  forStates,
  mids,
  must,
  priceNear,
  sizeOf,
} from './states.fixture.ts'
import type { CoinSpec } from './states.fixture.ts'
import { World } from './world.fixture.ts'

const states = 20_000
/** However busy the machine is: what is counted are states, not seconds. */
const patience = 900_000

function worldOf(dice: Dice): World {
  const rules: Rules = { ...defaultRules, ...anyRules(dice), equityCap: null, markets: ['*'] }
  return new World(mids, rules, dice.one(['700', '7350.25', '250000']))
}

/** New entries, or a modify of one that rests. */
function request(dice: Dice, world: World, traded: readonly CoinSpec[]): Json {
  const resting = world.lots.filter((lot) => lot.state === 'resting')
  const picked = dice.rare(4) ? dice.one(resting) : undefined
  const spec = traded.find((each) => each.coin === picked?.coin)
  if (picked !== undefined && spec !== undefined) {
    const away = (picked.isBuy ? -1 : 1) * dice.roll(60)
    const order = limitOrder(spec.asset, picked.isBuy, sizeOf(dice, spec), priceNear(spec, away))
    return { type: 'modify', oid: picked.oid, order }
  }
  const count = dice.one([1, 1, 2, 3])
  const orders = Array.from({ length: count }, () => anyEntry(dice, dice.one(traded))).flat()
  return orderAction(orders)
}

/** What a decision sends is there from now on, and what it replaces is not. */
function applied(world: World, json: Json, added: World['lots']): void {
  if (added.length > 0) {
    const { oid } = json as { oid?: number }
    for (const lot of world.lots) if (lot.oid === oid) lot.state = 'over'
  }
  world.lots.push(...added)
}

test(
  'after any sequence of decisions, with any part of it filled, the account is within the rules',
  () => {
    const seen = { turns: 0, forwarded: 0, filled: 0, partial: 0, modified: 0 }
    forStates(states / 5, (dice) => {
      const world = worldOf(dice)
      const traded = [dice.one(coins), dice.one(coins)]
      for (let turn = 0; turn < 6; turn++) {
        const json = request(dice, world, traded)
        const { rules } = world
        const decision = judge(judgeInput(actionOf(json), { account: world.account(), rules }))
        const added = world.sent(decision)
        applied(world, json, added)
        seen.turns += 1
        seen.forwarded += added.length
        if (added.length > 0 && (json as { type: string }).type === 'modify') seen.modified += 1
        const refused = world.problem([], false)
        must(refused === null, `turn ${turn}, all as asked: ${refused ?? ''}`)
        world.fill(dice)
        const problem = world.problem([], false)
        must(problem === null, `turn ${turn}, filled: ${problem ?? ''}`)
        for (const { filled, size } of world.lots) {
          if (filled > 0n) seen.filled += 1
          if (filled > 0n && filled < size) seen.partial += 1
        }
      }
    })
    expect(seen.turns).toBeGreaterThanOrEqual(states)
    expect(seen.forwarded).toBeGreaterThan(states / 4)
    expect(seen.filled).toBeGreaterThan(states / 4)
    expect(seen.partial).toBeGreaterThan(states / 20)
    expect(seen.modified).toBeGreaterThan(states / 100)
  },
  patience,
)

test(
  'whatever prices did meanwhile, what is forwarded fits into what is left',
  () => {
    const seen = { turns: 0, forwarded: 0, moved: 0 }
    forStates(states / 5, (dice) => {
      const world = worldOf(dice)
      const traded = [dice.one(coins), dice.one(coins)]
      for (let turn = 0; turn < 5; turn++) {
        const json = request(dice, world, traded)
        const { rules } = world
        const decision = judge(judgeInput(actionOf(json), { account: world.account(), rules }))
        const added = world.sent(decision)
        seen.turns += 1
        seen.forwarded += added.length
        if (added.length > 0) {
          const isModify = (json as { type: string }).type === 'modify'
          const replaced = isModify ? (json as { oid: number }).oid : null
          for (const lot of world.lots) if (lot.oid === replaced) lot.state = 'over'
          const problem = world.problem(added, true)
          must(problem === null, `turn ${turn}: ${problem ?? ''}`)
          if (turn > 0) seen.moved += 1
        }
        world.lots.push(...added)
        world.fill(dice)
        for (const spec of traded) world.move(spec.coin, priceNear(spec, dice.roll(40) - 20))
      }
    })
    expect(seen.turns).toBeGreaterThanOrEqual(states)
    expect(seen.forwarded).toBeGreaterThan(states / 5)
    expect(seen.moved).toBeGreaterThan(states / 20)
  },
  patience,
)

test(
  'two entries, one after the other, never exceed what the account allows one',
  () => {
    const seen = { pairs: 0, cut: 0, refused: 0 }
    forStates(states, (dice) => {
      const risk = Decimal.of(dice.one(['0.01', '0.05']))
      const rules: Rules = {
        ...defaultRules,
        riskPerTrade: risk,
        openRisk: risk,
        maxPosition: Decimal.of(dice.one(['0.1', '2'])),
      }
      const spec = dice.one(coins)
      const entry = (): Json =>
        orderAction([
          limitOrder(
            spec.asset,
            dice.rare(2),
            sizeOf(dice, spec),
            priceNear(spec, dice.roll(9) - 4),
          ),
        ])
      const world = new World(mids, rules, '7350.25')
      const account = accountWith({ mids })
      const first = judge(judgeInput(actionOf(entry()), { account, rules }))
      const asked = actionOf(entry())
      const alone = judge(judgeInput(asked, { account, rules })).entries[0]?.size ?? Decimal.zero
      world.lots.push(...world.sent(first))
      first.reservations.forEach((items, at) => account.reserve(`${at}`, items, fixtureNow))
      const second = judge(judgeInput(asked, { account, rules }))
      const got = second.entries[0]?.size ?? Decimal.zero
      must(got.lte(alone), 'more after another than alone')
      world.lots.push(...world.sent(second))
      const problem = world.problem([], false)
      must(problem === null, problem ?? '')
      if (world.lots.length === 2) seen.pairs += 1
      if (got.isPositive() && got.lt(alone)) seen.cut += 1
      if (got.isZero() && alone.isPositive()) seen.refused += 1
    })
    expect(seen.pairs).toBeGreaterThan(states / 5)
    expect(seen.cut).toBeGreaterThan(states / 50)
    expect(seen.refused).toBeGreaterThan(states / 20)
  },
  patience,
)
