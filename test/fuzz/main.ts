import { fuzz } from './runFuzz.ts'
import type { FuzzReport } from './runFuzz.ts'
import { fuzzTargets } from './targets.ts'

export interface FuzzChoices {
  readonly inputs: number
  readonly seed: number
  /** A part of the names of those that are asked; all without it. */
  readonly only?: string
  readonly json?: boolean
}

/** What `npm run fuzz` does; a text when there is nothing of that name. */
export async function fuzzAll({ inputs, seed, only, json }: FuzzChoices): Promise<number | string> {
  const all = await fuzzTargets()
  const chosen = all.filter(({ name }) => name.includes(only ?? ''))
  if (chosen.length === 0) {
    for (const { close } of all) await close?.()
    return `--only must be a part of ${all.map(({ name }) => `"${name}"`).join(', ')}; not "${only ?? ''}"`
  }
  const shares = chosen.reduce((sum, { share }) => sum + share, 0)
  let failures = 0
  let total = 0
  for (const target of chosen) {
    const report = await fuzz(target, Math.ceil((inputs * target.share) / shares), seed)
    failures += report.failures.length
    total += report.inputs
    if (json === true) console.log(JSON.stringify(report))
    else tell(report)
  }
  for (const { close } of all) await close?.()
  console.log(`${total} inputs, seed ${seed}, ${failures} failures`)
  return failures === 0 ? 0 : 1
}

function tell(report: FuzzReport): void {
  const rate = Math.round(report.inputs / report.seconds)
  console.log(
    `${report.target.padEnd(36)} ${String(report.inputs).padStart(9)} inputs  ${String(rate).padStart(7)}/s  ` +
      `${String(report.outcomes).padStart(6)} outcomes  slowest ${report.slowestMs.toFixed(1)} ms  ${report.failures.length} failures`,
  )
  for (const { input, problem } of report.failures) console.log(`  base64 ${input}\n  ${problem}`)
}
