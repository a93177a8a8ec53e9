import type { Counts } from './counts.ts'
import { HttpLine } from './httpLine.ts'
import { takeRounds } from './latency.ts'
import { direct, openWay } from './latencyWays.ts'
import type { Closers, Way } from './latencyWays.ts'
import { spreadOf } from './quantiles.ts'
import type { Spread } from './quantiles.ts'
import { bar, ms } from './report.ts'
import type { Bar, PartReport } from './report.ts'
import { isUndiciThere } from './roles/undiciExchange.ts'
import type { BenchWorld } from './world.ts'

const own = 'Guard'
const withUndici = 'Guard, sending with undici'
const withoutLane = 'Guard, without the lane for orders'

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
  const bot = first.bots[0]
  const line = await HttpLine.open(guard.url)
  closers.push(
    () => guard.stop(),
    () => {
      line.close()
    },
  )
  // Whoever asks for anything but an order goes to the HTTP server, and stays there.
  await line.get('/health')
  const ways = [
    await openWay(direct, world.venue.url, closers, { bot: alone.wallet }),
    await openWay(own, guard.url, closers, { bot }),
    await openWay(withoutLane, guard.url, closers, {
      ...{ bot, post: (body) => line.post('/exchange', body) },
    }),
  ]
  if (!(await isUndiciThere())) return ways
  const other = await world.startGuard(second, { hasUndici: true })
  closers.push(() => other.stop())
  return [...ways, await openWay(withUndici, other.url, closers, { bot: second.bots[0] })]
}

/** Each must save so much of what Guard adds to an order, or it is not worth its lines. */
const worthwhile = 0.1

function httpReport(spreads: ReadonlyMap<string, Spread>): PartReport {
  const without = spreads.get(direct)?.p50 ?? NaN
  const added = (name: string): number => (spreads.get(name)?.p50 ?? NaN) - without
  const saved = (other: string): number => (added(other) - added(own)) / added(other)
  const savedBar = (what: string, other: string): Bar => {
    const share = saved(other)
    const found = Number.isNaN(share) ? 'not measured' : `${(share * 100).toFixed(0)}%`
    const isMet = Number.isNaN(share) ? null : share >= worthwhile
    return bar(what, 'saves at least 10% of what Guard adds', found, isMet)
  }
  return {
    name: 'http',
    title: 'Guard’s own HTTP client and its lane for orders',
    notes: [
      'An allowed order by each way, in turns: with both; with a Pool of undici towards the venue; and ' +
        'through Node’s HTTP server instead of the lane. undici is measured only where it is installed, ' +
        'which is where Guard is developed. Added is what is above an order without Guard.',
    ],
    tables: [
      {
        title: '',
        columns: ['', 'p50', 'p90', 'p99', 'added at p50'],
        rows: [...spreads].map(([name, { p50, p90, p99 }]) => [
          ...[name, ms(p50), ms(p90), ms(p99)],
          name === direct ? '' : ms(added(name)),
        ]),
      },
    ],
    bars: [
      savedBar('the own HTTP client, against undici', withUndici),
      savedBar('the lane for orders, against Node’s HTTP server', withoutLane),
    ],
    figures: Object.fromEntries([...spreads].map(([name, spread]) => [name, { ...spread }])),
  }
}
