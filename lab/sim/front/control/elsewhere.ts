import type { Json } from '../../../../src/core/protocol/action.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'
import type { OrderElsewhere } from '../../engine/elsewhere.ts'
import type { Front } from '../front.ts'
import {
  ControlProblem,
  onlyFields,
  readAddress,
  readChoice,
  readCoinName,
  readDecimal,
  readFields,
  readOptionalDecimal,
} from './problems.ts'
import type { Fields } from './problems.ts'

/**
 * A fill or a resting order of an account on a market that is no perp of the main dex: a spot pair or
 * a builder dex's market. `fill` or `order` is `{coin, side, px, sz}`, a fill may tell `closedPnl`.
 */
export function elsewhere(front: Front, body: Json): Json {
  const fields = readFields(body, 'body')
  onlyFields(fields, 'body', ['user', 'fill', 'order'])
  const user = readAddress(fields['user'], 'user')
  const isFill = fields['fill'] !== undefined
  if (isFill === (fields['order'] !== undefined)) {
    throw new ControlProblem('the body must have either fill or order')
  }
  const told = readFields(fields[isFill ? 'fill' : 'order'], isFill ? 'fill' : 'order')
  onlyFields(told, isFill ? 'fill' : 'order', ['coin', 'side', 'px', 'sz', 'closedPnl'])
  const order = readOrder(told)
  const closedPnl = readOptionalDecimal(told['closedPnl'], 'closedPnl') ?? Decimal.zero
  const done = isFill
    ? front.venue.tradeElsewhere(user, { ...order, closedPnl })
    : front.venue.orderElsewhere(user, order)
  if (!done.ok) throw new ControlProblem(done.error)
  return { user, oid: done.value }
}

function readOrder(fields: Fields): OrderElsewhere {
  return {
    coin: readCoinName(fields['coin'], 'coin'),
    isBuy: readChoice(fields['side'], 'side', ['B', 'A']) === 'B',
    price: readDecimal(fields['px'], 'px'),
    size: readDecimal(fields['sz'], 'sz'),
  }
}
