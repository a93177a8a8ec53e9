import type { Crypto } from '../../src/core/protocol/crypto.ts'
import type { Plan } from './plan.ts'
import type { Step } from './step.ts'
import { runSeed } from './runSeed.ts'
import type { SeedResult } from './runSeed.ts'

/** Takes steps away for as long as the same rule is still broken. */
export async function shrink(
  plan: Plan,
  crypto: Crypto,
): Promise<{ readonly plan: Plan; readonly result: SeedResult }> {
  let best = { plan, result: await runSeed(plan, crypto) }
  const rule = best.result.failure?.rule
  if (rule === undefined) return best
  const fails = async (steps: readonly Step[]): Promise<boolean> => {
    const smaller = { ...plan, steps }
    const result = await runSeed(smaller, crypto)
    if (result.failure?.rule !== rule) return false
    best = { plan: smaller, result }
    return true
  }
  for (let size = plan.steps.length >> 1; size >= 1; size >>= 1) {
    for (let from = 0; from < best.plan.steps.length;) {
      const { steps } = best.plan
      const left = [...steps.slice(0, from), ...steps.slice(from + size)]
      if (!(await fails(left))) from += size
    }
  }
  return best
}
