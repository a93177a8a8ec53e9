import type { Json } from '../../../src/core/protocol/action.ts'
import { medianOf, spreadOf } from '../quantiles.ts'
import type { Spread } from '../quantiles.ts'
import { bar, bound, ms, times, whole } from '../report.ts'
import type { Bar, PartReport } from '../report.ts'
import { refusedCount, unexplained } from './honestBot.ts'
import type { TradeTimes } from './honestBot.ts'
import type { Tally } from './hostileCrowd.ts'
import type { RecordBytes } from './recordBytes.ts'
import type { Situation } from './situation.ts'

/** What Guard held after so many requests, in bytes. */
export interface Sample {
  readonly requests: number
  readonly resident: number
  /** On the heap and in buffers, after a collection. */
  readonly held: number
}

/** What the soak sent, how long honest orders took, and the memory it saw meanwhile. */
export interface Soaked {
  readonly wanted: number
  readonly sent: number
  readonly hostileSent: number
  readonly hostileSeconds: number
  /** Null where they were sent as fast as they were answered. */
  readonly perSecond: number | null
  readonly alone: Situation
  readonly amid: Situation
  /** Honest orders at the bare server, alone and while it got the hostile requests. */
  readonly bare: { readonly alone: TradeTimes; readonly amid: TradeTimes }
  readonly tally: Tally
  readonly samples: readonly Sample[]
}

/** Memory and files of Guard that were measured after the soak, in bytes. */
interface Remains {
  /** Guard's resident memory before the first request. */
  readonly startBytes: number
  readonly peakBytes: number
  /** Guard's resident memory after the last request. */
  readonly endBytes: number
  readonly restartedBytes: number
  readonly records: RecordBytes
  /** By how much all of Guard's files have grown during the soak. */
  readonly grownBytes: number
  readonly allowedBytes: number
}

const mebibyte = 1_048_576
const residentMax = 300 * mebibyte
const restartedMax = 200 * mebibyte
const slowerMax = 1.5
const growthMax = 0.05
const flatMax = 0.1
/** What Guard keeps beside its journal: the index, an emergency file, a memory of what was decided. */
const besideRecordsMax = 128 * mebibyte
/** The bar speaks of ten million; a run of less than a million only shows where it goes. */
export const requestsToTell = 1_000_000
/** Below so many orders the slowest of a hundred is a matter of luck. */
const ordersToTell = 500

export function mebibytes(bytes: number): string {
  return `${(bytes / mebibyte).toFixed(1)} MiB`
}

export function soakReport(soaked: Soaked, remains: Remains): PartReport {
  const { samples, tally, sent, hostileSent, hostileSeconds } = soaked
  const situations = situationsOf(soaked)
  const spreads: { [name: string]: Spread } = {}
  for (const [name, { times }] of situations) {
    spreads[`orders ${name}`] = spreadOf(times.orders)
    spreads[`cancels ${name}`] = spreadOf(times.cancels)
  }
  for (const [name, times] of Object.entries(soaked.bare)) {
    spreads[`orders at a bare server, ${name}`] = spreadOf(times.orders)
  }
  const own = Object.fromEntries(situations.map(([name, situation]) => [name, situation.own()]))
  const refused = Object.fromEntries(situations.map(([name, { times }]) => [name, times.refused]))
  const growth = growthOf(samples.map(({ held }) => held))
  const tenths = tenthsOf(samples.map(({ resident }) => resident))
  return {
    name: 'soak',
    title: 'Hostile and honest requests, mixed',
    notes: notesOf(soaked),
    tables: [
      {
        title: 'How long honest requests took',
        columns: ['', 'count', 'p50', 'p90', 'p99'],
        rows: Object.entries(spreads).map(([name, { count, p50, p90, p99 }]) => [
          name,
          whole(count),
          ...[p50, p90, p99].map(ms),
        ]),
      },
      { title: 'Inside Guard', columns: insideColumns, rows: insideRows(situations) },
      {
        title: 'Honest requests that were refused',
        columns: ['', 'count'],
        rows: refusedRows(situations),
      },
      { title: 'What was sent', columns: ['', 'requests'], rows: sentRows(tally) },
      {
        title: 'What Guard held',
        columns: ['requests', 'resident', 'held'],
        rows: samples.map(({ requests, resident, held }) => [
          ...[whole(requests), mebibytes(resident), mebibytes(held)],
        ]),
      },
      { title: 'Memory and disk', columns: ['', ''], rows: remainRows(remains, tenths) },
    ],
    bars: soakBars(soaked, { growth, tenths }, remains),
    figures: JSON.parse(
      JSON.stringify({
        sent,
        hostileSent,
        hostileSeconds,
        tally,
        spreads,
        own,
        refused,
        samples,
        growth,
        tenths,
        remains,
      }),
    ) as Json,
  }
}

