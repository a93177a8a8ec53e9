import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { childProgram } from '../../src/system/childProgram.fixture.ts'
import type { CoverageCounts } from './coverage.ts'

/** What came of the seeds that one process ran. */
export interface StormShare {
  readonly seeds: number
  readonly replayed: number
  /** A line for each seed that failed: how to run it again, and what happened. */
  readonly failures: readonly string[]
  readonly coverage: CoverageCounts
}

const answerBytesMax = 64 * 1_024 * 1_024

/**
 * Runs the seeds from 1 on in a process for each processor: worlds do not know each other. `focus` is
 * what they are made for, as `--focus` takes it.
 */
export async function stormShares(
  seeds: number,
  stormMs: number,
  focus?: string,
): Promise<readonly StormShare[]> {
  const program = await childProgram(join(import.meta.dirname, 'share.fixture.ts'))
  const processes = Math.min(availableParallelism(), seeds)
  const startOf = (nth: number): number => 1 + Math.floor((seeds * nth) / processes)
  const runShare = async (nth: number): Promise<StormShare> => {
    const range = [startOf(nth), startOf(nth + 1) - 1, stormMs].map(String)
    const args = [...range, ...(focus === undefined ? [] : [focus])]
    const options = { maxBuffer: answerBytesMax }
    const { stdout } = await promisify(execFile)(process.execPath, [program.path, ...args], options)
    return JSON.parse(stdout) as StormShare
  }
  try {
    return await Promise.all(Array.from({ length: processes }, (_, nth) => runShare(nth)))
  } finally {
    program.remove()
  }
}
