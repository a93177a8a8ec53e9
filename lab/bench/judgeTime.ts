import type { Account } from '../../src/core/account/account.ts'
import type { Decision, JudgeInput } from '../../src/core/judge/decision.ts'
import { judge } from '../../src/core/judge/judge.ts'
import { decodeAction } from '../../src/core/protocol/decodeAction.ts'
import { judgeRecorded } from '../../src/engine/request/judgement.ts'
import type { Counts } from './counts.ts'
import { accountWith, forgetSums, inputOf } from './judgedAccount.ts'
import { allowedOrder } from './orders.ts'
import { spreadOf } from './quantiles.ts'
import type { Spread } from './quantiles.ts'
import { bar, times } from './report.ts'
import type { PartReport } from './report.ts'

const cases = [
  { orders: 0, positions: 0 },
  { orders: 10, positions: 0 },
  { orders: 100, positions: 0 },
  { orders: 1_000, positions: 0 },
  { orders: 0, positions: 10 },
  { orders: 0, positions: 50 },
  { orders: 1_000, positions: 50 },
] as const

/** How long a decision takes, by what the account holds: everything rests on the order's own coin. */
export function measureJudge(counts: Counts): PartReport {
  const worlds = cases.map((held) => ({
    held,
    account: accountWith(held.orders, held.positions),
    judged: [] as number[],
    recorded: [] as number[],
  }))
  // In turns, so that whatever disturbs the machine disturbs all of them.
  for (let round = -counts.judgeRuns / 10; round < counts.judgeRuns; round += 1) {
    for (const { account, judged, recorded } of worlds) {
      const plain = timed(account, (input) => judge(input))
      const written = timed(account, (input) => judgeRecorded(account, input).decision)
      if (round >= 0) {
        judged.push(plain)
        recorded.push(written)
      }
    }
  }
  const rows = worlds.map(({ held, judged, recorded }) => ({
    ...{ held, judge: spreadOf(judged), recorded: spreadOf(recorded) },
  }))
  return judgeReport(rows)
}

interface Row {
  readonly held: { readonly orders: number; readonly positions: number }
  readonly judge: Spread
  readonly recorded: Spread
}

function judgeReport(rows: readonly Row[]): PartReport {
  const us = (value: number): string => `${value.toFixed(1)} us`
  const empty = rows.find(({ held }) => held.orders === 0 && held.positions === 0)?.judge.p50 ?? NaN
  const crowded = rows.find(({ held }) => held.orders === 1_000 && held.positions === 0)
  const ratio = (crowded?.judge.p50 ?? NaN) / empty
  return {
    name: 'judge',
    title: 'Judge time',
    notes: [
      'An entry with its stop, allowed. Between two decisions an order is reserved and settled, so ' +
        'that no answer comes from a cache that a real account would not have. "Recorded" also ' +
        'writes down everything that was read, as the request line does.',
    ],
    tables: [
      {
        title: '',
        columns: [
          ...['open orders', 'positions', 'p50', 'p90', 'p99'],
          ...['recorded p50', 'recorded p99'],
        ],
        rows: rows.map(({ held, judge: plain, recorded }) => [
          ...[String(held.orders), String(held.positions)],
          ...[plain.p50, plain.p90, plain.p99, recorded.p50, recorded.p99].map(us),
        ]),
      },
    ],
    bars: [
      bar('judge, empty account', 'p50 at most 30 us', us(empty), empty <= 30),
      bar('judge, 1,000 open orders', 'at most 1.5x the empty account', times(ratio), ratio <= 1.5),
    ],
    figures: JSON.parse(JSON.stringify(rows)) as PartReport['figures'],
  }
}

/** Microseconds for one decision; afterwards the account is as it was, its sums forgotten. */
export function timed(
  account: Account,
  decide: (input: JudgeInput) => Decision,
  asset = 0,
): number {
  const decoded = decodeAction(allowedOrder(asset).action)
  if (!decoded.ok) throw new Error(decoded.error.join('; '))
  const input = inputOf(account, decoded.value)
  const begun = performance.now()
  const decision = decide(input)
  const took = (performance.now() - begun) * 1_000
  if (decision.verdict !== 'allow') throw new Error(`it was not allowed: ${decision.text}`)
  forgetSums(account, decision)
  return took
}
