import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import type { Counts } from './counts.ts'
import { HttpLine } from './httpLine.ts'
import { spreadOf } from './quantiles.ts'
import type { Spread } from './quantiles.ts'
import { bar, ms, times } from './report.ts'
import type { PartReport } from './report.ts'
import type { StartRole } from './roles/startRole.ts'
import { stateOf, untilAsync } from './safetyTimes.ts'
import { unexpected } from './unexpected.ts'
import { openWorld } from './world.ts'
import type { BenchWorld } from './world.ts'

/** Beyond this an account that nobody tells of is stale: reads were asked for, and hang. */
const silentMs = 7_000
const ratioMax = 1.2
const protectedMsMax = 10_000
const failingShare = '0.3'

/** Getting out while the stream is silent and reads hang; a start while reads fail. */
export async function measureTrouble(startRole: StartRole, counts: Counts): Promise<PartReport> {
  const exits = await exitTimes(startRole, counts.troubledExits)
  const starts = await startTimes(startRole, counts.troubledStarts)
  const ratio = exits.silent.p50 / exits.living.p50
  const row = (name: string, { p50, p90, p99 }: Spread): string[] => [
    name,
    ...[p50, p90, p99].map(ms),
  ]
  return {
    name: 'trouble',
    title: 'Getting out in trouble',
    notes: [
      "A bot's exit, from its request to its answer: with everything working, then with the stream silent and every read hanging. A start: from the program's start to the stop of a position that had none, while 30% of the reads fail.",
    ],
    tables: [
      {
        title: "A bot's exit",
        columns: ['', 'p50', 'p90', 'p99'],
        rows: [
          row('with a living stream', exits.living),
          row('stream silent, reads hanging', exits.silent),
        ],
      },
      {
        title: 'A start with failing reads',
        columns: ['', 'p50', 'p90', 'p99'],
        rows: [row('to the first protection', starts)],
      },
    ],
    bars: [
      bar(
        'exit with the stream silent and reads hanging',
        'within 1.2 times the normal one',
        times(ratio),
        ratio <= ratioMax,
      ),
      bar(
        'start to first protection with 30% of reads failing, p99',
        'within 10 s',
        ms(starts.p99),
        starts.p99 <= protectedMsMax,
      ),
    ],
    figures: JSON.parse(JSON.stringify({ exits, starts })) as Json,
  }
}

interface ExitTimes {
  readonly living: Spread
  readonly silent: Spread
}

async function exitTimes(startRole: StartRole, count: number): Promise<ExitTimes> {
  const leverage = { type: 'isolated', value: 5 }
  const positions = [{ coin: 'ETH', szi: '100', entryPx: '4000', leverage }]
  const world = await openWorld(startRole, 1, { positions })
  try {
    const [account] = world.accounts
    if (account === undefined) throw new Error('no account')
    const guard = await world.startGuard(account, { anyMarket: true })
    await untilAsync(async () => (await stateOf(world)).stops > 0)
    const line = await HttpLine.open(guard.url)
    const timed = async (): Promise<Spread> => {
      const taken: number[] = []
      for (let n = 0; n < count; n += 1) {
        const body = account.bots[0].sign(smallExit)
        const begun = performance.now()
        const reply = await line.post('/exchange', body)
        taken.push(performance.now() - begun)
        if (!reply.includes('"filled"')) throw unexpected('the exit', reply)
      }
      return spreadOf(taken)
    }
    await timed()
    const living = await timed()
    await fault(world, { where: 'ws', kind: 'silence', count: 0 })
    await fault(world, { where: 'info', kind: 'delay', ms: 600_000, count: 0 })
    await new Promise((resolve) => setTimeout(resolve, silentMs))
    const silent = await timed()
    await clearFaults(world)
    line.close()
    return { living, silent }
  } finally {
    await world.close()
  }
}

const smallExit: JsonObject = {
  type: 'order',
  orders: [{ a: 1, b: false, p: '3900', s: '0.01', r: true, t: { limit: { tif: 'Ioc' } } }],
  grouping: 'na',
}

async function startTimes(startRole: StartRole, count: number): Promise<Spread> {
  const taken: number[] = []
  for (let n = 0; n < count; n += 1) taken.push(await oneStart(startRole))
  return spreadOf(taken)
}

async function oneStart(startRole: StartRole): Promise<number> {
  const leverage = { type: 'isolated', value: 5 }
  const positions = [{ coin: 'ETH', szi: '1', entryPx: '4000', leverage }]
  const world = await openWorld(startRole, 1, { positions })
  try {
    const [account] = world.accounts
    if (account === undefined) throw new Error('no account')
    await fault(world, { where: 'info', kind: 'fail_share', share: failingShare, count: 0 })
    const begun = performance.now()
    const starting = world.startGuard(account, { anyMarket: true })
    await untilAsync(async () => (await stateOf(world)).stops > 0)
    const taken = performance.now() - begun
    await clearFaults(world)
    await starting
    return taken
  } finally {
    await world.close()
  }
}

async function fault(world: BenchWorld, body: JsonObject): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const sent = { method: 'POST', headers, body: JSON.stringify(body) }
  const answer = await fetch(`${world.venue.url}/sim/fault`, sent)
  if (!answer.ok) throw unexpected('a fault', await answer.text())
}

async function clearFaults(world: BenchWorld): Promise<void> {
  await fetch(`${world.venue.url}/sim/fault`, { method: 'DELETE' })
}
