import type { Json, JsonObject } from '../../../src/core/protocol/action.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { NotHere, breach } from '../breach.ts'
import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { staysWithinRules } from '../fromFlat.ts'
import { priceAt } from '../ground.ts'
import { eventually, vetoed } from '../held.ts'
import { cancel, gtc, order, orders, stop } from '../orders.ts'
import { enter, flat, held, sizeFor, stopsOf, withinRules } from '../positions.ts'
import type { Held } from '../positions.ts'

/** Attacks on what rests: entries, their stops that wait, and the room beside a stop. */

const bid = (attacker: Attacker, share: string, percent: string, more: JsonObject = {}) => {
  const field = attacker.ground()
  return order(field.asset, true, priceAt(field, percent), sizeFor(attacker, share), {
    t: gtc,
    ...more,
  })
}

interface Resting {
  readonly oid: number
  readonly children: readonly number[]
}

/** An entry that rests a little below the price with the stop that waits for it. */
async function restingEntry(attacker: Attacker): Promise<Resting> {
  const answer = await attacker.send(orders([bid(attacker, '0.1', '-1')]))
  const found: Resting[] = []
  await eventually(async () => {
    const open = await attacker.venueOrders()
    const entry = open.find((each) => each['isTrigger'] !== true)
    const { open_orders } = await attacker.status()
    if (entry === undefined || open_orders === 0) return false
    const children = Array.isArray(entry['children']) ? entry['children'] : []
    const waiting = (children as readonly JsonObject[]).map(({ oid }) => Number(oid))
    found.push({ oid: Number(entry['oid']), children: waiting })
    return true
  }, attacker.patienceMs)
  const [resting] = found
  if (resting === undefined) throw new NotHere(`no entry rests: ${answer.text.slice(0, 100)}`)
  return resting
}

/** The stop of an entry that rests must stay its stop. */
function onChild(
  name: string,
  tries: string,
  action: (attacker: Attacker, child: number) => Json,
): Attack {
  return staysWithinRules('stops', name, tries, async (attacker) => {
    const { children } = await restingEntry(attacker)
    const [child] = children
    if (child === undefined) return breach('the entry rests without a stop')
    const refusals = ['stop_removed', 'stop_loosened', 'guard_stop', 'unknown_order', 'invalid']
    return vetoed((await attacker.send(action(attacker, child))).json, ...refusals)
  })
}

const loose = (attacker: Attacker): JsonObject => {
  const field = attacker.ground()
  const size = sizeFor(attacker, '0.1')
  return stop(field.asset, false, priceAt(field, '-12'), priceAt(field, '-22'), size)
}

const children: readonly Attack[] = [
  onChild('cancel-waiting-stop', 'cancels the stop of an entry that still rests', (attacker, oid) =>
    cancel(attacker.ground().asset, oid),
  ),
  onChild(
    'loosen-waiting-stop',
    'moves the stop of an entry that still rests away',
    (attacker, oid) => ({ type: 'modify', oid, order: loose(attacker) }),
  ),
  onChild('loosen-waiting-stop-in-batch', 'the same in a batch, twice', (attacker, oid) => ({
    type: 'batchModify',
    modifies: [
      { oid, order: loose(attacker) },
      { oid, order: loose(attacker) },
    ],
  })),
]

const moves: readonly Attack[] = [
  staysWithinRules(
    'sizing',
    'moved-twice-in-one',
    'one resting entry moved twice in one batch, each time to all that may be',
    async (attacker) => {
      const { oid } = await restingEntry(attacker)
      const moved = { oid, order: bid(attacker, '11', '0.4') }
      await attacker.send({ type: 'batchModify', modifies: [moved, moved] })
      return 'not twice'
    },
  ),
  staysWithinRules(
    'sizing',
    'moved-by-a-race',
    'one resting entry moved by thirty requests at once, and cancelled by ten',
    async (attacker) => {
      const { oid } = await restingEntry(attacker)
      const { asset } = attacker.ground()
      await Promise.all(
        Array.from({ length: 40 }, (_, at) =>
          attacker.send(
            at % 4 === 3
              ? cancel(asset, oid)
              : { type: 'modify', oid, order: bid(attacker, '2', at % 2 === 0 ? '0.4' : '-0.2') },
          ),
        ),
      )
      return 'moved once at most'
    },
  ),
  staysWithinRules(
    'sizing',
    'cancel-and-enter-race',
    'frees room by cancels and takes it by entries, all at once',
    async (attacker) => {
      const { asset } = attacker.ground()
      for (let round = 0; round < 3; round += 1) {
        const resting = (await attacker.venueOrders())
          .filter((each) => each['reduceOnly'] !== true)
          .map((each) => Number(each['oid']))
        await Promise.all([
          ...resting.map((oid) => attacker.send(cancel(asset, oid))),
          ...Array.from({ length: 12 }, (_, at) =>
            attacker.send(orders([bid(attacker, '1', at % 2 === 0 ? '-0.1' : '0.4')])),
          ),
        ])
      }
      return 'never beyond'
    },
  ),
  staysWithinRules(
    'sizing',
    'exit-into-entry',
    'an exit that rests, changed into an entry of eleven times the account',
    async (attacker) => {
      const position = await enter(attacker)
      const field = attacker.ground()
      const exit = order(field.asset, false, priceAt(field, '4'), position.size.toString(), {
        r: true,
        t: gtc,
      })
      await attacker.send(orders([exit]))
      const resting = (await attacker.venueOrders()).find(
        (each) => each['reduceOnly'] === true && each['isTrigger'] !== true,
      )
      if (resting === undefined) throw new NotHere('the exit does not rest')
      const turned = order(field.asset, false, priceAt(field, '-0.4'), sizeFor(attacker, '11'))
      const oid = Number(resting['oid'])
      const action = { type: 'modify', oid, order: turned }
      return vetoed((await attacker.send(action)).json, 'invalid', 'flip', 'unknown_order')
    },
  ),
  staysWithinRules(
    'stops',
    'entry-takes-guards-id',
    'gives a resting entry an id that begins like Guard’s',
    async (attacker) => {
      const { oid } = await restingEntry(attacker)
      const order = bid(attacker, '0.1', '-1', { c: `0x6775617201${'ab'.repeat(11)}` })
      return vetoed((await attacker.send({ type: 'modify', oid, order })).json, 'invalid')
    },
  ),
]

