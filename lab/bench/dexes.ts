import { judge } from '../../src/core/judge/judge.ts'
import { loadCrypto } from '../../src/crypto/loadCrypto.ts'
import { cheapCrypto } from '../storm/cheapCurve.ts'
import type { Counts } from './counts.ts'
import { weigh } from './dexWeight.ts'
import type { Weighed } from './dexWeight.ts'
import { accountOnDex, dexAsset } from './judgedAccount.ts'
import { timed } from './judgeTime.ts'
import { spreadOf } from './quantiles.ts'
import type { Spread } from './quantiles.ts'
import { bar, times } from './report.ts'
import type { PartReport } from './report.ts'

const weightMost = 1.3
const judgeMost = 1.1

/** What builder dexes cost: request weight, counted by the venue, and time in the judge. */
export async function measureDexes(counts: Counts): Promise<PartReport> {
  const crypto = cheapCrypto((await loadCrypto()).keccak256)
  const minutes = counts.weighedMinutes
  const weighed = [
    await weigh(crypto, { listed: 0, used: 0, minutes }),
    await weigh(crypto, { listed: 3, used: 0, minutes }),
    await weigh(crypto, { listed: 3, used: 3, minutes }),
    await weigh(crypto, { listed: 10, used: 3, minutes }),
  ]
  return dexReport(minutes, weighed, judgeTimes(counts.judgeRuns))
}

interface JudgeTimes {
  readonly main: Spread
  readonly dex: Spread
}

/** The same order on the main dex and on a builder dex, in turns. */
function judgeTimes(runs: number): JudgeTimes {
  const account = accountOnDex()
  const [main, dex]: [number[], number[]] = [[], []]
  for (let round = -runs / 10; round < runs; round += 1) {
    const onMain = timed(account, judge)
    const onDex = timed(account, judge, dexAsset)
    if (round < 0) continue
    main.push(onMain)
    dex.push(onDex)
  }
  return { main: spreadOf(main), dex: spreadOf(dex) }
}

function dexReport(minutes: number, weighed: readonly Weighed[], judged: JudgeTimes): PartReport {
  const alone = weighed[0]?.perMinute ?? NaN
  const ratioOf = ({ perMinute }: Weighed): number => perMinute / alone
  const inUse = Math.max(...weighed.filter(({ used }) => used > 0).map(ratioOf))
  const ratio = judged.dex.p50 / judged.main.p50
  const us = (value: number): string => `${value.toFixed(1)} us`
  return {
    name: 'dexes',
    title: 'Builder dexes',
    notes: [
      `Request weight as the venue counts it, a minute, over ${minutes} minutes of its own time after ` +
        'the first three: Guard and the venue in a world of fake time, so that the figure is a count and ' +
        'the same on every machine. The account holds a position on the main dex, and one on each dex in ' +
        'use, which the rules name. The judge decides on the same order, with its stop, in a market of ' +
        'either kind.',
    ],
    tables: [
      {
        title: 'Request weight',
        columns: ['builder dexes', 'in use', 'weight a minute', 'against the main dex alone'],
        rows: weighed.map((each) => [
          ...[String(each.listed), String(each.used), each.perMinute.toFixed(1)],
          times(ratioOf(each)),
        ]),
      },
      {
        title: 'Judge',
        columns: ['market', 'p50', 'p90', 'p99'],
        rows: Object.entries(judged).map(([name, { p50, p90, p99 }]: [string, Spread]) => [
          name === 'main' ? 'of the main dex' : 'of a builder dex',
          ...[p50, p90, p99].map(us),
        ]),
      },
    ],
    bars: [
      bar(
        'request weight on three builder dexes',
        `at most ${weightMost}x the main dex alone`,
        times(inUse),
        inUse <= weightMost,
      ),
      bar(
        'judge, a market of a builder dex',
        `p50 at most ${judgeMost}x one of the main dex`,
        times(ratio),
        ratio <= judgeMost,
      ),
    ],
    figures: JSON.parse(JSON.stringify({ minutes, weighed, judged })) as PartReport['figures'],
  }
}
