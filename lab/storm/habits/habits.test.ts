import { expect, test } from 'vitest'
import { focusedPlan, habitOf } from '../focus.ts'
import { accountHabits, allHabits, dexHabits } from '../habitKinds.ts'
import type { HabitKind } from '../habitKinds.ts'
import { plannerOf } from '../main.ts'
import { runSeed } from '../runSeed.ts'
import { curveFor } from '../storm.fixture.ts'

const stormMs = 8_000
const seeds = [1, 2, 3, 4]
const every = [...allHabits, ...accountHabits, ...dexHabits]

/** What is seen in the trace of some worlds where bots have a habit. */
const signs: { readonly [Kind in HabitKind]: readonly RegExp[] } = {
  cloid_reuse: [
    /-> venue .*"c":"0x0{30}a[12]".*(\n.*)*-> venue .*"c":"0x0{30}a[12]"/,
    /cancelByCloid.*0{30}a[12]/,
    /"modify","oid":"0x0{30}a[12]"/,
  ],
  modify_race: [
    /modify_race .*"type":"modify","oid":\d/,
    /modify_race .*"type":"modify","oid":"0x/,
    /modify_race .*"type":"batchModify"/,
    /the market takes/,
    /\[request_slow\]/,
  ],
  flip_and_quote: [/flip_and_quote .*"b":true.*"b":false/, /the market takes/],
  partial_targets: [/partial_targets .*"tpsl":"tp".*"normalTpsl"/, /moves to/],
  looser_steps: [/looser_steps .*"tpsl":"sl"/, /looser_steps .*"type":"cancel"/],
  exit_groups: [/exit_groups .*"r":true.*"normalTpsl"/],
  hand_on_stops: [/by hand .*"type":"cancel"/],
  crowding: [/too_many_orders/],
  trigger_entries: [
    /-> venue .*"r":false,"t":\{"trigger"/,
    /trigger_entries .*"type":"modify"/,
    /trigger_entries .*"type":"cancel"/,
    /waitingForFill/,
    /moves to/,
  ],
  twaps: [
    /-> venue .*"twapOrder"/,
    /-> venue .*"twapCancel"/,
    /twaps .*"details"/,
    /twaps .*"r":true/,
    /moves to/,
  ],
  spot_sells: [
    /-> venue .*"a":10\d\d\d,"b":false/,
    /-> venue .*"modify".*"a":10\d\d\d/,
    /spot_sells .*"type":"cancel"/,
    /spot_sells .*"b":true/,
  ],
  breakouts: [
    /breakouts .*"b":true.*"trigger"(.*\n)+.*breakouts .*"b":false.*"trigger"/,
    /waitingForFill/,
    /moves to .*(\n.*)*moves to /,
    /(life 1 dies|flow of -|usdClassTransfer|subAccountTransfer)/,
  ],
  unlike_stops: [
    /unlike_stops .*"tpsl":"sl"(.*\n)+.*unlike_stops .*"tpsl":"sl"/,
    /unlike_stops .*"updateLeverage"/,
    /the market takes/,
  ],
}

test.each(every)('%s: bots do what it says, and the same seed does it again', async (habit) => {
  const texts: string[] = []
  for (const seed of seeds) {
    const plan = focusedPlan(seed, stormMs, [], [habit])
    expect(focusedPlan(seed, stormMs, [], [habit])).toEqual(plan)
    const { trace, failure } = await runSeed(plan, curveFor(plan), { isTraced: true })
    expect(failure).toBe(null)
    texts.push(trace.join('\n'))
  }
  for (const sign of signs[habit]) expect(texts.join('\n')).toMatch(sign)
  const plan = focusedPlan(1, stormMs, [], [habit])
  const again = await runSeed(plan, curveFor(plan), { isTraced: true })
  expect(again.trace.join('\n')).toBe(texts[0])
})

test.each(every)('%s: nothing happens that must not', { timeout: 120_000 }, async (habit) => {
  for (let seed = 5; seed <= 16; seed += 1) {
    const plan = focusedPlan(seed, stormMs, [], [habit])
    const { failure } = await runSeed(plan, curveFor(plan))
    expect(failure, `npm run storm -- --focus ${habit} --seed ${seed} --seconds 8`).toBe(null)
  }
})

test('a row of seeds goes through every habit', () => {
  const row = allHabits.map((_, at) => habitOf(1_000 + at))
  expect(new Set(row)).toEqual(new Set(allHabits))
})

test('habits are named beside faults, and met by them', () => {
  const planFor = plannerOf(`${habitOf(0)},read_lost`, stormMs)
  if (typeof planFor === 'string') throw new Error(planFor)
  const { steps, habits } = planFor(7)
  expect(habits).toEqual([habitOf(0)])
  expect(new Set(steps.map(({ kind }) => kind))).toEqual(new Set(['bot', 'fault', 'habit']))
})
