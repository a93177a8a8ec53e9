import type { Counts } from './counts.ts'
import { flameGraph } from './flameGraph.ts'
import type { CpuProfile } from './flameGraph.ts'
import type { PartReport } from './report.ts'
import { whole } from './report.ts'
import { sustain } from './throughput.ts'
import { startTraffic } from './traffic.ts'
import type { BenchWorld } from './world.ts'

const inFlight = 32
const rowsMax = 15

/** Where Guard's processor time goes while orders pass. */
export async function measureProfile(
  world: BenchWorld,
  counts: Counts,
  picture: (svg: string) => void,
): Promise<PartReport> {
  const [of] = world.accounts
  if (of === undefined) throw new Error('no account')
  const guard = await world.startGuard(of)
  const pass = (): ReturnType<typeof sustain> =>
    sustain(world, guard, of.bots, inFlight, counts.profiledOrders, '')
  const stop = await startTraffic(guard.url, world.control, of.account.address)
  let profile: CpuProfile
  let perOrder: number
  try {
    await pass()
    await guard.ask('profile')
    perOrder = (await pass()).cpu.guard
    profile = (await guard.ask('profiled')) as unknown as CpuProfile
  } finally {
    stop()
  }
  picture(flameGraph(profile, `Guard, ${inFlight} orders in flight, readers and polls beside`))
  const rows = ownShares(profile)
  return {
    name: 'profile',
    title: 'Where the processor time goes',
    notes: ['![Flame graph of the order path](images/hot-path.svg)'],
    tables: [
      {
        title: `Functions by their own share of the samples (${whole(perOrder)} us of Guard for each order, profiler included)`,
        columns: ['function', 'share'],
        rows: rows.map(([name, share]) => [name, `${(share * 100).toFixed(1)}%`]),
      },
    ],
    bars: [],
    figures: { perOrderMicros: perOrder, own: Object.fromEntries(rows) },
  }
}

function ownShares({ nodes, samples = [], timeDeltas = [] }: CpuProfile): [string, number][] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, callFrame.functionName]))
  const own = new Map<string, number>()
  let all = 0
  samples.forEach((id, at) => {
    const name = names.get(id) ?? ''
    if (name === '(idle)' || name === '') return
    const delta = timeDeltas[at] ?? 0
    all += delta
    own.set(name, (own.get(name) ?? 0) + delta)
  })
  return [...own]
    .map(([name, delta]): [string, number] => [name, delta / all])
    .sort((a, b) => b[1] - a[1])
    .slice(0, rowsMax)
}
