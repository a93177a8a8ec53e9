import type { Json, JsonObject } from '../../../src/core/protocol/action.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { breach } from '../breach.ts'
import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { staysWithinRules } from '../fromFlat.ts'
import { priceAt } from '../ground.ts'
import type { Field } from '../ground.ts'
import { eventually, vetoed } from '../held.ts'
import { cancel, order, orders, stop } from '../orders.ts'
import { enter, sizeFor, stopsOf } from '../positions.ts'
import type { Held, Stop } from '../positions.ts'

interface Scene {
  readonly attacker: Attacker
  readonly field: Field
  readonly position: Held
  /** The stop that covers the position, Guard's own. */
  readonly stop: Stop
  readonly size: string
}

/** Works on an open long position with Guard's stop; it must stay covered. */
function against(name: string, tries: string, run: (scene: Scene) => Promise<string>): Attack {
  return staysWithinRules('stops', name, tries, async (attacker) => {
    const position = await enter(attacker)
    const [first] = await stopsOf(attacker, position)
    if (first === undefined) return breach('the position has no stop')
    const field = attacker.ground()
    const size = position.size.toString()
    return await run({ attacker, field, position, stop: first, size })
  })
}

const sends = async (
  { attacker }: Scene,
  action: Json,
  ...codes: readonly string[]
): Promise<string> => vetoed((await attacker.send(action)).json, ...codes)

/** The covering stop as an order, changed. */
function moved({ field, stop: { trigger }, size }: Scene, change: JsonObject = {}): JsonObject {
  const limit = priceAt(field, '-15')
  return { ...stop(field.asset, false, trigger.toString(), limit, size), ...change }
}

const modify = (scene: Scene, change: JsonObject): JsonObject => ({
  type: 'modify',
  oid: scene.stop.oid,
  order: moved(scene, change),
})
const at = (price: string, more: JsonObject = {}): JsonObject => ({
  t: { trigger: { isMarket: true, triggerPx: price, tpsl: 'sl', ...more } },
})
const loosened = [
  'stop_loosened',
  'guard_stop',
  'stop_removed',
  'invalid',
  'unknown_order',
] as const

const single: readonly Attack[] = [
  against('cancel', 'cancels the stop', (scene) =>
    sends(scene, cancel(scene.field.asset, scene.stop.oid), 'guard_stop'),
  ),
  against('cancel-by-cloid', 'cancels the stop by the id Guard gave it', (scene) =>
    sends(
      scene,
      {
        type: 'cancelByCloid',
        cancels: [{ asset: scene.field.asset, cloid: scene.stop.cloid ?? `0x${'0'.repeat(32)}` }],
      },
      'guard_stop',
    ),
  ),
  against('cancel-among-others', 'cancels the stop in the middle of many ids', (scene) =>
    sends(scene, cancel(scene.field.asset, 1, 2, scene.stop.oid, 3), 'guard_stop'),
  ),
  against(
    'cancel-on-another-asset',
    'cancels the stop under another market’s id',
    async (scene) => {
      await scene.attacker.send(cancel(scene.field.asset + 1, scene.stop.oid))
      return 'it still stands'
    },
  ),
  against('cancel-twice', 'the stop’s id twice in one cancel', (scene) =>
    sends(scene, cancel(scene.field.asset, scene.stop.oid, scene.stop.oid), 'guard_stop'),
  ),
  against('loosen', 'moves the stop away', (scene) =>
    sends(scene, modify(scene, at(priceAt(scene.field, '-9'))), ...loosened),
  ),
  against('loosen-a-little', 'moves the stop away by the smallest step', (scene) => {
    const price = scene.stop.trigger.times(Decimal.of('0.999'))
    const { field } = scene
    return sends(scene, modify(scene, at(priceAt({ ...field, mid: price }, '0'))), ...loosened)
  }),
  against('shrink', 'makes the stop smaller', (scene) =>
    sends(scene, modify(scene, { s: sizeFor(scene.attacker, '0.05') }), ...loosened),
  ),
  against('swap-for-limit', 'makes the stop a stop-limit', (scene) =>
    sends(
      scene,
      modify(scene, at(scene.stop.trigger.toString(), { isMarket: false })),
      ...loosened,
    ),
  ),
  against('swap-for-take-profit', 'makes the stop a take-profit', (scene) =>
    sends(scene, modify(scene, at(priceAt(scene.field, '9'), { tpsl: 'tp' })), ...loosened),
  ),
  against('swap-for-entry', 'makes the stop an entry', (scene) =>
    sends(
      scene,
      modify(scene, { r: false, t: { limit: { tif: 'Gtc' } }, p: priceAt(scene.field, '5') }),
      ...loosened,
    ),
  ),
  against('swap-side', 'turns the stop’s side', (scene) =>
    sends(scene, modify(scene, { b: true }), ...loosened),
  ),
  against('swap-market', 'gives the stop to another market', (scene) =>
    sends(scene, modify(scene, { a: scene.field.asset + 1 }), ...loosened),
  ),
  against(
    'unfillable',
    'gives the stop a limit at its trigger, so that it does not fill',
    async (scene) => {
      await scene.attacker.send(modify(scene, { p: scene.stop.trigger.toString() }))
      return 'not taken as it was sent'
    },
  ),
  against('modify-by-cloid', 'moves the stop away by the id Guard gave it', (scene) =>
    sends(
      scene,
      {
        type: 'modify',
        oid: scene.stop.cloid ?? 0,
        order: moved(scene, at(priceAt(scene.field, '-9'))),
      },
      ...loosened,
    ),
  ),
  against('batch-loosen', 'moves the stop away in a batch, between two that are made up', (scene) =>
    sends(
      scene,
      {
        type: 'batchModify',
        modifies: [
          { oid: 1, order: moved(scene) },
          { oid: scene.stop.oid, order: moved(scene, at(priceAt(scene.field, '-9'))) },
        ],
      },
      ...loosened,
    ),
  ),
  against('schedule-cancel', 'asks the venue to cancel everything in a minute', (scene) =>
    sends(scene, { type: 'scheduleCancel', time: Date.now() + 60_000 }, 'schedule_cancel'),
  ),
  against(
    'strip-by-loose-stop',
    'places a looser stop of its own and cancels Guard’s',
    async (scene) => {
      const { field, attacker, size } = scene
      await attacker.send(
        orders([stop(field.asset, false, priceAt(field, '-6'), priceAt(field, '-16'), size)]),
      )
      return await sends(scene, cancel(field.asset, scene.stop.oid), 'guard_stop')
    },
  ),
]

