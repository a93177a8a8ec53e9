import { execFileSync } from 'node:child_process'
import type { Crypto } from '../../src/core/protocol/crypto.ts'
import { loadCrypto } from '../../src/crypto/loadCrypto.ts'
import { accountsPlan } from './accounts/accountsPlan.ts'
import { weekPlan } from './agent/weekPlan.ts'
import { cheapCrypto } from './cheapCurve.ts'
import { Coverage } from './coverage.ts'
import { allFaults } from './faultKinds.ts'
import { dexPlan } from './dexes/dexPlan.ts'
import { focusedPlan, focusOf, habitOf, pairOf, tripleOf } from './focus.ts'
import { accountHabits, allHabits, dexHabits } from './habitKinds.ts'
import { planOf } from './plan.ts'
import type { Plan } from './plan.ts'
import type { Step } from './step.ts'
import { runSeed } from './runSeed.ts'
import type { SeedResult } from './runSeed.ts'
import { shrink } from './shrink.ts'
import { user } from './keys.ts'
import { equityOf } from './wholeAccount.ts'
import type { World } from './world.ts'

const traceLines = 40
/** A few seeds meet little: the rest of what they leave out is only counted. */
const namedMax = 26

/** Which worlds to run, and what to tell of them. */
export interface StormChoices {
  readonly first: number
  readonly count: number
  /** A world that fails is told with as few steps as still fail. */
  readonly isShrunk: boolean
  readonly isTraced: boolean
  /** Also after a world that failed. */
  readonly keepsGoing: boolean
}

/** How many worlds pass between two lines that say how far it has come. */
const tellEvery = 1_000

/** What `npm run storm` does; answers its exit code. */
export async function storm(
  planFor: (seed: number) => Plan,
  { first, count, isShrunk, isTraced, keepsGoing }: StormChoices,
): Promise<number> {
  const real = await loadCrypto()
  const cheap = cheapCrypto(real.keccak256)
  const total = new Totals()
  const before = process.cpuUsage()
  for (let seed = first; seed < first + count; seed += 1) {
    const plan = planFor(seed)
    const crypto = plan.hasRealCurve ? real : cheap
    const result = await runSeed(plan, crypto, { isTraced, rested: tellRest })
    total.add(result)
    if (isTraced) console.log(result.trace.join('\n'))
    if (total.seeds % tellEvery === 0) console.log(`${total.seeds} worlds so far`)
    if (result.failure === null) continue
    await tell(plan, result, crypto, isShrunk)
    if (!keepsGoing) return 1
  }
  console.log(total.coverage.table())
  const missing = total.coverage.missing(allFaults)
  const named = missing.slice(0, namedMax).map(({ fault, column }) => `${fault} x ${column}`)
  const more = missing.length > namedMax ? ` and ${missing.length - namedMax} more` : ''
  console.log(`not met: ${named.join(', ')}${more}`)
  const { user, system } = process.cpuUsage(before)
  console.log(total.line((user + system) / 1e6))
  return total.failed === 0 ? 0 : 1
}

const dayMs = 86_400_000

/** A line in the middle of a world that lasts for days. */
function tellRest(world: World): void {
  const { time, lives, oracle, sim } = world
  const { user: mine, system } = process.cpuUsage()
  const cpu = ((mine + system) / 1e6).toFixed(0)
  const equity = equityOf(sim.venue, user).rounded(2, 'down').toString()
  console.log(
    `day ${(time.elapsed / dayMs).toFixed(2)}: ${world.state()}, ${lives} lives, ${oracle.decisionCount} decisions, ` +
      `${oracle.lastSeq} records, ${equity} USD, ${oracle.codes.size} reason codes, ${cpu} s`,
  )
}

/**
 * Worlds of everything, or made for some faults and habits, for each fault, each pair or each habit in
 * turn, for three faults that the seed draws, with builder dexes, of every account and kind of order, or for
 * an agent that trades for days; a text when there is no such fault or habit.
 */
export function plannerOf(
  focus: string | undefined,
  stormMs: number,
): ((seed: number) => Plan) | string {
  if (focus === undefined) return (seed) => planOf(seed, stormMs)
  if (focus === 'each') return (seed) => focusedPlan(seed, stormMs, [focusOf(seed)])
  if (focus === 'pairs') return (seed) => focusedPlan(seed, stormMs, pairOf(seed))
  if (focus === 'triples') return (seed) => focusedPlan(seed, stormMs, tripleOf(seed))
  if (focus === 'habits') return (seed) => focusedPlan(seed, stormMs, [], [habitOf(seed)])
  if (focus === 'dexes') return (seed) => dexPlan(seed, stormMs)
  if (focus === 'accounts') return (seed) => accountsPlan(seed, stormMs)
  if (focus === 'agent') return (seed) => weekPlan(seed, stormMs)
  const names = focus.split(',')
  const habitual = [...allHabits, ...accountHabits, ...dexHabits]
  const known: readonly string[] = [...allFaults, ...habitual]
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    const lists = `"each", "pairs", "triples", "habits", "dexes", "accounts", "agent"`
    return `--focus takes ${lists} or some of ${known.join(', ')}; not "${unknown}"`
  }
  const faults = allFaults.filter((fault) => names.includes(fault))
  const habits = habitual.filter((habit) => names.includes(habit))
  return (seed) => focusedPlan(seed, stormMs, faults, habits)
}

class Totals {
  readonly coverage = new Coverage()
  readonly rules = new Map<string, number>()
  readonly codes = new Set<string>()
  failed = 0
  seeds = 0
  steps = 0
  requests = 0
  lives = 0
  replayed = 0

  add(result: SeedResult): void {
    this.coverage.add(result.coverage)
    for (const code of result.codes) this.codes.add(code)
    this.seeds += 1
    this.steps += result.steps
    this.requests += result.requests
    this.lives += result.lives
    this.replayed += result.replayed
    if (result.failure === null) return
    this.failed += 1
    this.rules.set(result.failure.rule, (this.rules.get(result.failure.rule) ?? 0) + 1)
  }

  line(seconds: number): string {
    const failed = [...this.rules].map(([rule, count]) => `${rule} ${count}`).join(', ')
    return (
      `${this.seeds} seeds in ${seconds.toFixed(1)} s of processor time: ${this.failed} failed` +
      `${failed === '' ? '' : ` (${failed})`}; ${this.steps} steps, ${this.requests} requests, ` +
      `${this.lives} lives, ${this.replayed} decisions replayed, ` +
      `${this.coverage.faults().size} kinds of fault, ${this.codes.size} reason codes`
    )
  }
}

async function tell(
  plan: Plan,
  result: SeedResult,
  crypto: Crypto,
  isShrunk: boolean,
): Promise<void> {
  const shown = isShrunk ? await shrink(plan, crypto) : { plan, result }
  const { failure, atMs, trace } = await runSeed(shown.plan, crypto, { isTraced: true })
  console.log(`seed ${plan.seed} failed at commit ${commit()}, ${atMs} ms into its world`)
  console.log(`  ${failure?.message ?? ''}`)
  if (isShrunk) {
    console.log(`  ${plan.steps.length} steps shrank to ${shown.plan.steps.length}:`)
    for (const step of shown.plan.steps) {
      console.log(`    ${step.at} ${nameOf(step)}`)
    }
  }
  for (const line of trace.slice(-traceLines)) console.log(`  ${line}`)
}

function nameOf(step: Step): string {
  if (step.kind === 'bot') return step.bot
  return step.kind === 'fault' ? step.fault : step.habit
}

function commit(): string {
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim()
  } catch {
    return 'unknown'
  }
}
