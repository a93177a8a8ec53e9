import type { Json } from '../../src/core/protocol/action.ts'
import { millis } from '../../src/core/values/millis.ts'
import type { Coin } from '../../src/core/values/coin.ts'
import type { Decimal } from '../../src/core/values/decimal.ts'
import { err, ok } from '../../src/core/values/result.ts'
import type { Result } from '../../src/core/values/result.ts'
import {
  ControlProblem,
  onlyFields,
  readCoinName,
  readCount,
  readDecimal,
  readFields,
  readList,
  readOptionalDecimal,
} from './front/control/problems.ts'
import { readReset, resetFields } from './front/control/readReset.ts'
import type { ResetSpec } from './front/control/readReset.ts'

/** A price at a time after the start. */
export interface PriceMove {
  readonly atMs: number
  readonly coin: Coin
  readonly mid: Decimal
  readonly mark: Decimal | null
  readonly oracle: Decimal | null
}

/** A price path from a file: a world whose prices move by these steps and by nothing else. */
export interface ScenarioFile {
  readonly world: ResetSpec
  /** By time. */
  readonly moves: readonly PriceMove[]
}

/** Reads `{"markets"?, "accounts"?, "seed"?, "moves": [{"at_ms","coin","mid","mark"?,"oracle"?}]}`. */
export function parseScenarioFile(text: string): Result<ScenarioFile> {
  try {
    const fields = readFields(JSON.parse(text) as Json, 'scenario')
    onlyFields(fields, 'scenario', ['moves', ...resetFields])
    const { moves, ...rest } = fields
    const read = readList(moves, 'moves').map(readMove)
    const world: ResetSpec = { ...readReset(rest), frozen: true }
    return ok({ world, moves: read.toSorted((first, second) => first.atMs - second.atMs) })
  } catch (error) {
    if (error instanceof ControlProblem || error instanceof SyntaxError) return err(error.message)
    throw error
  }
}

function readMove(json: Json, at: number): PriceMove {
  const path = `moves[${String(at)}]`
  const fields = readFields(json, path)
  onlyFields(fields, path, ['at_ms', 'coin', 'mid', 'mark', 'oracle'])
  return {
    atMs: millis(readCount(fields['at_ms'], `${path}.at_ms`)),
    coin: readCoinName(fields['coin'], `${path}.coin`),
    mid: readDecimal(fields['mid'], `${path}.mid`),
    mark: readOptionalDecimal(fields['mark'], `${path}.mark`),
    oracle: readOptionalDecimal(fields['oracle'], `${path}.oracle`),
  }
}
