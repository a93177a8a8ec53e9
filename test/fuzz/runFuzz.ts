import { Dice } from './dice.ts'

/** One thing that reads what strangers write. */
export interface FuzzTarget {
  readonly name: string
  /** Its part of the inputs of a run. */
  readonly share: number
  readonly seeds: readonly Uint8Array[]
  /** Makes an input out of two known ones. */
  make(dice: Dice, from: Uint8Array, other: Uint8Array): Uint8Array
  /**
   * Reads it, and throws when a law is broken. The text says what became of it: an input with a new
   * outcome is kept and mutated further.
   */
  read(input: Uint8Array): string | Promise<string>
  close?(): Promise<void>
}

export interface FuzzReport {
  readonly target: string
  readonly inputs: number
  readonly outcomes: number
  readonly corpus: number
  readonly slowestMs: number
  readonly seconds: number
  readonly failures: readonly { readonly input: string; readonly problem: string }[]
}

export const slowMs = 50
const corpusMax = 4_000
const failuresMax = 5

/** Gives one target so many inputs; the seed makes it the same run again. */
export async function fuzz(target: FuzzTarget, inputs: number, seed: number): Promise<FuzzReport> {
  const dice = new Dice(seed)
  const corpus = [...target.seeds]
  const outcomes = new Set<string>()
  const failures: { input: string; problem: string }[] = []
  const started = performance.now()
  let slowest = 0
  let done = 0
  for (; done < inputs && failures.length < failuresMax; done += 1) {
    const input =
      done < target.seeds.length
        ? (target.seeds[done] as Uint8Array)
        : target.make(dice, dice.pick(corpus), dice.pick(corpus))
    const before = performance.now()
    try {
      const pending = target.read(input)
      const outcome = typeof pending === 'string' ? pending : await pending
      const took = performance.now() - before
      // The clock on the wall also counts what others did meanwhile; the processor's does not.
      const spent = took > slowMs ? await processorMs(target, input) : took
      slowest = Math.max(slowest, spent)
      if (spent > slowMs) {
        failures.push({ input: shown(input), problem: `took ${spent.toFixed(1)} ms` })
      }
      const shape = shapeOf(outcome)
      if (!outcomes.has(shape)) {
        outcomes.add(shape)
        if (corpus.length < corpusMax) corpus.push(input)
      }
    } catch (error) {
      failures.push({
        input: shown(input),
        problem: error instanceof Error ? (error.stack ?? error.message) : String(error),
      })
    }
  }
  const seconds = (performance.now() - started) / 1_000
  return {
    target: target.name,
    inputs: done,
    outcomes: outcomes.size,
    corpus: corpus.length,
    slowestMs: slowest,
    seconds,
    failures,
  }
}

/** What reading it costs this process, whoever else runs; the second time nothing is compiled. */
async function processorMs(target: FuzzTarget, input: Uint8Array): Promise<number> {
  let best = Infinity
  for (let turn = 0; turn < 3 && best > slowMs; turn += 1) {
    const before = process.cpuUsage()
    await target.read(input)
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1_000)
  }
  return best
}

/** An outcome without its numbers and quotations, so that it stands for its kind. */
function shapeOf(outcome: string): string {
  return outcome
    .replace(/"(?:[^"\\]|\\.)*"?/g, '"')
    .replace(/[0-9]+/g, '0')
    .slice(0, 160)
}

function shown(input: Uint8Array): string {
  const buffer = Buffer.from(input)
  return buffer.length <= 4_000
    ? buffer.toString('base64')
    : `${buffer.subarray(0, 1_000).toString('base64')}... (${buffer.length} bytes)`
}
