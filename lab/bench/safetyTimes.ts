import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import type { Counts } from './counts.ts'
import { HttpLine } from './httpLine.ts'
import { medianOf, spreadOf } from './quantiles.ts'
import type { Spread } from './quantiles.ts'
import { bar, ms, times } from './report.ts'
import type { PartReport } from './report.ts'
import type { StartRole } from './roles/startRole.ts'
import type { Role } from './roles/role.ts'
import { openTap } from './tap.ts'
import type { Tap } from './tap.ts'
import { openWorld } from './world.ts'
import { unexpected } from './unexpected.ts'
import type { BenchWorld } from './world.ts'

interface Killed {
  readonly positions: number
  /** From the kill request to its answer, and to the last close leaving. */
  readonly replyMs: number
  readonly lastCloseMs: number
  readonly flatMs: number
  readonly roundTripMs: number
  readonly closesBeforeReply: number
}

/** From an outside fill to the stop that covers it, and from a kill to the last close. */
export async function measureSafety(startRole: StartRole, counts: Counts): Promise<PartReport> {
  const fills = await outsideFills(startRole, counts.outsideFills)
  const kills: Killed[] = []
  for (const positions of counts.killPositions) {
    kills.push(await kill(startRole, positions, 'works'))
  }
  const hung = counts.killPositions.includes(20) ? await kill(startRole, 20, 'hangs') : null
  const twenty = kills.find(({ positions }) => positions === 20)
  const trips = twenty === undefined ? NaN : twenty.lastCloseMs / twenty.roundTripMs
  const row = (name: string, { p50, p90, p99 }: Spread): string[] => [
    name,
    ...[p50, p90, p99].map(ms),
  ]
  return {
    name: 'safety',
    title: 'Protection and kill',
    notes: [
      'Taken on the wire between Guard and the venue. The fills come from outside Guard, on a flat account; the kills are signed requests, with a stop under every position.',
    ],
    tables: [
      {
        title: 'A fill from outside',
        columns: ['', 'p50', 'p90', 'p99'],
        rows: [
          row('from its frame reaching Guard to the stop leaving', fills.fromFrame),
          row('from the order being placed to the stop leaving', fills.fromOrder),
        ],
      },
      killTable('A kill', kills),
      ...(hung === null
        ? []
        : [killTable('A kill on a disk that answers no write any more', [hung])]),
    ],
    bars: [
      bar(
        'kill with 20 positions: all closes sent',
        'within 5 venue round trips',
        times(trips),
        twenty === undefined ? null : trips <= 5,
      ),
      bar(
        'kill with 20 positions: all closes sent',
        'within 250 ms',
        twenty === undefined ? 'not measured' : ms(twenty.lastCloseMs),
        twenty === undefined ? null : twenty.lastCloseMs <= 250,
      ),
      bar(
        'kill with 20 positions on a disk that hangs: all closes sent',
        'within 500 ms',
        hung === null ? 'not measured' : ms(hung.lastCloseMs),
        hung === null ? null : hung.lastCloseMs <= 500,
      ),
      bar(
        'a position opened outside is covered',
        'within 250 ms of reaching Guard',
        ms(fills.fromFrame.p99),
        fills.fromFrame.p99 <= 250,
      ),
    ],
    figures: JSON.parse(JSON.stringify({ fills, kills, hung })) as Json,
  }
}

function killTable(title: string, kills: readonly Killed[]): PartReport['tables'][number] {
  const columns = ['positions', 'answered', 'last close leaves', 'round trips', 'flat']
  return { title, columns, rows: kills.map(killRow) }
}

function killRow({ positions, replyMs, lastCloseMs, roundTripMs, flatMs }: Killed): string[] {
  const trips = times(lastCloseMs / roundTripMs)
  return [String(positions), ms(replyMs), ms(lastCloseMs), trips, ms(flatMs)]
}

