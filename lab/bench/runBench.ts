import { availableParallelism } from 'node:os'
import { countsOf } from './counts.ts'
import type { Counts, Size } from './counts.ts'
import { measureLatency } from './latency.ts'
import { wayAccounts } from './latencyWays.ts'
import { MachineProbe, machineReport } from './machine.ts'
import { measureReaders } from './readersLoad.ts'
import { partText } from './report.ts'
import type { BenchReport, PartReport } from './report.ts'
import type { StartRole } from './roles/startRole.ts'
import { measureEntries, venueWeight } from './entriesPerMinute.ts'
import { measureHttp } from './httpParts.ts'
import { measureDexes } from './dexes.ts'
import { measureFleet } from './fleet/measureFleet.ts'
import { measureJournal } from './journalFigures.ts'
import { measureJudge } from './judgeTime.ts'
import { measureMemory } from './memory.ts'
import { measureProfile } from './profile.ts'
import { measureResting } from './restingOrders.ts'
import { measureSafety } from './safetyTimes.ts'
import { measureSoak } from './soak/soak.ts'
import { measureThroughput } from './throughput.ts'
import { measureTrouble } from './trouble.ts'
import { openWorld } from './world.ts'
import type { BenchWorld, WorldSeed } from './world.ts'

interface BenchOptions {
  readonly size: Size
  /** Only the part of this name; null for all. */
  readonly only: string | null
  /** How many requests the soak sends; null for as many as the size says. */
  readonly requests: number | null
  /** How many hostile requests a second; null for as fast as they are answered. */
  readonly perSecond: number | null
  readonly command: string
  readonly startRole: StartRole
  /** Takes the picture of the profile. */
  readonly picture: (svg: string) => void
  /** What happens now, for whoever waits. */
  readonly progress: (text: string) => void
}

/** What a part is given. */
interface BenchContext {
  readonly counts: Counts
  readonly machine: MachineProbe
  readonly startRole: StartRole
  /** Takes the picture of the profile. */
  readonly picture: (svg: string) => void
  /** Takes a line for people about how far a long part has come. */
  readonly progress: (text: string) => void
}

type Part = (context: BenchContext) => Promise<PartReport>

/** Every part by its name, in the order they run. */
export const parts: Readonly<Record<string, Part>> = {
  latency: async ({ counts, machine, startRole }) =>
    await inWorld(startRole, wayAccounts, (world) => measureLatency(world, counts, machine)),
  http: async ({ counts, startRole }) =>
    await inWorld(startRole, 3, (world) => measureHttp(world, counts)),
  throughput: async ({ counts, startRole }) =>
    await inWorld(startRole, 2, (world) => measureThroughput(world, counts)),
  judge: ({ counts }) => Promise.resolve(measureJudge(counts)),
  dexes: async ({ counts }) => await measureDexes(counts),
  profile: async ({ counts, startRole, picture }) =>
    await inWorld(startRole, 1, (world) => measureProfile(world, counts, picture)),
  readers: async ({ counts, startRole }) =>
    await inWorld(startRole, 1, (world) => measureReaders(world, counts)),
  resting: async ({ counts, startRole }) =>
    await inWorld(startRole, 2, (world) => measureResting(world, counts)),
  entries: async ({ counts, startRole }) =>
    await inWorld(startRole, 1, (world) => measureEntries(world, counts), {
      weightLimit: venueWeight,
    }),
  journal: async ({ counts, startRole }) =>
    await inWorld(startRole, 1, (world) => measureJournal(world, counts)),
  memory: async ({ counts, startRole, progress }) =>
    await inWorld(startRole, 1, (world) => measureMemory(world, counts, progress)),
  soak: async ({ counts, startRole, progress }) =>
    await inWorld(startRole, 2, (world) => measureSoak(world, counts, progress)),
  safety: async ({ counts, startRole }) => await measureSafety(startRole, counts),
  trouble: async ({ counts, startRole }) => await measureTrouble(startRole, counts),
  fleet: async ({ counts, startRole, progress }) =>
    await inWorld(startRole, 2, (world) => measureFleet(world, counts, progress)),
}

export async function runBench(options: BenchOptions): Promise<BenchReport> {
  const { size, only, requests, perSecond, startRole, progress, command, picture } = options
  const usual = countsOf[size]
  const counts = {
    ...usual,
    soakRequests: requests ?? usual.soakRequests,
    soakPerSecond: perSecond ?? usual.soakPerSecond,
  }
  const begun = performance.now()
  progress('measuring the machine itself')
  const machine = await MachineProbe.open()
  const found: PartReport[] = []
  try {
    await machine.takeInLoops(counts.machineRuns)
    await machine.take(counts.machineRuns / 4)
    for (const [name, measure] of Object.entries(parts)) {
      if (only !== null && only !== name) continue
      const seconds = ((performance.now() - begun) / 1_000).toFixed(0)
      progress(`measuring ${name} (${seconds} s so far)`)
      const report = await measure({ counts, machine, startRole, picture, progress })
      progress(partText(report))
      found.push(report)
    }
  } finally {
    await machine.close()
  }
  const own = machineReport(machine.figures)
  progress(partText(own))
  return {
    command,
    cores: availableParallelism(),
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    minutes: (performance.now() - begun) / 60_000,
    parts: [own, ...found],
  }
}

async function inWorld(
  startRole: StartRole,
  accounts: number,
  measure: (world: BenchWorld) => Promise<PartReport>,
  seed: WorldSeed = {},
): Promise<PartReport> {
  const world = await openWorld(startRole, accounts, seed)
  try {
    return await measure(world)
  } finally {
    await world.close()
  }
}
