import type { Json, JsonObject } from '../../../src/core/protocol/action.ts'
import { breach } from '../breach.ts'
import type { Attack } from '../attack.ts'
import type { Attacker } from '../attacker.ts'
import { staysWithinRules } from '../fromFlat.ts'
import { priceAt } from '../ground.ts'
import type { Field } from '../ground.ts'
import { fieldsOf, vetoed } from '../held.ts'
import { order, orders, stop } from '../orders.ts'
import { sizeFor } from '../positions.ts'

/** An entry whose own group is wrong. */
function group(
  name: string,
  tries: string,
  make: (attacker: Attacker, field: Field, size: string) => Json,
  ...codes: readonly string[]
): Attack {
  return staysWithinRules('stops', name, tries, async (attacker) => {
    const action = make(attacker, attacker.ground(), sizeFor(attacker, '0.2'))
    return vetoed((await attacker.send(action)).json, ...codes)
  })
}

const entry = (field: Field, size: string): JsonObject =>
  order(field.asset, true, priceAt(field, '0.4'), size)
const guardCloid = `0x6775617201${'ab'.repeat(11)}`

export const entryGroupAttacks: readonly Attack[] = [
  group(
    'stop-on-the-winning-side',
    'an entry whose stop lies above it',
    (_, field, size) =>
      orders(
        [
          entry(field, size),
          stop(field.asset, false, priceAt(field, '3'), priceAt(field, '-9'), size),
        ],
        'normalTpsl',
      ),
    'stop_wrong_side',
  ),
  group(
    'two-stops',
    'an entry with two stops',
    (_, field, size) =>
      orders(
        [
          entry(field, size),
          stop(field.asset, false, priceAt(field, '-1'), priceAt(field, '-12'), size),
          stop(field.asset, false, priceAt(field, '-40'), priceAt(field, '-50'), size),
        ],
        'normalTpsl',
      ),
    'invalid',
  ),
  group(
    'stop-before-entry',
    'a group that begins with its stop',
    (_, field, size) =>
      orders(
        [
          stop(field.asset, false, priceAt(field, '-1'), priceAt(field, '-12'), size),
          entry(field, size),
        ],
        'normalTpsl',
      ),
    'invalid',
  ),
  group(
    'stop-of-another-market',
    'an entry with the stop of another market',
    (_, field, size) =>
      orders(
        [
          entry(field, size),
          stop(field.asset + 1, false, priceAt(field, '-1'), priceAt(field, '-12'), size),
        ],
        'normalTpsl',
      ),
    'invalid',
  ),
  group(
    'stop-that-opens',
    'an entry whose stop is not reduce-only',
    (_, field, size) =>
      orders(
        [
          entry(field, size),
          {
            ...stop(field.asset, false, priceAt(field, '-1'), priceAt(field, '-12'), size),
            r: false,
          },
        ],
        'normalTpsl',
      ),
    'invalid',
    'unsupported_order',
    'flip',
  ),
  group(
    'entry-as-position-stop',
    'an entry in the group of a position’s stops',
    (_, field, size) => orders([entry(field, size)], 'positionTpsl'),
    'invalid',
  ),
  group(
    'trigger-entry',
    'an entry that waits for a trigger',
    (_, field, size) =>
      orders([
        { ...stop(field.asset, true, priceAt(field, '1'), priceAt(field, '5'), size), r: false },
      ]),
    'unsupported_order',
    'invalid',
  ),
  group(
    'guards-own-id',
    'an order that says it is Guard’s',
    (_, field, size) => orders([{ ...entry(field, size), c: guardCloid }]),
    'invalid',
  ),
  group(
    'stop-with-guards-id',
    'an entry whose stop says it is Guard’s',
    (_, field, size) =>
      orders(
        [
          entry(field, size),
          {
            ...stop(field.asset, false, priceAt(field, '-1'), priceAt(field, '-12'), size),
            c: guardCloid,
          },
        ],
        'normalTpsl',
      ),
    'invalid',
  ),
  staysWithinRules('stops', 'priority-fee', 'an order that pays for priority', async (attacker) => {
    const size = sizeFor(attacker, '0.05')
    const action = orders([entry(attacker.ground(), size)], { p: 1_000_000 })
    const { code, verdict } = fieldsOf((await attacker.send(action)).json)
    if (verdict === 'allow') breach('the fee went on as it was sent')
    return `the fee removed [${String(code)}]`
  }),
]
