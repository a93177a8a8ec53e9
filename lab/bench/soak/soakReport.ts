import type { Json } from '../../../src/core/protocol/action.ts'
import { medianOf, spreadOf } from '../quantiles.ts'
import type { Spread } from '../quantiles.ts'
import { bar, ms, times, whole } from '../report.ts'
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
  /** While another Guard got the hostile requests. */
  readonly beside: Situation
  readonly amid: Situation
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
/** The bar speaks of ten million; a run of less than a million only shows where it goes. */
const requestsToTell = 1_000_000
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
  const own = Object.fromEntries(situations.map(([name, situation]) => [name, situation.own()]))
  const refused = Object.fromEntries(situations.map(([name, { times }]) => [name, times.refused]))
  const growth = growthOf(samples.map(({ held }) => held))
  const residentGrowth = growthOf(samples.map(({ resident }) => resident))
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
      { title: 'Memory and disk', columns: ['', ''], rows: remainRows(remains, residentGrowth) },
    ],
    bars: soakBars(soaked, spreads, growth, remains),
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
        ? ': as fast as four connections get their answers, and others that never read one. '
        : ', as many as were asked for. ') +
      'An honest bot places an order or cancels one every 25 ms: amid them and, in turns with ' +
      'that, alone, and beside, which is while another Guard on the same machine gets the ' +
      'hostile requests. Everybody shares the same cores: what beside is slower than alone is ' +
      "the machine's part, and what amid is slower than beside is Guard's.",
    'Held is what is on the heap and in buffers after a collection; growth is from the third ' +
      'quarter of the run to its last, by their medians.',
  ]
}

/** The three situations by how they are named in the tables. */
function situationsOf({ alone, beside, amid }: Soaked): readonly (readonly [string, Situation])[] {
  return [
    ['alone', alone],
    ['beside', beside],
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

function remainRows(remains: Remains, residentGrowth: number): string[][] {
  const { startBytes, peakBytes, endBytes, restartedBytes, records, allowedBytes } = remains
  return [
    ['resident at the start', mebibytes(startBytes)],
    ['resident at the most', mebibytes(peakBytes)],
    ['resident at the end', mebibytes(endBytes)],
    ['growth of resident memory', percent(residentGrowth)],
    ['resident after a restart', mebibytes(restartedBytes)],
    ['records of refusals, of strangers', mebibytes(records.strangers)],
    ['records of refusals, of clients', mebibytes(records.clients)],
    ['these may be', mebibytes(allowedBytes)],
    ['records of what was let through, and others', mebibytes(records.other)],
    ['growth of all files', mebibytes(remains.grownBytes)],
  ]
}

function soakBars(
  { wanted, alone, beside, amid: among, tally }: Soaked,
  spreads: { readonly [name: string]: Spread },
  growth: number,
  { peakBytes, restartedBytes, records, allowedBytes }: Remains,
): readonly Bar[] {
  const p99 = (name: string): number => spreads[`orders ${name}`]?.p99 ?? NaN
  const slower = p99('amid hostile requests') / p99('alone')
  const slowerOwn = p99('amid hostile requests') / p99('beside')
  const honest: readonly TradeTimes[] = [alone, beside, among].map(({ times }) => times)
  const refused = honest.reduce((sum, times) => sum + refusedCount(times), 0)
  const odd = honest.reduce((sum, times) => sum + unexplained(times), 0)
  const refusals = records.strangers + records.clients
  const [isLong, hasMany] = [wanted >= requestsToTell, alone.times.orders.length >= ordersToTell]
  const amid = 'amid hostile requests'
  return [
    bar(
      `honest orders ${amid}, p99`,
      `at most ${slowerMax} times that alone`,
      times(slower),
      hasMany ? slower <= slowerMax : null,
    ),
    bar(
      `honest orders ${amid}, p99, without the machine's part`,
      `at most ${slowerMax} times that beside`,
      times(slowerOwn),
      hasMany ? slowerOwn <= slowerMax : null,
    ),
    bar(
      'honest requests refused',
      'none without trouble of the machine',
      `${whole(odd)}, and ${whole(refused - odd)} for a slow disk or late prices`,
      odd === 0,
    ),
    bar(
      `memory ${amid}`,
      `below ${percent(growthMax)} growth after warm-up`,
      `${percent(growth)} over ${whole(wanted)}${isLong ? '' : '; --full tells'}`,
      isLong ? growth < growthMax : null,
    ),
    bar(
      `resident memory ${amid}`,
      `below ${mebibytes(residentMax)}`,
      mebibytes(peakBytes),
      peakBytes < residentMax,
    ),
    bar(
      'resident memory after a restart',
      `below ${mebibytes(restartedMax)}`,
      mebibytes(restartedBytes),
      restartedBytes < restartedMax,
    ),
    bar(
      'journal of refusals',
      `at most ${mebibytes(allowedBytes)}`,
      mebibytes(refusals),
      refusals <= allowedBytes,
    ),
    bar(
      'hostile requests let through',
      'none',
      tally.breaches[0] ?? 'none',
      tally.breaches.length === 0,
    ),
  ]
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
