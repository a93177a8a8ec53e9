import type { ReplyStatus } from '../../core/protocol/exchangeReply.ts'
import { Decimal } from '../../core/values/decimal.ts'

const averageScale = 10

/**
 * What became of one order of a bot that went in pieces, as the venue would say it of one: filled by
 * the sum at the average price, or refused where no piece was filled. In doubt if any piece is.
 */
export function joinedStatus(statuses: readonly ReplyStatus[]): ReplyStatus {
  const [first] = statuses
  if (first === undefined) return { kind: 'unknown', json: null }
  const doubtful = statuses.find(({ kind }) => kind === 'unknown')
  if (doubtful !== undefined) return doubtful
  const filled = statuses.flatMap((status) => (status.kind === 'filled' ? [status] : []))
  const [one] = filled
  if (one === undefined) return first
  const totalSize = filled.reduce((sum, each) => sum.plus(each.totalSize), Decimal.zero)
  const value = filled.reduce(
    (sum, each) => sum.plus(each.totalSize.times(each.averagePrice)),
    Decimal.zero,
  )
  if (!totalSize.isPositive()) return one
  return { ...one, totalSize, averagePrice: value.over(totalSize, averageScale, 'half-even') }
}
