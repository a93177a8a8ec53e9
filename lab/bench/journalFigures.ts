import { join } from 'node:path'
import type { Json } from '../../src/core/protocol/action.ts'
import { durableAppends, fillJournal, rawAppends, startAndLookUp } from './journalOnDisk.ts'
import type { Counts } from './counts.ts'
import { medianOf } from './quantiles.ts'
import { bar, ms, times, whole } from './report.ts'
import type { Bar, PartReport } from './report.ts'
import type { BenchAccount, BenchWorld } from './world.ts'

interface Appends {
  readonly inFlight: number
  readonly raw: number
  readonly own: Awaited<ReturnType<typeof durableAppends>>
}

interface Sized {
  readonly size: number
  readonly open: number
  readonly lookUp: number
  /** Guard from its start to serving bots, with the journal it left when it last stopped. */
  readonly ready: number
}

const starts = 3

/** Appends against the bare disk, and what a long journal costs at start and at lookup. */
export async function measureJournal(world: BenchWorld, counts: Counts): Promise<PartReport> {
  const [of] = world.accounts
  if (of === undefined) throw new Error('no account')
  const appends: Appends[] = []
  for (const inFlight of [1, 16, 256]) {
    const home = world.newHome()
    const raw = await rawAppends(join(home, 'raw'), counts.journalAppends)
    const own = await durableAppends(join(home, 'own'), inFlight, counts.journalAppends)
    appends.push({ inFlight, raw, own })
  }
  const sized: Sized[] = []
  for (const size of counts.journalSizes) sized.push(await measureSize(world, of, size))
  return journalReport(appends, sized)
}

async function measureSize(world: BenchWorld, of: BenchAccount, size: number): Promise<Sized> {
  const home = world.newHome()
  const directory = join(home, 'state', 'journal')
  const identity = { account: of.account.address, network: 'testnet' } as const
  await fillJournal(directory, size, identity)
  const { start: open, lookUp } = await startAndLookUp(directory, size, identity)
  const ready: number[] = []
  // The first start reads everything and keeps what it found; that one is not counted.
  for (let n = 0; n <= starts; n += 1) {
    const guard = await world.startGuard(of, { home })
    if (n > 0) ready.push(Number(await guard.ask('ready_ms')))
    await guard.stop()
  }
  return { size, open, lookUp, ready: medianOf(ready) }
}

function journalReport(appends: readonly Appends[], sized: readonly Sized[]): PartReport {
  const [small] = sized
  const large = sized.at(-1)
  const against = (what: 'open' | 'lookUp' | 'ready', of: Sized): string =>
    times(of[what] / (small?.[what] ?? NaN))
  return {
    name: 'journal',
    title: 'Journal, lookup and start-up',
    notes: [],
    tables: [
      {
        title: 'Durable appends, against write + fdatasync one at a time',
        columns: [
          ...['in flight', 'appends/s', 'against the disk', 'p50', 'p99'],
          ...['event-loop delay p99', 'bytes an event'],
        ],
        rows: appends.map(({ inFlight, raw, own }) => [
          ...[String(inFlight), whole(own.perSecond), times(own.perSecond / raw)],
          ...[ms(own.p50), ms(own.p99), ms(own.loopMs), whole(own.bytes)],
        ]),
      },
      {
        title: 'By length of the journal; beside each, against the shortest',
        columns: ['events', 'open', '', 'lookup by nonce', '', 'Guard ready', ''],
        rows: sized.map((each) => [
          whole(each.size),
          ...[ms(each.open), against('open', each)],
          ...[ms(each.lookUp), against('lookUp', each)],
          ...[ms(each.ready), against('ready', each)],
        ]),
      },
    ],
    bars: small === undefined || large === undefined ? [] : sizeBars(small, large),
    figures: JSON.parse(JSON.stringify({ appends, sized })) as Json,
  }
}

function sizeBars(small: Sized, large: Sized): readonly Bar[] {
  const wanted = `at most 2x that at ${whole(small.size)}`
  return (['lookUp', 'open', 'ready'] as const).map((what) => {
    const names = { lookUp: 'lookup', open: 'opening the journal', ready: 'start-up to ready' }
    const ratio = large[what] / small[what]
    return bar(`${names[what]} at ${whole(large.size)} events`, wanted, times(ratio), ratio <= 2)
  })
}
