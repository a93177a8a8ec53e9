import type { Json } from '../../src/core/protocol/action.ts'
import type { Counts } from './counts.ts'
import { allowed, bare, direct, openWays, pass } from './latencyWays.ts'
import type { Way } from './latencyWays.ts'
import { leastTable } from './leastTable.ts'
import { floorMs } from './machine.ts'
import type { CurveName, MachineFigures, MachineProbe } from './machine.ts'
import { OrderWork, workTable } from './orderWork.ts'
import type { WorkFigures } from './orderWork.ts'
import type { BenchOrder } from './orders.ts'
import { spreadOf } from './quantiles.ts'
import type { Spread } from './quantiles.ts'
import { bar, ms, times } from './report.ts'
import type { Bar, PartReport } from './report.ts'
import { rest, restMs } from './rest.ts'
import { streamLagMs } from './roles/venueRole.ts'
import { unexpected } from './unexpected.ts'
import type { BenchWorld } from './world.ts'

/** Added latency, one order in flight, every way in turns. */
export async function measureLatency(
  world: BenchWorld,
  counts: Counts,
  machine: MachineProbe,
): Promise<PartReport> {
  const closers: (() => void | Promise<void>)[] = []
  const { latencyRounds, latencyPerRound, latencyWarmUp } = counts
  const work = await OrderWork.open()
  try {
    const curves = Object.keys(machine.figures.curves) as CurveName[]
    const ways = await openWays(world, curves, closers)
    const usual = ways.filter(({ most }) => most === Infinity)
    // The first orders of a fresh Guard run code that nobody has compiled yet.
    for (const way of usual) way.fresh.push(...(await takeTurn(way, latencyPerRound)))
    for (let round = 0; round < latencyWarmUp; round += 1) {
      for (const way of usual) await warmUp(way)
    }
    for (const { stages, firsts } of ways) {
      stages.clear()
      firsts.length = 0
    }
    for (let round = 0; round < latencyRounds; round += 1) {
      await machine.take(latencyPerRound)
      // In turns with the orders, too: a machine is not as fast now as it was a minute ago.
      await machine.takeInLoops(loopRuns)
      await work.take(latencyPerRound)
      work.takeInLoops(loopRuns)
      for (const way of shuffled(ways)) {
        const count = way.most === Infinity ? latencyPerRound : Number(round < way.most)
        way.times.push(...(await takeTurn(way, count)))
      }
    }
    return latencyReport(ways, machine.figures, work.figures)
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

/** As many orders by each way as the size of the run says, in turns, after all of its code is compiled. */
export async function takeRounds(ways: readonly Way[], counts: Counts): Promise<void> {
  for (let round = 0; round < counts.latencyWarmUp; round += 1) {
    for (const way of ways) await warmUp(way)
  }
  for (let round = 0; round < counts.latencyRounds; round += 1) {
    for (const way of shuffled(ways)) {
      way.times.push(...(await takeTurn(way, counts.latencyPerRound)))
    }
  }
}

/** Nobody comes always after the same one: what that one has left behind would count for it. */
function shuffled<T>(list: readonly T[]): readonly T[] {
  return list
    .map((value) => ({ value, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value)
}

/** The first orders of a turn pay for what the processes before it took from the caches. */
const settlingOrders = 2

/** How long each of so many orders took, with a rest before each. */
async function takeTurn(way: Way, count: number): Promise<readonly number[]> {
  if (count === 0) return []
  const settling = way.most === Infinity ? settlingOrders : 0
  const orders = Array.from({ length: settling + count }, way.order)
  const times: number[] = []
  for (const [at, { action }] of orders.entries()) {
    if (at === settling) await way.guard?.ask('stages')
    const body = way.bot.sign(action)
    await rest()
    const begun = performance.now()
    const answer = await way.post(body)
    times.push(performance.now() - begun)
    check(way, answer)
  }
  const stages = (await way.guard?.ask('stages')) as Record<string, number[]> | null | undefined
  for (const [stage, taken] of Object.entries(stages ?? {})) {
    way.stages.set(stage, [...(way.stages.get(stage) ?? []), ...taken])
  }
  await undo(way, orders)
  way.firsts.push(...times.slice(0, 1))
  return times.slice(settling)
}

/** Long enough that most of a loop is done while all it needs is at hand. */
const loopRuns = 40

/** So many at once, few enough for the rules and for the other ways' connections to stay. */
const warmUpOrders = 20

async function warmUp(way: Way, count = warmUpOrders): Promise<void> {
  const orders = Array.from({ length: count }, way.order)
  for (const { action } of orders) check(way, await way.post(way.bot.sign(action)))
  await undo(way, orders)
}

function check(way: Way, answer: string): void {
  if (answer.includes(way.expected)) return
  throw unexpected(`${way.name}: an order of the benchmark`, answer)
}

async function undo(way: Way, orders: readonly BenchOrder[]): Promise<void> {
  for (const { undo: action } of orders) {
    if (action !== null) await way.post(way.bot.sign(action))
  }
}

function latencyReport(
  ways: readonly Way[],
  machine: MachineFigures,
  work: WorkFigures,
): PartReport {
  const spreads = new Map(ways.map((way) => [way.name, spreadOf(way.times)]))
  const without = spreads.get(direct)?.p50 ?? NaN
  const added = (name: string): number => (spreads.get(name)?.p50 ?? NaN) - without
  // On a busy machine the hop can drown in noise; it is then no measure for anything.
  const hop = added('nginx') > 0 ? added('nginx') : NaN
  const rows = ways.map(({ name, firsts, fresh }) => {
    const { p50, p90, p99 } = spreads.get(name) ?? spreadOf([])
    const own = name.startsWith(direct) ? '' : ms(added(name))
    const inHops = name.startsWith(direct) || Number.isNaN(hop) ? '' : times(added(name) / hop)
    const others = [firsts, fresh].map((taken) =>
      taken.length === 0 ? '' : ms(spreadOf(taken).p50),
    )
    return [name, ms(p50), ms(p90), ms(p99), own, inHops, ...others]
  })
  return {
    name: 'latency',
    title: 'Added latency of one order',
    notes: latencyNotes,
    tables: [
      {
        title: '',
        columns: [
          ...['', 'p50', 'p90', 'p99', 'added at p50', 'nginx hops'],
          ...['p50, first of a turn', 'p50 when fresh'],
        ],
        rows,
      },
      stageTable(ways),
      workTable(work),
      leastTable(machine, {
        pass: added(pass),
        bare: { native: added(bare.native), wasm: added(bare.wasm) },
        guard: { native: added(allowed.native), wasm: added(allowed.wasm) },
      }),
    ],
    bars: latencyBars(added, hop, machine),
    figures: {
      ...Object.fromEntries(
        [...spreads].map(([name, spread]): [string, Json] => [name, { ...spread }]),
      ),
      computed: JSON.parse(JSON.stringify(work)) as Json,
    },
  }
}

function stageTable(ways: readonly Way[]): PartReport['tables'][number] {
  const names = ['authenticate', 'decode', 'judge', 'sign', 'durable', 'venue', 'total']
  const cell = (spread: Spread): string => (Number.isNaN(spread.p50) ? '' : ms(spread.p50))
  return {
    title:
      'Where it goes, at p50 (sign runs while the disk writes; durable is what is left to wait)',
    columns: ['', ...names],
    rows: ways
      .filter(({ stages }) => stages.size > 0)
      .map(({ name, stages }) => [
        name,
        ...names.map((stage) => cell(spreadOf(stages.get(stage) ?? []))),
      ]),
  }
}

/** The sum is taken as an order finds it, and for comparison in loops, where nobody meets it. */
function latencyBars(
  added: (name: string) => number,
  hop: number,
  machine: MachineFigures,
): readonly Bar[] {
  const within = (name: string, wanted: string, value: number, most: number, more = ''): Bar =>
    bar(name, wanted, times(value) + more, Number.isNaN(value) ? null : value <= most)
  const curves = [
    ['native', 14],
    ['wasm', 21],
  ] as const
  return curves.flatMap(([curve, hops]) => {
    const [guard, least] = [added(allowed[curve]), added(bare[curve])]
    const [found, looped] = [floorMs(machine, curve), floorMs(machine, curve, 'loop')]
    const name = `an allowed order, ${curve}`
    const sum = 'at most 3x recover + sign + fdatasync'
    const beside = ` (${times(least / looped)} with nothing of Guard in it)`
    return [
      within(name, `at most ${hops} nginx hops`, guard / hop, hops),
      within(name, `${sum}, as an order finds them`, guard / found, 3),
      within(name, `${sum}, in tight loops`, guard / looped, 3, beside),
    ]
  })
}

const latencyNotes = [
  'From the bot’s socket to the venue simulator and back, one order in flight, ' +
    `${restMs} ms after the answer to the one before. The bot signs before the clock starts. Every ` +
    'order but the vetoed ones rests and is cancelled again outside the measurement. The ways take ' +
    'turns of some orders each, in an order that is drawn anew each round. A turn begins with two ' +
    'orders that are not counted: they pay for what the others have taken from the caches meanwhile ' +
    '("first of a turn"). Every process has taken thousands of orders before, so that all of its ' +
    'code is compiled; the last column is the p50 of the first orders it ever saw.',
  'Guard follows its account on the venue’s stream, as any bot does that trades without it: there ' +
    'a process that does nothing else listens, so that the venue has the same to do in every way ' +
    `but the second. The stream tells of an order ${streamLagMs} ms after its answer, as testnet’s ` +
    'does, which is within the rest. "Node, only recover, disk and sign" is Guard’s line with nothing in it, through ' +
    'the same connections: what a program in Node cannot do without.',
  `A machine at rest forgets: the same steps, with the same instructions, take longer ${restMs} ms ` +
    'after the last ones than right behind them, and longer still after 50 ms. The tables below tell ' +
    'both; docs/adr/0013 tells what was tried.',
]
