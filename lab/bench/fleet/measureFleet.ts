import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CliError } from '../../../src/cli/cliError.ts'
import type { Json } from '../../../src/core/protocol/action.ts'
import type { StatusView } from '../../../src/engine/statusView.ts'
import type { FleetAdmin } from '../../../src/fleet/fleetProgram.ts'
import { startStore } from '../../demo/startStore.ts'
import { createBot } from '../bot.ts'
import type { Counts } from '../counts.ts'
import { takeRounds } from '../latency.ts'
import { openWay } from '../latencyWays.ts'
import type { Closers, Way } from '../latencyWays.ts'
import { spreadOf } from '../quantiles.ts'
import type { Spread } from '../quantiles.ts'
import { bar, ms, times, whole } from '../report.ts'
import type { PartReport } from '../report.ts'
import type { CrowdSetup } from '../roles/crowdRole.ts'
import type { Role } from '../roles/role.ts'
import type { BenchWorld } from '../world.ts'
import { copiedPerSecond } from './copyLags.ts'

interface FleetFigures {
  readonly alone: Spread
  readonly member: Spread
  /** Milliseconds until the store had a record that was on disk. */
  readonly copy: Spread
  /** Milliseconds from a kill to the store's knowing that a Guard is latched. */
  readonly kill: Spread
  readonly members: number
}

/** The store keeps its promises as it would for an owner: every commit is on disk. */
const settings = ['max_connections=200']

/** What a fleet costs its Guards, and how soon the store has what they write and they hear a kill. */
export async function measureFleet(
  world: BenchWorld,
  counts: Counts,
  progress: (text: string) => void,
): Promise<PartReport> {
  const folder = mkdtempSync(join(tmpdir(), 'guard-bench-fleet-'))
  const closers: Closers = [
    () => {
      rmSync(folder, { recursive: true, force: true })
    },
  ]
  try {
    const started = await startStore(folder, settings).catch(orWhyNot)
    if (typeof started === 'string') return fleetReport(started)
    closers.push(started.stop)
    return fleetReport(await measureAll(world, started.store, counts, closers, progress))
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

/** A machine without PostgreSQL measures everything else. */
function orWhyNot(error: unknown): string {
  if (error instanceof CliError) return error.message
  throw error
}

async function measureAll(
  world: BenchWorld,
  store: FleetAdmin,
  counts: Counts,
  closers: Closers,
  progress: (text: string) => void,
): Promise<FleetFigures> {
  const { ways, guard } = await openPaths(world, store, closers)
  await takeRounds(ways, counts)
  progress('a crowd joins the fleet')
  const crowd = await openCrowd(world, store, guard, counts.fleetMembers - 1)
  closers.push(() => crowd.stop())
  progress(`copying ${copiedPerSecond} records a second for ${counts.copySeconds} s`)
  const copied = (await crowd.ask('copy', counts.copySeconds)) as number[]
  const killed: number[] = []
  for (let kill = 0; kill < counts.fleetKills; kill += 1) {
    killed.push(...(await killAll(store)))
  }
  const [alone, member] = ways.map((way) => spreadOf(way.times))
  if (alone === undefined || member === undefined) throw new Error('a way is missing')
  return {
    ...{ alone, member, copy: spreadOf(copied), kill: spreadOf(killed) },
    members: counts.fleetMembers,
  }
}

/** Two Guards that differ in nothing but that the second is in a fleet. */
async function openPaths(
  world: BenchWorld,
  store: FleetAdmin,
  closers: Closers,
): Promise<{ readonly ways: readonly [Way, Way]; readonly guard: Role }> {
  const [first, second] = world.accounts
  if (!first || !second) throw new Error('too few accounts')
  const alone = await world.startGuard(first)
  const fleetUrl = await addTo(store, 'sends', second.account.address)
  const guard = await world.startGuard(second, { fleetUrl })
  closers.push(
    () => alone.stop(),
    () => guard.stop(),
  )
  await until(async () => (await statusOf(guard)).fleet?.writer?.held === true)
  const ways = [
    await openWay('Guard alone', alone.url, closers, { bot: first.bots[0] }),
    await openWay('Guard in a fleet', guard.url, closers, { bot: second.bots[0] }),
  ] as const
  return { ways, guard }
}

async function openCrowd(
  world: BenchWorld,
  store: FleetAdmin,
  guard: Role,
  count: number,
): Promise<Role> {
  const members: CrowdSetup['members'][number][] = []
  for (let n = 0; n < count; n += 1) {
    const account = createBot(world.crypto).address
    members.push({ account, url: await addTo(store, `crowd-${n}`, account) })
  }
  const setup: CrowdSetup = { home: world.newHome(), guardUrl: guard.url, members }
  const crowd = await world.startRole('crowd', setup as unknown as Json)
  await until(async () => (await crowd.ask('joined')) === count)
  return crowd
}

async function addTo(store: FleetAdmin, name: string, account: string): Promise<string> {
  let made = ''
  await store.add({ name, account, network: 'testnet', group: null }, (url) => (made = url))
  return made
}

/** Raises a kill over all, and tells how long each took until the store knew that it is latched. */
async function killAll(store: FleetAdmin): Promise<readonly number[]> {
  const { epoch } = await store.kill('fleet', 'a measurement')
  for (;;) {
    const members = await store.members('fleet', epoch)
    const taken = members.flatMap(({ latched_ms: taken }) => taken ?? [])
    if (taken.length === members.length) return taken
    await pause()
  }
}

async function statusOf({ url }: Role): Promise<StatusView> {
  return (await (await fetch(new URL('/guard/status', url))).json()) as StatusView
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause()
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50))
}

