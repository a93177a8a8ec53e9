import { comeAndGo } from './comeAndGo.ts'
import type { Counts } from './counts.ts'
import { HttpLine } from './httpLine.ts'
import { medianOf } from './quantiles.ts'
import { bar, whole } from './report.ts'
import type { PartReport } from './report.ts'
import { sustain } from './throughput.ts'
import type { BenchWorld } from './world.ts'

const samples = 20
const inFlight = 32
/** The bar speaks of a million; a shorter run only shows where it goes. */
const requestsToTell = 500_000

/** What Guard holds in memory while requests go by. */
export async function measureMemory(
  world: BenchWorld,
  counts: Counts,
  progress: (text: string) => void,
): Promise<PartReport> {
  const [of] = world.accounts
  if (of === undefined) throw new Error('no account')
  const guard = await world.startGuard(of)
  const way = { bot: of.bots[0], line: await HttpLine.open(guard.url) }
  const each = Math.ceil(counts.memoryRequests / samples)
  const held: number[] = []
  for (let n = 0; n < samples; n += 1) {
    const pairs = Math.ceil(each / 10)
    await sustain(world, guard, of.bots, inFlight, each - 2 * pairs, '')
    // Orders that rest with their stop, each cancelled before the next, leave other traces.
    for (let pair = 0; pair < pairs; pair += 1) await comeAndGo(way)
    await guard.ask('stages')
    const bytes = Number(await guard.ask('heap'))
    held.push(bytes)
    const sent = `${whole((n + 1) * each)} of ${whole(samples * each)} requests`
    progress(`  ${sent}, ${megabytes(bytes)} held`)
  }
  way.line.close()
  // The first half fills what is bounded, as the last events and the used nonces are.
  const early = medianOf(held.slice(samples / 2, samples / 2 + 5))
  const late = medianOf(held.slice(-5))
  const growth = (late - early) / early
  const found = `${(growth * 100).toFixed(2)}%`
  const isTold = counts.memoryRequests >= requestsToTell
  return {
    name: 'memory',
    title: 'Memory',
    notes: [
      `What is held on the heap and in buffers after a collection, every ${whole(each)} requests: ` +
        'of nine orders eight find no match, and one rests with its stop and is cancelled. ' +
        'Growth is from the third quarter of the run to its last, by their medians.',
    ],
    tables: [
      {
        title: '',
        columns: ['requests', 'held'],
        rows: held.map((bytes, index) => [whole((index + 1) * each), megabytes(bytes)]),
      },
    ],
    bars: [
      bar(
        'memory over a million requests',
        'below 1% growth after warm-up',
        isTold ? found : `${found} over ${whole(counts.memoryRequests)}; --full tells`,
        isTold ? growth < 0.01 : null,
      ),
    ],
    figures: { requests: counts.memoryRequests, held, growth },
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(1)} MB`
}
