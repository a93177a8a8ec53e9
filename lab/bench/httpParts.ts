import type { Counts } from './counts.ts'
import { HttpLine } from './httpLine.ts'
import { takeRounds } from './latency.ts'
import { direct, openWay } from './latencyWays.ts'
import type { Closers, Way } from './latencyWays.ts'
import { spreadOf } from './quantiles.ts'
import type { Spread } from './quantiles.ts'
import { bar, ms } from './report.ts'
import type { PartReport } from './report.ts'
import { isUndiciThere } from './roles/undiciExchange.ts'
import type { BenchWorld } from './world.ts'

const own = 'Guard'
const withUndici = 'Guard, sending with undici'
const withoutLane = 'Guard, without the lane for orders'
const withNeither = 'Guard, with undici and without the lane'

/** What Guard's own HTTP client and its lane for orders save, against undici and Node's HTTP server. */
export async function measureHttp(world: BenchWorld, counts: Counts): Promise<PartReport> {
  const closers: Closers = []
  try {
    const ways = await openWays(world, closers)
    await takeRounds(ways, counts)
    return httpReport(new Map(ways.map(({ name, times }) => [name, spreadOf(times)])))
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

async function openWays(world: BenchWorld, closers: Closers): Promise<readonly Way[]> {
  const [alone, first, second] = world.accounts
  if (!alone || !first || !second) throw new Error('too few accounts')
  const guard = await world.startGuard(first)
  closers.push(() => guard.stop())
  const ways = [
    await openWay(direct, world.venue.url, closers, { bot: alone.wallet }),
    await openWay(own, guard.url, closers, { bot: first.bots[0] }),
    await openPastLane(withoutLane, guard.url, closers, first.bots[0]),
  ]
  if (!(await isUndiciThere())) return ways
  const other = await world.startGuard(second, { hasUndici: true })
  closers.push(() => other.stop())
  return [
    ...ways,
    await openWay(withUndici, other.url, closers, { bot: second.bots[0] }),
    await openPastLane(withNeither, other.url, closers, second.bots[0]),
  ]
}

/** A way through Node's HTTP server: a connection that asked for anything but an order stays there. */
async function openPastLane(
  name: string,
  url: string,
  closers: Closers,
  bot: Way['bot'],
): Promise<Way> {
  const line = await HttpLine.open(url)
  closers.push(() => {
    line.close()
  })
  await line.get('/health')
  return openWay(name, url, closers, { bot, post: (body) => line.post('/exchange', body) })
}

/** Together they must save so much of what Guard adds to an order, or they are not worth their lines. */
const worthwhile = 0.1

function httpReport(spreads: ReadonlyMap<string, Spread>): PartReport {
  const without = spreads.get(direct)?.p50 ?? NaN
  const added = (name: string): number => (spreads.get(name)?.p50 ?? NaN) - without
  const saved = (other: string): number => (added(other) - added(own)) / added(other)
  const share = saved(withNeither)
  const together = bar(
    'the own HTTP client and the lane for orders, against undici and Node’s HTTP server',
    'save at least 10% of what Guard adds',
    percent(share),
    Number.isNaN(share) ? null : share >= worthwhile,
  )
  return {
    name: 'http',
    title: 'Guard’s own HTTP client and its lane for orders',
    notes: [
      'An allowed order by each way, in turns: with both; with a Pool of undici towards the venue; ' +
        'through Node’s HTTP server instead of the lane; and with neither of Guard’s own. undici is measured ' +
        'only where it is installed, which is where Guard is developed. Added is what is above an order ' +
        'without Guard, saved the share of it that Guard’s own parts spare.',
    ],
    tables: [
      {
        title: '',
        columns: ['', 'p50', 'p90', 'p99', 'added at p50', 'saved'],
        rows: [...spreads].map(([name, { p50, p90, p99 }]) => [
          ...[name, ms(p50), ms(p90), ms(p99)],
          name === direct ? '' : ms(added(name)),
          name === direct || name === own ? '' : percent(saved(name)),
        ]),
      },
    ],
    bars: [together],
    figures: Object.fromEntries([...spreads].map(([name, spread]) => [name, { ...spread }])),
  }
}

function percent(share: number): string {
  return Number.isNaN(share) ? 'not measured' : `${(share * 100).toFixed(0)}%`
}