function notesOf({ sent, hostileSent, hostileSeconds, perSecond }: Soaked): readonly string[] {
  return [
    `${whole(sent)} requests, ${whole(hostileSent)} of them hostile, those at ` +
      `${whole(hostileSent / hostileSeconds)} a second` +
      (perSecond === null
        ? ': as fast as sixteen connections get their answers, as many requests in one piece, and ' +
          'others that never read one. '
        : `, at most ${whole(perSecond)} were asked for. `) +
      'An honest bot places an order or cancels one every 25 ms: amid them and, in turns with ' +
      'that, alone. A bare server, which checks one signature, writes a kilobyte to the disk and ' +
      'sends the order on, gets the same hostile requests at the same pace and an honest bot of ' +
      "its own: what its orders become slower by is the machine's part, which every server here " +
      'has. Everybody shares the same cores; the hostile process gets what the others leave.',
    'Held is what is on the heap and in buffers after a collection; growth is from the third ' +
      'quarter of the run to its last, by their medians.',
  ]
}

/** The situations of Guard by how they are named in the tables. */
function situationsOf({ alone, amid }: Soaked): readonly (readonly [string, Situation])[] {
  return [
    ['alone', alone],
    ['amid hostile requests', amid],
  ]
}

const insideColumns = [
  '',
  'CPU',
  'thread held, p99',
  'at most',
  'order p99',
  'disk p99',
  'venue p99',
]

function insideRows(situations: readonly (readonly [string, Situation])[]): string[][] {
  return situations.map(([name, situation]) => {
    const { cpu, loopP99, loopMax, total, durable, venue } = situation.own()
    return [name, percent(cpu), ...[loopP99, loopMax, total.p99, durable.p99, venue.p99].map(ms)]
  })
}

function refusedRows(situations: readonly (readonly [string, Situation])[]): string[][] {
  const rows = situations.flatMap(([name, { times }]) =>
    Object.entries(times.refused).map(([code, count]) => [`${code}, ${name}`, whole(count)]),
  )
  return rows.length === 0 ? [['none', '0']] : rows
}

function sentRows({ sent, shed, cutOff }: Tally): string[][] {
  return [
    ...Object.entries(sent).map(([kind, count]) => [kind, whole(count)]),
    ['of these turned away with 429, without a record', whole(shed)],
    ['that found their connection ended', whole(cutOff)],
  ]
}

function remainRows(remains: Remains, { first, last }: Tenths): string[][] {
  const { startBytes, peakBytes, endBytes, restartedBytes, records, allowedBytes } = remains
  return [
    ['resident at the start', mebibytes(startBytes)],
    ['resident at the most', mebibytes(peakBytes)],
    ['resident at the end', mebibytes(endBytes)],
    ['resident in the first tenth of the run', mebibytes(first)],
    ['resident in its last tenth', mebibytes(last)],
    ['resident after a restart', mebibytes(restartedBytes)],
    ['records of refusals, of strangers', mebibytes(records.strangers)],
    ['records of refusals, of clients', mebibytes(records.clients)],
    ['these may be', mebibytes(allowedBytes)],
    ['records of what was let through, and others', mebibytes(records.other)],
    ['growth of all files', mebibytes(remains.grownBytes)],
    ['these may grow by', mebibytes(filesMax(remains))],
  ]
}

/** The records of what was let through are as many as the venue takes; nothing here bounds them. */
function filesMax({ records, allowedBytes }: Remains): number {
  return allowedBytes + 2 * records.other + besideRecordsMax
}

interface Sizes {
  /** By which share the held bytes grow from the third quarter of the run to its last. */
  readonly growth: number
  readonly tenths: Tenths
}

function soakBars(soaked: Soaked, sizes: Sizes, remains: Remains): readonly Bar[] {
  return [
    ...slowerBars(soaked),
    ...memoryBars(soaked, sizes, remains),
    ...boundBars(soaked, remains),
  ]
}

