import { confirmed, judged, notSeen, refuted, untold } from './point.ts'
import type { Point, Sight } from './point.ts'
import type { OrderRow } from '../../../core/protocol/decodeInfoOrders.ts'
import type { FillRow, LiquidationRow, Told } from './told.ts'

/** What belongs to one moment is told with times no further apart. */
const momentMs = 5_000

/** Points about what became of orders and positions, seen in the account's past. */
export const historyPoints: readonly Point[] = [
  {
    name: 'trigger-number',
    assumed: 'a trigger that fires goes on under its own order number',
    option: 'trigger_new_oid',
    look: (told) => pastTriggers(told, lookAtNumbers),
  },
  {
    name: 'trigger-unmatched',
    assumed: 'a market trigger that fires and meets no price it may take ends',
    option: 'triggeredMarketWithoutMatch',
    look: (told) => pastTriggers(told, lookAtUnmatched),
  },
  {
    name: 'trigger-without-margin',
    assumed: 'an entry that fires without enough margin ends without a fill',
    option: 'trigger_no_margin',
    look: (told) => pastTriggers(told, lookAtUnmargined),
  },
  {
    name: 'liquidation-fee',
    assumed: 'a liquidation on the book costs a taker’s fee',
    option: 'liquidationFee',
    look: (told) =>
      lookAtLiquidations(told, 'market', ({ fee }) => ({
        fits: fee.isPositive(),
        values: { fee: fee.toString() },
      })),
  },
  {
    name: 'backstop-price',
    assumed: 'the liquidator takes a position over at the mark',
    option: 'backstopPrice',
    look: (told) =>
      lookAtLiquidations(told, 'backstop', ({ price, liquidation }) => ({
        fits: liquidation?.mark.eq(price) === true,
        values: { px: price.toString(), markPx: liquidation?.mark.toString() ?? null },
      })),
  },
  {
    name: 'liquidation-cancels',
    assumed: 'a cross liquidation ends every order of the account',
    option: 'liqCancels',
    look: lookAtCancels,
  },
  {
    name: 'twap-fills',
    assumed: 'fills of a TWAP’s slices are in their own list alone',
    option: null,
    look: ({ slices, fills }) => {
      if (slices === null || fills === null) return untold('userTwapSliceFills or userFills')
      if (slices.length === 0) return notSeen('no TWAP has filled')
      const plain = new Set(fills.map(({ tid }) => tid))
      const both = slices.filter(({ tid }) => plain.has(tid)).length
      const values = { slices: slices.length, in_both: both }
      return both === 0 ? confirmed('so', values) : refuted('they are in both', values)
    },
  },
  {
    name: 'old-order',
    assumed: 'the status of an order that ended long ago can still be asked',
    option: null,
    look: ({ oldest, history }) => {
      if (oldest === null) {
        return history === null ? untold('historicalOrders') : notSeen('no order in the past')
      }
      const values = { oid: oldest.oid }
      return oldest.isKnown ? confirmed('it is known', values) : refuted('it is forgotten', values)
    },
  },
]

/** A trigger order with its past: its last row, and whether one of them says that it fired. */
interface PastTrigger {
  readonly last: OrderRow
  readonly firedAt: number | null
  readonly isOpen: boolean
  readonly ownFills: readonly FillRow[]
}

function pastTriggers(
  { history, orders, fills }: Told,
  look: (triggers: readonly PastTrigger[], fills: readonly FillRow[]) => Sight,
): Sight {
  if (history === null || fills === null) return untold('historicalOrders or userFills')
  if (orders === null) return notSeen('the open orders changed meanwhile, or were not told')
  const open = new Set(orders.map(({ oid }) => oid))
  const byOid = new Map<number, OrderRow[]>()
  for (const row of history.toReversed()) {
    if (row.order.trigger === null) continue
    const { oid } = row.order
    byOid.set(oid, [...(byOid.get(oid) ?? []), row])
  }
  const triggers = [...byOid].map(([oid, rows]) => ({
    last: rows.at(-1) as OrderRow,
    firedAt: rows.find(({ status }) => status === 'triggered')?.at ?? null,
    isOpen: open.has(oid),
    ownFills: fills.filter((fill) => fill.oid === oid),
  }))
  return look(triggers, fills)
}

