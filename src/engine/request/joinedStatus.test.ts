import { expect, test } from 'vitest'
import type { ReplyStatus } from '../../core/protocol/exchangeReply.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { joinedStatus } from './joinedStatus.ts'

const filled = (oid: number, size: string, price: string): ReplyStatus => ({
  ...{ kind: 'filled', oid, cloid: null },
  ...{ totalSize: Decimal.of(size), averagePrice: Decimal.of(price) },
})
const refused: ReplyStatus = { kind: 'error', text: 'Order could not immediately match' }
const unknown: ReplyStatus = { kind: 'unknown', json: 7 }

test.each<[string, readonly ReplyStatus[], ReplyStatus]>([
  ['one piece is itself', [filled(1, '2', '10')], filled(1, '2', '10')],
  ['sum and average', [filled(1, '2', '10'), filled(2, '1', '13')], filled(1, '3', '11')],
  ['a part of them', [refused, filled(2, '1', '13')], filled(2, '1', '13')],
  ['none of them', [refused, refused], refused],
  ['nothing filled', [filled(1, '0', '0'), filled(2, '0', '0')], filled(1, '0', '0')],
  ['one in doubt', [filled(1, '2', '10'), unknown], unknown],
  ['no status at all', [], { kind: 'unknown', json: null }],
])('%s', (_, statuses, expected) => {
  expect(JSON.stringify(joinedStatus(statuses))).toBe(JSON.stringify(expected))
})