/** Two stops of the bot's own, tighter than Guard's, so that Guard takes its own away. */
async function ownStops(scene: Scene): Promise<readonly number[]> {
  const { field, attacker, position, size } = scene
  const own = (trigger: string): JsonObject =>
    stop(field.asset, false, priceAt(field, trigger), priceAt(field, '-12'), size)
  await attacker.send(orders([own('-1')]))
  await attacker.send(orders([own('-1.2')]))
  let found: readonly Stop[] = []
  await eventually(async () => {
    found = (await stopsOf(attacker, position)).filter(
      ({ cloid }) => cloid?.startsWith('0x6775617201') !== true,
    )
    return found.length === 2
  }, attacker.patienceMs)
  return found.map(({ oid }) => oid)
}

const own: readonly Attack[] = [
  against(
    'cancel-own-last',
    'cancels both of its own stops, one after the other',
    async (scene) => {
      const answers = []
      for (const oid of await ownStops(scene))
        answers.push((await scene.attacker.send(cancel(scene.field.asset, oid))).json)
      return `${answers.length} cancels`
    },
  ),
  against('cancel-own-together', 'cancels every stop there is in one action', async (scene) => {
    await ownStops(scene)
    const all = (await stopsOf(scene.attacker, scene.position)).map(({ oid }) => oid)
    return await sends(scene, cancel(scene.field.asset, ...all), 'stop_removed', 'guard_stop')
  }),
  against(
    'cancel-race',
    'cancels each stop by a request of its own, all at once: each alone would leave one',
    async (scene) => {
      await ownStops(scene)
      const all = (await stopsOf(scene.attacker, scene.position)).map(({ oid }) => oid)
      await Promise.all(all.map((oid) => scene.attacker.send(cancel(scene.field.asset, oid))))
      return 'one was kept'
    },
  ),
  against(
    'cancel-and-modify-race',
    'cancels one stop and loosens the other at once',
    async (scene) => {
      const [first = 0, second = 0] = await ownStops(scene)
      const { attacker, field } = scene
      await Promise.all([
        attacker.send(cancel(field.asset, first)),
        attacker.send({
          type: 'modify',
          oid: second,
          order: moved(scene, at(priceAt(field, '-9'))),
        }),
        attacker.send({
          type: 'batchModify',
          modifies: [{ oid: second, order: moved(scene, { s: sizeFor(attacker, '0.05') }) }],
        }),
      ])
      return 'one was kept'
    },
  ),
  against('cancel-while-entering', 'cancels the stop and enters again at once', async (scene) => {
    const { attacker, field, stop: own } = scene
    await Promise.all([
      attacker.send(cancel(field.asset, own.oid)),
      attacker.send(
        orders([order(field.asset, true, priceAt(field, '0.4'), sizeFor(attacker, '0.2'))]),
      ),
      attacker.overSocket(attacker.sign(cancel(field.asset, own.oid))),
    ])
    return 'it still stands'
  }),
]

export const stopAttacks: readonly Attack[] = [...single, ...own]