function lookAtNumbers(triggers: readonly PastTrigger[], fills: readonly FillRow[]): Sight {
  const fired = triggers.filter(({ last, firedAt }) => firedAt !== null || last.status === 'filled')
  const lost = fired.filter(
    (each) => each.last.status === 'triggered' && !each.isOpen && isFilledElsewhere(each, fills),
  )
  if (lost.length > 0) return refuted('the fill has another number', shownTriggers(lost))
  const kept = fired.filter(({ ownFills }) => ownFills.length > 0)
  return kept.length === 0
    ? notSeen('no trigger that fired and filled')
    : confirmed('the fill has its number', shownTriggers(kept))
}

/** A fill that looks like this trigger's, under a number that is not its own. */
function isFilledElsewhere({ last, ownFills }: PastTrigger, fills: readonly FillRow[]): boolean {
  const { coin, isBuy, oid } = last.order
  return (
    ownFills.length === 0 &&
    fills.some(
      (fill) =>
        fill.coin === coin &&
        fill.isBuy === isBuy &&
        fill.oid !== oid &&
        Math.abs(fill.at - last.at) <= momentMs,
    )
  )
}

const unmatchedEnds = new Set(['iocCancelRejected', 'marketOrderNoLiquidityRejected'])

function lookAtUnmatched(triggers: readonly PastTrigger[]): Sight {
  const market = triggers.filter(({ last }) => last.order.trigger?.isMarket === true)
  const resting = market.filter(({ firedAt, isOpen }) => firedAt !== null && isOpen)
  if (resting.length > 0) return refuted('it rests', shownTriggers(resting))
  const ended = market.filter(({ last }) => unmatchedEnds.has(last.status))
  return ended.length === 0
    ? notSeen('no market trigger that fired and met nothing')
    : confirmed('it ended', shownTriggers(ended))
}

function lookAtUnmargined(triggers: readonly PastTrigger[]): Sight {
  const entries = triggers.filter(({ last }) => !last.order.isReduceOnly)
  const part = entries.filter(
    ({ last, ownFills }) => last.status === 'marginCanceled' && ownFills.length > 0,
  )
  if (part.length > 0) return refuted('a part of it filled', shownTriggers(part))
  const rejected = entries.filter(
    ({ last, ownFills }) => last.status === 'perpMarginRejected' && ownFills.length === 0,
  )
  return rejected.length === 0
    ? notSeen('no entry that fired without margin')
    : confirmed('nothing filled', shownTriggers(rejected))
}

const shownMost = 5

function shownTriggers(triggers: readonly PastTrigger[]): Sight['values'] {
  const rows = triggers.slice(0, shownMost).map(({ last, ownFills }) => ({
    ...{ coin: last.order.coin, oid: last.order.oid, status: last.status },
    fills: ownFills.length,
  }))
  return { orders: rows, count: triggers.length }
}

function lookAtLiquidations(
  { fills }: Told,
  method: string,
  judge: (fill: FillRow) => { readonly fits: boolean; readonly values: Sight['values'] },
): Sight {
  if (fills === null) return untold('userFills')
  const own = fills.filter(({ liquidation }) => liquidation?.method === method)
  const cases = own
    .slice(0, shownMost)
    .map((fill) => ({ name: `${fill.coin} ${String(fill.tid)}`, ...judge(fill) }))
  return judged(cases, {
    none: 'no such liquidation',
    all: 'so in every one',
    some: 'not so',
  })
}

function lookAtCancels(told: Told): Sight {
  const { history, liquidation, orders } = told
  if (history === null || orders === null) return untold('historicalOrders or the open orders')
  if (liquidation?.isCross !== true) return notSeen('no cross liquidation')
  const others = history.filter((row) => !liquidation.coins.has(row.order.coin))
  const ended = others.filter(
    ({ status, at }) => status === 'liquidatedCanceled' && isAt(at, liquidation),
  )
  const open = orders.filter(({ coin, at }) => !liquidation.coins.has(coin) && at < liquidation.at)
  const values = { ended: ended.length, stayed: open.length }
  if (open.length > 0) return refuted('orders of other markets stayed', values)
  return ended.length === 0
    ? notSeen('no orders in other markets at that moment', values)
    : confirmed('orders of other markets ended too', values)
}

function isAt(at: number, liquidation: LiquidationRow): boolean {
  return Math.abs(at - liquidation.at) <= momentMs
}
