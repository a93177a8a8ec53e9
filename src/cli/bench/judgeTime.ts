import { Account } from '../../core/account/account.ts'
import type { Decision, JudgeInput } from '../../core/judge/decision.ts'
import { judge } from '../../core/judge/judge.ts'
import { decodeAction } from '../../core/protocol/decodeAction.ts'
import { guardCloidTailBytes, makeGuardCloid } from '../../core/protocol/guardCloid.ts'
import type { Market } from '../../core/protocol/market.ts'
import type { OpenOrder, VenuePosition } from '../../core/protocol/venueState.ts'
import { defaultRules } from '../../core/rules/rules.ts'
import { address } from '../../core/values/address.ts'
import { coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { millis } from '../../core/values/millis.ts'
import { judgeRecorded } from '../../engine/judgement.ts'
import type { Counts } from './counts.ts'
import { allowedOrder } from './orders.ts'
import { spreadOf } from './quantiles.ts'
import type { Spread } from './quantiles.ts'
import { bar, times } from './report.ts'
import type { PartReport } from './report.ts'

const now = millis(1_800_000_000_000)
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
      const written = timed(account, (input) => judgeRecorded(input).decision)
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

const rules = { ...defaultRules, maxOpenOrders: 10_000 }
const client = address(`0x${'c1'.repeat(20)}`)
const tail = new Uint8Array(guardCloidTailBytes)

/** Microseconds for one decision; afterwards the account is as it was, its sums forgotten. */
function timed(account: Account, decide: (input: JudgeInput) => Decision): number {
  const decoded = decodeAction(allowedOrder().action)
  if (!decoded.ok) throw new Error(decoded.error.join('; '))
  const input: JudgeInput = {
    account,
    rulesFor: () => rules,
    risk: { state: 'active', holding: false, lastEquity: null },
    latched: false,
    builders: new Set(),
    now,
    client,
    action: decoded.value,
    mint: (kind) => makeGuardCloid(kind, tail),
    entriesLastMinute: 0,
  }
  const begun = performance.now()
  const decision = decide(input)
  const took = (performance.now() - begun) * 1_000
  if (decision.verdict !== 'allow') throw new Error(`it was not allowed: ${decision.text}`)
  account.reserve('bench', decision.reservations[0] ?? [], now)
  account.settle('bench', { outcome: 'refused' }, now)
  return took
}

function accountWith(orders: number, positions: number): Account {
  const account = new Account()
  const held = Array.from({ length: positions }, (_, index) => market(index + 1, `P${index}`))
  const markets = [market(0, 'BTC'), ...held]
  const byAsset = new Map(markets.map((each) => [each.asset, each]))
  const byCoin = new Map(markets.map((each) => [each.coin, each]))
  const price = Decimal.of('100')
  const mids = new Map(markets.map((each) => [each.coin, each.asset === 0 ? btcPrice : price]))
  const leverage = { type: 'isolated', value: 5 } as const
  account.apply({ kind: 'markets', markets: { byAsset, byCoin }, at: now })
  account.apply({ kind: 'mode', mode: 'disabled', at: now })
  account.apply({ kind: 'mids', mids, at: now })
  const accountValue = Decimal.of('10000000')
  const state = {
    ...{ accountValue, withdrawable: accountValue, time: now },
    positions: held.map(({ coin: name }) => position(name)),
  }
  account.apply({ kind: 'state', state, source: 'read', at: now })
  const resting = Array.from({ length: orders / 2 }, (_, index) => bracket(index)).flat()
  const stops = held.map((each, index) => stopOf(each, 500_000 + index))
  account.apply({ kind: 'orders', orders: [...resting, ...stops], source: 'read', at: now })
  account.apply({ kind: 'leverage', coin: coin('BTC'), leverage, at: now })
  account.apply({ kind: 'stream', state: 'live', at: now })
  return account
}

const btcPrice = Decimal.of('100000')

function market(asset: number, name: string): Market {
  const tiers = [{ lowerBound: Decimal.zero, maxLeverage: 40 }]
  return {
    ...{ asset, coin: coin(name), sizeDecimals: 5, maxLeverage: 40, tiers },
    ...{ isDelisted: false, onlyIsolated: false },
  }
}

function position(name: Market['coin']): VenuePosition {
  return {
    coin: name,
    size: Decimal.one,
    entryPrice: Decimal.of('100'),
    positionValue: Decimal.of('100'),
    unrealisedPnl: Decimal.zero,
    leverage: { type: 'isolated', value: 5 },
    liquidationPrice: Decimal.of('80'),
    marginUsed: Decimal.of('20'),
    maxLeverage: 40,
  }
}

const usual = {
  ...{ size: Decimal.of('0.001'), originalSize: Decimal.of('0.001'), cloid: null, at: now },
  ...{ isPositionTpsl: false, children: [] },
}

/** An entry and the stop that waits for it; every one at a price of its own. */
function bracket(index: number): readonly OpenOrder[] {
  const oid = 1_000 + index * 2
  const price = new Decimal(BigInt(990_000 - index * 7), 1)
  const trigger = price.times(Decimal.of('0.985'))
  const btc = coin('BTC')
  return [
    {
      ...usual,
      ...{ coin: btc, isBuy: true, price, oid, isReduceOnly: false, trigger: null },
      children: [oid + 1],
    },
    {
      ...usual,
      ...{ coin: btc, isBuy: false, oid: oid + 1, isReduceOnly: true },
      price: trigger.times(Decimal.of('0.9')),
      trigger: { price: trigger, isMarket: true, tpsl: 'sl' },
    },
  ]
}

function stopOf({ coin: name }: Market, oid: number): OpenOrder {
  const price = Decimal.of('98')
  return {
    ...usual,
    ...{ coin: name, isBuy: false, price: Decimal.of('88.2'), oid, isReduceOnly: true },
    ...{ size: Decimal.one, originalSize: Decimal.one },
    trigger: { price, isMarket: true, tpsl: 'sl' },
  }
}
