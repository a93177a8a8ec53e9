import type { Json, JsonObject } from '../../../src/core/protocol/action.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { breach } from '../breach.ts'
import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { staysWithinRules } from '../fromFlat.ts'
import { priceAt } from '../ground.ts'
import { eventually, fieldsOf, vetoed } from '../held.ts'
import { cancel, gtc, order, orders, stop } from '../orders.ts'
import { enter, sizeFor, stopsOf } from '../positions.ts'
import type { Held } from '../positions.ts'

/** Taking a stop away in several steps, or by the ids that orders bear. */

function inSteps(
  name: string,
  tries: string,
  run: (attacker: Attacker, position: Held) => Promise<string>,
): Attack {
  return staysWithinRules('stops', name, tries, async (attacker) =>
    run(attacker, await enter(attacker)),
  )
}

const own = (n: number): string => `0x${String(n).padStart(32, '0')}`
let lastOwn = Date.now()
const freshId = (): string => own((lastOwn += 1))

/** The bot's own stop so many percent from the price, for the whole position. */
function ownStop(attacker: Attacker, position: Held, percent: string, cloid: string): JsonObject {
  const field = attacker.ground()
  const trigger = priceAt(field, percent)
  return stop(field.asset, false, trigger, priceAt(field, '-15'), position.size.toString(), {
    c: cloid,
  })
}

async function oidOf(attacker: Attacker, position: Held, cloid: string): Promise<number> {
  let oid = 0
  await eventually(async () => {
    oid = (await stopsOf(attacker, position)).find((each) => each.cloid === cloid)?.oid ?? 0
    return oid !== 0
  }, attacker.patienceMs)
  return oid === 0 ? breach('the stop was not placed') : oid
}

/** A tight stop of the bot's own; Guard takes its wider one away when it rests. */
async function tightened(
  attacker: Attacker,
  position: Held,
): Promise<{ oid: number; cloid: string }> {
  const cloid = freshId()
  await attacker.send(orders([ownStop(attacker, position, '-1', cloid)]))
  return { oid: await oidOf(attacker, position, cloid), cloid }
}

const refusedAs = ['stop_loosened', 'stop_removed', 'guard_stop', 'invalid'] as const
const sends = async (attacker: Attacker, action: Json): Promise<string> =>
  vetoed((await attacker.send(action)).json, ...refusedAs)

export const stopStepAttacks: readonly Attack[] = [
  inSteps(
    'tighten-then-loosen',
    'a tight stop of its own, then moves it away',
    async (attacker, position) => {
      const { oid, cloid } = await tightened(attacker, position)
      const order = ownStop(attacker, position, '-8', cloid)
      return await sends(attacker, { type: 'modify', oid, order })
    },
  ),
  inSteps(
    'tighten-then-shrink',
    'a tight stop of its own, then makes it a tenth',
    async (attacker, position) => {
      const { oid, cloid } = await tightened(attacker, position)
      const order = { ...ownStop(attacker, position, '-1', cloid), s: sizeFor(attacker, '0.02') }
      return await sends(attacker, { type: 'batchModify', modifies: [{ oid, order }] })
    },
  ),
  inSteps(
    'tighten-then-cancel-by-cloid',
    'a tight stop of its own, then cancels it by its id in capitals',
    async (attacker, position) => {
      const { cloid } = await tightened(attacker, position)
      const { asset } = attacker.ground()
      const answer = await attacker.send({
        type: 'cancelByCloid',
        cancels: [{ asset, cloid: cloid.toUpperCase().replace('X', 'x') }],
      })
      return vetoed(answer.json, ...refusedAs, 'malformed')
    },
  ),
  inSteps(
    'loose-then-cancel-tight',
    'a second, looser stop, then cancels the tight one',
    async (attacker, position) => {
      const { oid } = await tightened(attacker, position)
      await attacker.send(orders([ownStop(attacker, position, '-9', freshId())]))
      return await sends(attacker, cancel(attacker.ground().asset, oid))
    },
  ),
  inSteps(
    'swap-two-in-a-batch',
    'one batch that makes one stop tighter and the other one loose',
    async (attacker, position) => {
      const first = await tightened(attacker, position)
      const cloid = freshId()
      await attacker.send(orders([ownStop(attacker, position, '-1.5', cloid)]))
      const oid = await oidOf(attacker, position, cloid)
      const modifies = [
        {
          oid: first.oid,
          order: {
            ...ownStop(attacker, position, '-0.9', first.cloid),
            s: sizeFor(attacker, '0.01'),
          },
        },
        { oid, order: ownStop(attacker, position, '-9', cloid) },
      ]
      return await sends(attacker, { type: 'batchModify', modifies })
    },
  ),
  inSteps(
    'salami',
    'moves its stop away by a tenth of a percent, twenty times',
    async (attacker, position) => {
      const { oid, cloid } = await tightened(attacker, position)
      const codes = new Set<string>()
      for (let step = 1; step <= 20; step += 1) {
        const percent = Decimal.of('-1')
          .minus(Decimal.of('0.1').times(Decimal.whole(step)))
          .toString()
        codes.add(
          await sends(attacker, {
            type: 'modify',
            oid,
            order: ownStop(attacker, position, percent, cloid),
          }),
        )
      }
      return [...codes].join(', ')
    },
  ),
  inSteps(
    'one-id-for-stop-and-exit',
    'an exit with the id of its stop, then cancels by that id',
    async (attacker, position) => {
      const { cloid } = await tightened(attacker, position)
      const field = attacker.ground()
      const exit = order(field.asset, false, priceAt(field, '5'), position.size.toString(), {
        r: true,
        t: gtc,
        c: cloid,
      })
      await attacker.send(orders([exit]))
      const { json } = await attacker.send({
        type: 'cancelByCloid',
        cancels: [{ asset: field.asset, cloid }],
      })
      return String(fieldsOf(json)['code'] ?? 'answered by the venue')
    },
  ),
  inSteps(
    'stop-as-parents-child',
    'its stop again in a group whose entry never fills, then cancels the first',
    async (attacker, position) => {
      const { oid } = await tightened(attacker, position)
      const field = attacker.ground()
      const entry = order(field.asset, true, priceAt(field, '-3'), sizeFor(attacker, '0.05'), {
        t: gtc,
      })
      const child = ownStop(attacker, position, '-4', freshId())
      await attacker.send(orders([entry, child], 'normalTpsl'))
      return await sends(attacker, cancel(field.asset, oid))
    },
  ),
  inSteps(
    'guards-stop-by-made-up-ids',
    "cancels Guard's stop among ids that it makes up around it",
    async (attacker, position) => {
      const [found] = await stopsOf(attacker, position)
      if (found === undefined) return breach('the position has no stop')
      const { asset } = attacker.ground()
      const oids = [-2, -1, 0, 1, 2].map((more) => found.oid + more)
      return await sends(attacker, cancel(asset, ...oids))
    },
  ),
  inSteps(
    'guards-id-for-an-exit',
    "an exit that bears the id of Guard's stop",
    async (attacker, position) => {
      const [found] = await stopsOf(attacker, position)
      const field = attacker.ground()
      const exit = order(field.asset, false, priceAt(field, '5'), position.size.toString(), {
        r: true,
        t: gtc,
        c: found?.cloid ?? own(1),
      })
      return vetoed((await attacker.send(orders([exit]))).json, 'invalid')
    },
  ),
]
