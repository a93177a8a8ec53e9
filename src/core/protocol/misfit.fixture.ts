import fc from 'fast-check'
import type { Json } from './action.ts'
import { account } from './venue.fixture.ts'

/** A value that stands where another one should. */
export const anyScalar: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(null, true, false, 0, -1, 0.5, 2 ** 53, 1e300, '', '0', '-0', '1e5', '1.5'),
  fc.constantFrom<Json>('BTC', account, 'B', 'A', 'order', 'err', 'ok', [], {}, [[]], { oid: 1 }),
  fc.string({ maxLength: 8 }),
)

/** Puts `value` somewhere into a copy of `json`: `steps` chooses the way down. */
export function replaced(json: Json, steps: readonly number[], value: Json): Json {
  const [step, ...rest] = steps
  if (typeof json !== 'object' || json === null || step === undefined) return value
  if (Array.isArray(json)) {
    const list = [...(json as readonly Json[])]
    if (list.length === 0) return [value]
    list[step % list.length] = replaced(list[step % list.length] as Json, rest, value)
    return list
  }
  const keys = Object.keys(json)
  if (keys.length === 0) return value
  const key = keys[step % keys.length] as string
  return { ...json, [key]: replaced((json as { [key: string]: Json })[key] as Json, rest, value) }
}

export const anySteps = fc.array(fc.nat({ max: 20 }), { maxLength: 7 })

/** One of these, with something in it replaced by what does not belong there. */
export function anyMisfit(list: readonly Json[]): fc.Arbitrary<Json> {
  return fc
    .tuple(fc.constantFrom(...list), anySteps, anyScalar)
    .map(([json, steps, value]) => replaced(json, steps, value))
}
