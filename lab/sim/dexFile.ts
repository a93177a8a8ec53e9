import type { Json } from '../../src/core/protocol/action.ts'
import { err, ok } from '../../src/core/values/result.ts'
import type { Result } from '../../src/core/values/result.ts'
import type { DexSpec } from './engine/venueConfig.ts'
import { isObject } from './front/exchange/schema.ts'
import { ControlProblem, onlyFields } from './front/control/problems.ts'
import { readDexes } from './front/control/readDex.ts'

/** Reads the JSON of builder dexes: a list as `/sim/reset` takes it, or an object with such `dexes`. */
export function parseDexes(text: string): Result<readonly DexSpec[]> {
  try {
    const json = JSON.parse(text) as Json
    if (!isObject(json)) return ok(readDexes(json, 'dexes'))
    onlyFields(json, 'the file', ['dexes'])
    return ok(readDexes(json['dexes'] ?? json, 'dexes'))
  } catch (error) {
    if (error instanceof ControlProblem || error instanceof SyntaxError) return err(error.message)
    throw error
  }
}
