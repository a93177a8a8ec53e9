import { parseArgs } from 'node:util'
import { fuzz } from './runFuzz.ts'
import { fuzzTargets } from './targets.ts'

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const inputs = Number(values.inputs)
const seed = Number(values.seed)
if (!Number.isSafeInteger(inputs) || inputs < 1 || !Number.isSafeInteger(seed)) {
  console.error('--inputs and --seed must be whole numbers, the first above zero')
  process.exit(2)
}
const all = await fuzzTargets()
const chosen = all.filter(({ name }) => values.only === undefined || name.includes(values.only))
const shares = chosen.reduce((sum, { share }) => sum + share, 0)
let failures = 0
let total = 0
for (const target of chosen) {
  const report = await fuzz(target, Math.ceil((inputs * target.share) / shares), seed)
  failures += report.failures.length
  total += report.inputs
  if (values.json) console.log(JSON.stringify(report))
  else {
    const rate = Math.round(report.inputs / report.seconds)
    console.log(
      `${report.target.padEnd(36)} ${String(report.inputs).padStart(9)} inputs  ${String(rate).padStart(7)}/s  ` +
        `${String(report.outcomes).padStart(6)} outcomes  slowest ${report.slowestMs.toFixed(1)} ms  ${report.failures.length} failures`,
    )
    for (const { input, problem } of report.failures) console.log(`  base64 ${input}\n  ${problem}`)
  }
}
for (const { close } of all) await close?.()
console.log(`${total} inputs, seed ${seed}, ${failures} failures`)
process.exit(failures === 0 ? 0 : 1)