const exitOf = (attacker: Attacker, { size }: Held): JsonObject =>
  order(attacker.ground().asset, false, priceAt(attacker.ground(), '-4'), size.toString(), {
    r: true,
  })

const room: readonly Attack[] = [
  staysWithinRules(
    'stops',
    'crowd-out',
    'so many reduce-only orders beside the stop that the venue would give the stop up',
    async (attacker) => {
      const position = await enter(attacker)
      const field = attacker.ground()
      await Promise.all(
        Array.from({ length: 20 }, (_, at) =>
          attacker.send(
            orders([
              order(field.asset, false, priceAt(field, String(3 + at)), position.size.toString(), {
                r: true,
                t: gtc,
              }),
            ]),
          ),
        ),
      )
      return `${(await stopsOf(attacker, position)).length} stops beside them`
    },
  ),
  staysWithinRules(
    'stops',
    'position-stop-far-away',
    'a stop for the whole position far away, and a cancel of Guard’s',
    async (attacker) => {
      const position = await enter(attacker)
      const field = attacker.ground()
      const [own] = await stopsOf(attacker, position)
      const far = stop(field.asset, false, priceAt(field, '-40'), priceAt(field, '-50'), '0')
      await attacker.send(orders([far], 'positionTpsl'))
      const how = vetoed(
        (await attacker.send(cancel(field.asset, own?.oid ?? 0))).json,
        'guard_stop',
      )
      // The loss is bounded by the tightest of them: that one must not be given up for the other.
      const isKept = async (): Promise<boolean> =>
        (await stopsOf(attacker, position)).some(
          ({ trigger, size, isMarket }) =>
            isMarket && size.gte(position.size) && trigger.gte(own?.trigger ?? Decimal.zero),
        )
      if (await eventually(async () => !(await isKept()), attacker.patienceMs / 2)) {
        breach('a stop far away took the place of the tight one')
      }
      await attacker.send(orders([exitOf(attacker, position)]))
      return how
    },
  ),
  staysWithinRules(
    'stops',
    'close-and-enter-race',
    'closes the position and enters again at once: no moment may leave it bare for good',
    async (attacker) => {
      for (let round = 0; round < 3; round += 1) {
        const position = await enter(attacker)
        const out = exitOf(attacker, position)
        await Promise.all([
          attacker.send(orders([out])),
          attacker.send(orders([bid(attacker, '0.3', '0.4')])),
          attacker.overSocket(attacker.sign(orders([out]))),
        ])
        await withinRules(attacker)
        await flat(attacker)
      }
      return 'three times'
    },
  ),
  staysWithinRules(
    'sizing',
    'more-than-may-rest',
    'two hundred and thirty of the smallest orders: no more rest than may',
    async (attacker) => {
      const field = attacker.ground()
      const small = Decimal.of('12').over(field.mid, field.sizeDecimals, 'up').toString()
      const one = order(field.asset, true, priceAt(field, '-3'), small, { t: gtc })
      for (let round = 0; round < 23; round += 1) {
        await attacker.send(orders(Array.from({ length: 10 }, () => one)))
      }
      const entries = (await attacker.venueOrders()).filter((each) => each['reduceOnly'] !== true)
      if (entries.length > 200) breach(`${entries.length} entries rest`)
      if ((await held(attacker)).length > 0) breach('they were filled')
      return 'no more than may'
    },
  ),
]

export const restingOrderAttacks: readonly Attack[] = [...children, ...moves, ...room]