/** How much slower honest orders were at the 99th percentile. */
export function slowerAtP99(slow: TradeTimes, quick: TradeTimes): number {
  return spreadOf(slow.orders).p99 / spreadOf(quick.orders).p99
}

function slowerBars({ wanted, alone, amid, bare }: Soaked): readonly Bar[] {
  const slower = slowerAtP99(amid.times, alone.times)
  const ofMachine = slowerAtP99(bare.amid, bare.alone)
  // A machine that makes a bare server quicker under load has made none of Guard's.
  const own = slower / Math.max(1, ofMachine)
  const least = Math.min(...[alone.times, bare.alone, bare.amid].map(({ orders }) => orders.length))
  const name = 'honest orders amid hostile requests, p99'
  const tells = (factor: number): boolean | null =>
    least >= ordersToTell ? factor <= slowerMax : null
  return [
    bar(name, `at most ${slowerMax} times that alone`, times(slower), tells(slower)),
    // Over a short run it is a matter of luck who else wanted the machine when.
    (wanted >= requestsToTell ? bound : bar)(
      `${name}, without the machine's part`,
      `at most ${slowerMax} times what a bare server's become slower by`,
      `${times(own)}; the bare server's ${times(ofMachine)}`,
      tells(own),
    ),
  ]
}

function memoryBars(
  { wanted }: Soaked,
  { growth, tenths: { first, last } }: Sizes,
  { peakBytes, restartedBytes }: Remains,
): readonly Bar[] {
  const isLong = wanted >= requestsToTell
  const amid = 'amid hostile requests'
  const over = `over ${whole(wanted)}${isLong ? '' : '; --full tells'}`
  return [
    bound(
      `memory ${amid}`,
      `below ${percent(growthMax)} growth after warm-up`,
      `${percent(growth)} ${over}`,
      isLong ? growth < growthMax : null,
    ),
    bound(
      `resident memory ${amid} is flat`,
      `below ${percent(flatMax)} from the first tenth of the run to its last`,
      `${mebibytes(first)} and ${mebibytes(last)}, ${percent(last / first - 1)} ${over}`,
      isLong ? last / first - 1 < flatMax : null,
    ),
    bound(
      `resident memory ${amid}`,
      `below ${mebibytes(residentMax)}`,
      mebibytes(peakBytes),
      peakBytes < residentMax,
    ),
    bound(
      'resident memory after a restart',
      `below ${mebibytes(restartedMax)}`,
      mebibytes(restartedBytes),
      restartedBytes < restartedMax,
    ),
  ]
}

function boundBars({ alone, amid, tally }: Soaked, remains: Remains): readonly Bar[] {
  const { records, allowedBytes, grownBytes } = remains
  const honest: readonly TradeTimes[] = [alone.times, amid.times]
  const refused = honest.reduce((sum, each) => sum + refusedCount(each), 0)
  const odd = honest.reduce((sum, each) => sum + unexplained(each), 0)
  const refusals = records.strangers + records.clients
  return [
    bound(
      'honest requests refused',
      'none without trouble of the machine',
      `${whole(odd)}, and ${whole(refused - odd)} for a slow disk or late prices`,
      odd === 0,
    ),
    bound(
      'journal of refusals',
      `at most ${mebibytes(allowedBytes)}`,
      mebibytes(refusals),
      refusals <= allowedBytes,
    ),
    bound(
      'growth of all files',
      `at most ${mebibytes(filesMax(remains))}`,
      mebibytes(grownBytes),
      grownBytes <= filesMax(remains),
    ),
    bound(
      'hostile requests let through',
      'none',
      tally.breaches[0] ?? 'none',
      tally.breaches.length === 0,
    ),
  ]
}

interface Tenths {
  readonly first: number
  readonly last: number
}

/** The medians of the first tenth and of the last. */
function tenthsOf(sizes: readonly number[]): Tenths {
  const tenth = Math.max(1, Math.floor(sizes.length / 10))
  return { first: medianOf(sizes.slice(0, tenth)), last: medianOf(sizes.slice(-tenth)) }
}

/** From the third quarter to the last: the first half fills what is bounded. */
function growthOf(sizes: readonly number[]): number {
  const quarter = Math.max(1, Math.floor(sizes.length / 4))
  const late = medianOf(sizes.slice(-quarter))
  const early = medianOf(sizes.slice(-2 * quarter, -quarter))
  return (late - early) / early
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`
}
