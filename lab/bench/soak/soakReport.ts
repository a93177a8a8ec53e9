import type { Json } from '../../../src/core/protocol/action.ts'
import { medianOf, spreadOf } from '../quantiles.ts'
import type { Spread } from '../quantiles.ts'
import { bar, ms, times, whole } from '../report.ts'
import type { Bar, PartReport } from '../report.ts'
import type { TradeTimes } from './honestBot.ts'
import type { Tally } from './hostileCrowd.ts'
import type { RecordBytes } from './recordBytes.ts'

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
  readonly alone: TradeTimes
  readonly amid: TradeTimes
  readonly tally: Tally
  readonly samples: readonly Sample[]
}

/** Memory and files of Guard that were measured after the soak, in bytes. */
interface Remains {
  readonly peakBytes: number
  readonly restartedBytes: number
  readonly records: RecordBytes
  readonly filesBytes: number
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
  const { alone, amid, samples, tally, sent, hostileSent, hostileSeconds } = soaked
  const spreads = {
    'orders alone': spreadOf(alone.orders),
    'orders amid hostile requests': spreadOf(amid.orders),
    'cancels alone': spreadOf(alone.cancels),
    'cancels amid hostile requests': spreadOf(amid.cancels),
  }
  const growth = growthOf(samples.map(({ held }) => held))
  const residentGrowth = growthOf(samples.map(({ resident }) => resident))
  return {
    name: 'soak',
    title: 'Hostile and honest requests, mixed',
    notes: [
      `${whole(sent)} requests, ${whole(hostileSent)} of them hostile, those at ` +
        `${whole(hostileSent / hostileSeconds)} a second: as fast as four connections get their ` +
        'answers, and others that never read one. An honest bot places an order or cancels one ' +
        'every 25 ms, amid them and, in turns with that, alone. Everybody shares the same cores.',
      'Held is what is on the heap and in buffers after a collection; growth is from the third ' +
        'quarter of the run to its last, by their medians.',
    ],
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
        samples,
        growth,
        remains,
      }),
    ) as Json,
  }
}

function sentRows({ sent, shed, cutOff }: Tally): string[][] {
  return [
    ...Object.entries(sent).map(([kind, count]) => [kind, whole(count)]),
    ['of these turned away with 429, without a record', whole(shed)],
    ['that found their connection ended', whole(cutOff)],
  ]
}

function remainRows(remains: Remains, residentGrowth: number): string[][] {
  const { peakBytes, restartedBytes, records, filesBytes, allowedBytes } = remains
  return [
    ['resident at the most', mebibytes(peakBytes)],
    ['growth of resident memory', percent(residentGrowth)],
    ['resident after a restart', mebibytes(restartedBytes)],
    ['records of refusals, of strangers', mebibytes(records.strangers)],
    ['records of refusals, of clients', mebibytes(records.clients)],
    ['these may be', mebibytes(allowedBytes)],
    ['records of what was let through, and others', mebibytes(records.other)],
    ['all files', mebibytes(filesBytes)],
  ]
}

function soakBars(
  { wanted, alone, tally }: Soaked,
  spreads: { readonly [name: string]: Spread },
  growth: number,
  { peakBytes, restartedBytes, records, allowedBytes }: Remains,
): readonly Bar[] {
  const slower =
    (spreads['orders amid hostile requests']?.p99 ?? NaN) / (spreads['orders alone']?.p99 ?? NaN)
  const refusals = records.strangers + records.clients
  const [isLong, hasMany] = [wanted >= requestsToTell, alone.orders.length >= ordersToTell]
  const amid = 'amid hostile requests'
  return [
    bar(
      `honest orders ${amid}, p99`,
      `at most ${slowerMax} times that alone`,
      times(slower),
      hasMany ? slower <= slowerMax : null,
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
