import { constants, setPriority } from 'node:os'
import { Coverage } from './coverage.ts'
import { plannerOf } from './main.ts'
import { runSeed } from './runSeed.ts'
import type { StormShare } from './shares.fixture.ts'
import { curveFor } from './storm.fixture.ts'

/** A process that runs a row of seeds, and says at the end what came of them. */
const [first = 0, last = 0, stormMs = 0] = process.argv.slice(2, 5).map(Number)
const [, , , , , focus] = process.argv
const planFor = plannerOf(focus, stormMs)
if (typeof planFor === 'string') throw new TypeError(planFor)
// Worlds have a time of their own: what runs beside them by the real clock goes first.
setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
const coverage = new Coverage()
const failures: string[] = []
let replayed = 0
let seeds = 0
for (let seed = first; seed <= last; seed += 1) {
  const plan = planFor(seed)
  const result = await runSeed(plan, curveFor(plan))
  coverage.add(result.coverage)
  replayed += result.replayed
  seeds += 1
  if (result.failure !== null) {
    const made = focus === undefined ? '' : `--focus ${focus} `
    const again = `npm run storm -- ${made}--seed ${seed} --seconds ${stormMs / 1_000}`
    failures.push(`${again}: ${result.failure.message}`)
  }
}
const share: StormShare = { seeds, replayed, failures, coverage: coverage.toJSON() }
process.stdout.write(JSON.stringify(share))
