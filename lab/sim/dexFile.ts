import type { Json } from '../../src/core/protocol/action.ts'
import { err, ok } from '../../src/core/values/result.ts'
import type { Result } from '../../src/core/values/result.ts'
import type { DexSpec } from './engine/venueConfig.ts'
import { ControlProblem } from './front/control/problems.ts'
import { readDexes } from './front/control/readDex.ts'

/** Reads the JSON of builder dexes: a list as `/sim/reset` takes it. */
export function parseDexes(text: string): Result<readonly DexSpec[]> {
  try {
    return ok(readDexes(JSON.parse(text) as Json, 'dexes'))
  } catch (error) {
    if (error instanceof ControlProblem || error instanceof SyntaxError) return err(error.message)
    throw error
  }
}