/** What was found, or why nothing could be. */
function fleetReport(found: FleetFigures | string): PartReport {
  const figures = typeof found === 'string' ? null : found
  const spread = (name: string, of: Spread | undefined): string[] => [
    name,
    ...(of === undefined ? ['', '', ''] : [ms(of.p50), ms(of.p90), ms(of.p99)]),
  ]
  const ratio = (figures?.member.p50 ?? NaN) / (figures?.alone.p50 ?? NaN)
  const met = (value: number | undefined, most: number): boolean | null =>
    value === undefined || Number.isNaN(value) ? null : value <= most
  const shown = (value: number | undefined): string =>
    value === undefined ? 'not measured' : ms(value)
  return {
    name: 'fleet',
    title: 'A fleet on PostgreSQL',
    notes: typeof found === 'string' ? [`Not measured: ${found}.`] : notes,
    tables: [
      {
        title: '',
        columns: ['', 'p50', 'p90', 'p99'],
        rows: [
          spread('allowed order, Guard alone', figures?.alone),
          spread('allowed order, Guard in a fleet', figures?.member),
          spread('record on disk until it is in the store', figures?.copy),
          spread('kill until a Guard is known to be latched', figures?.kill),
        ],
      },
    ],
    bars: [
      bar('order path in a fleet', 'at most 1.05x that alone', times(ratio), met(ratio, 1.05)),
      bar(
        `${whole(copiedPerSecond)} records a second into the store, lag p99`,
        'below 1 s',
        shown(figures?.copy.p99),
        met(figures?.copy.p99, 1_000),
      ),
      bar(
        `kill of ${figures?.members ?? 0} Guards, latched p99`,
        'within 2 s',
        shown(figures?.kill.p99),
        met(figures?.kill.p99, 2_000),
      ),
    ],
    figures: { ...figures } as unknown as Json,
  }
}

const notes = [
  'The two Guards of the order path differ in nothing but the fleet; their orders are taken in turns. ' +
    'All other Guards of the fleet share one process: each has its own connections to the store and its ' +
    'own journal, and trades nothing. PostgreSQL runs on the same machine and syncs every commit.',
]
