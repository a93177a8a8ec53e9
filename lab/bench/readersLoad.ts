import type { Counts } from './counts.ts'
import { HttpLine } from './httpLine.ts'
import { passingOrder } from './orders.ts'
import { spreadOf } from './quantiles.ts'
import type { Spread } from './quantiles.ts'
import { bar, ms, times } from './report.ts'
import type { PartReport } from './report.ts'
import { latestSeq, openStream } from './traffic.ts'
import type { BenchWorld } from './world.ts'

const readers = 100
const pollers = 4
const everyMs = 50
/** Four pollers, each so often, ask a thousand times a second. */
const pollMs = 4

/** The order path at the venue's own pace, with and without many readers, in turns. */
export async function measureReaders(world: BenchWorld, counts: Counts): Promise<PartReport> {
  const [of] = world.accounts
  if (of === undefined) throw new Error('no account')
  const guard = await world.startGuard(of)
  const line = await HttpLine.open(guard.url)
  const [bot] = of.bots
  const alone: number[] = []
  const crowded: number[] = []
  const perTurn = Math.min(40, counts.latencyPerRound * 4)
  for (let turn = -1; turn < Math.ceil(counts.latencyRounds / 8); turn += 1) {
    for (const isCrowded of [false, true]) {
      const stop = isCrowded ? await startReaders(guard.url) : () => undefined
      for (let n = 0; n < perTurn; n += 1) {
        await new Promise((resolve) => setTimeout(resolve, everyMs))
        const body = bot.sign(passingOrder())
        const begun = performance.now()
        await line.post('/exchange', body)
        if (turn >= 0) (isCrowded ? crowded : alone).push(performance.now() - begun)
      }
      stop()
    }
  }
  line.close()
  return readersReport(spreadOf(alone), spreadOf(crowded))
}

/** A hundred event streams and a thousand polls a second. */
async function startReaders(url: string): Promise<() => void> {
  const since = await latestSeq(url)
  const streams = Array.from({ length: readers }, () => openStream(url, since))
  const lines = await Promise.all(Array.from({ length: pollers }, () => HttpLine.open(url)))
  const busy = new Set<HttpLine>()
  const poll = setInterval(() => {
    for (const line of lines) {
      if (busy.has(line)) continue
      busy.add(line)
      line.get('/guard/events?since=999999999').then(
        () => busy.delete(line),
        () => undefined,
      )
    }
  }, pollMs)
  return () => {
    clearInterval(poll)
    for (const each of [...lines, ...streams]) {
      if (typeof each === 'function') each()
      else each.close()
    }
  }
}

function readersReport(alone: Spread, crowded: Spread): PartReport {
  const slower = crowded.p50 / alone.p50
  const row = (name: string, { p50, p90, p99 }: Spread): string[] => [
    name,
    ...[p50, p90, p99].map(ms),
  ]
  return {
    name: 'readers',
    title: 'Orders beside many readers',
    notes: [
      'Twenty orders a second, the most the venue takes, alone and with a hundred event streams and ' +
        'a thousand polls a second, all readers on the same cores.',
    ],
    tables: [
      {
        title: '',
        columns: ['', 'p50', 'p90', 'p99'],
        rows: [row('alone', alone), row('with readers', crowded)],
      },
    ],
    bars: [
      bar(
        'an order beside 100 streams and 1,000 polls/s',
        'at most 1.2x',
        times(slower),
        slower <= 1.2,
      ),
    ],
    figures: { alone: { ...alone }, crowded: { ...crowded } },
  }
}