async function outsideFills(
  startRole: StartRole,
  count: number,
): Promise<{ readonly fromFrame: Spread; readonly fromOrder: Spread }> {
  return await watched(startRole, {}, async (world, tap) => {
    const user = world.accounts[0]?.account.address ?? ''
    const fromFrame: number[] = []
    const fromOrder: number[] = []
    for (let n = 0; n < count; n += 1) {
      const begun = performance.now()
      const before = tap.sent.length
      await world.control.act(user, marketOrder(1, true, '4100', '1'))
      await until(() => tap.sent.length > before)
      const left = tap.sent[before]?.at ?? NaN
      const frame = tap.heard.find(({ at, text }) => at >= begun && text.includes('"userFills"'))
      fromOrder.push(left - begun)
      fromFrame.push(left - (frame?.at ?? NaN))
      await world.control.act(user, marketOrder(1, false, '3900', '1'))
      await untilAsync(async () => (await stateOf(world)).positions === 0)
      await settled(tap)
    }
    return { fromFrame: spreadOf(fromFrame), fromOrder: spreadOf(fromOrder) }
  })
}

async function kill(
  startRole: StartRole,
  positions: number,
  disk: 'works' | 'hangs',
): Promise<Killed> {
  const markets = Array.from({ length: positions }, (_, n) => ({
    ...{ name: `K${n}`, szDecimals: 2, maxLeverage: 20, mid: '100' },
  }))
  const held = markets.map(({ name: coin }) => ({
    ...{ coin, szi: '10', entryPx: '100', leverage: { type: 'isolated', value: 5 } },
  }))
  return await watched(startRole, { markets, positions: held }, async (world, tap, guard) => {
    await untilAsync(async () => (await stateOf(world)).stops >= positions)
    await settled(tap)
    const line = await HttpLine.open(guard.url)
    if (disk === 'hangs') await guard.ask('hang')
    const bot = world.accounts[0]?.bots[0]
    const before = tap.sent.length
    const body = bot?.sign({ type: 'guardKill', reason: 'benchmark' }) ?? ''
    const begun = performance.now()
    const reply = await line.post('/guard/kill', body)
    const answered = performance.now()
    if (!reply.includes('"killed"')) throw unexpected('the kill', reply)
    await untilAsync(async () => (await stateOf(world)).positions === 0)
    const flat = performance.now()
    if (disk === 'hangs') await guard.ask('let_go')
    line.close()
    const closes = tap.sent.slice(before).filter(({ text }) => text.includes('"Ioc"'))
    return {
      positions,
      replyMs: answered - begun,
      lastCloseMs: (closes.at(-1)?.at ?? NaN) - begun,
      flatMs: flat - begun,
      roundTripMs: medianOf(tap.roundTrips.slice(before)),
      closesBeforeReply: closes.filter(({ at }) => at < answered).length,
    }
  })
}

/** A venue, a tap and a Guard behind it, closed whatever happens. */
async function watched<T>(
  startRole: StartRole,
  seed: Parameters<typeof openWorld>[2],
  measure: (world: BenchWorld, tap: Tap, guard: Role) => Promise<T>,
): Promise<T> {
  const world = await openWorld(startRole, 1, seed)
  const tap = await openTap(world.venue.url)
  try {
    const [account] = world.accounts
    if (account === undefined) throw new Error('no account')
    const choice = { venueUrl: tap.url, anyMarket: true, mayHang: true }
    return await measure(world, tap, await world.startGuard(account, choice))
  } finally {
    await world.close()
    await tap.close()
  }
}

export async function stateOf(
  world: BenchWorld,
): Promise<{ readonly positions: number; readonly stops: number }> {
  const user = world.accounts[0]?.account.address ?? ''
  const response = await fetch(`${world.venue.url}/sim/state?user=${user}`)
  const state = (await response.json()) as {
    readonly clearinghouseState: { readonly assetPositions: readonly JsonObject[] }
    readonly openOrders: readonly JsonObject[]
  }
  return {
    positions: state.clearinghouseState.assetPositions.length,
    stops: state.openOrders.length,
  }
}

function marketOrder(a: number, b: boolean, p: string, s: string): JsonObject {
  const order = { a, b, p, s, r: !b, t: { limit: { tif: 'Ioc' } } }
  return { type: 'order', orders: [order], grouping: 'na' }
}

const pollMs = 2
const patienceMs = 30_000
const quietMs = 150

async function until(isTrue: () => boolean): Promise<void> {
  await untilAsync(() => Promise.resolve(isTrue()))
}

export async function untilAsync(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (!(await isTrue())) {
    if (performance.now() > deadline) throw new Error('the benchmark waited in vain')
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
}

/** Nothing was sent for a while: what was begun is done. */
async function settled(tap: Tap): Promise<void> {
  for (let seen = -1; seen !== tap.sent.length;) {
    seen = tap.sent.length
    await new Promise((resolve) => setTimeout(resolve, quietMs))
  }
}
