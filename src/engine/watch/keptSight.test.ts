import { expect, test } from 'vitest'
import type { Json, JsonObject } from '../../core/protocol/action.ts'
import { address } from '../../core/values/address.ts'
import { millis } from '../../core/values/millis.ts'
import { err, ok } from '../../core/values/result.ts'
import type { Urgency } from '../ports.ts'
import { AccountReads } from './accountReads.ts'
import { KeptSight } from './keptSight.ts'

test('each dex has a look in 15 s, and all of them eight in a minute', () => {
  let nowMs = 0
  const kept = new KeptSight({ monotonicMs: () => nowMs })
  const takes = (...dexes: readonly string[]) => dexes.map((dex) => kept.take(dex))
  expect(takes('', '', 'xyz', 'xyz')).toEqual([true, false, true, false])
  nowMs = 14_999
  expect(takes('', 'abc')).toEqual([false, true])
  nowMs = 15_000
  expect(takes('', 'xyz', 'a', 'b', 'c', 'd')).toEqual([true, true, true, true, true, false])
  nowMs = 60_000
  expect(takes('', 'xyz', 'e')).toEqual([true, true, false])
})

test.each([
  ['watch', 'no_weight', ['watch', 'watch', 'safety', 'safety']],
  ['watch', 'unreachable', ['watch', 'watch']],
  ['entry', 'no_weight', ['entry', 'entry']],
] as const)('a state that is asked for in %s and fails by %s', async (lane, kind, lanes) => {
  const asked: Urgency[] = []
  const told: string[] = []
  const summary = { accountValue: '5.0' }
  const body = {
    ...{ marginSummary: summary, crossMarginSummary: summary, withdrawable: '0.0' },
    ...{ assetPositions: [], time: 1 },
  }
  const reads = new AccountReads({
    clock: { now: () => millis(0), monotonicMs: () => 0 },
    venue: {
      info: (request: Json, by: Urgency) => {
        expect((request as JsonObject)['type']).toBe('clearinghouseState')
        asked.push(by)
        const failure = kind === 'no_weight' ? { kind, text: '', retryMs: 1 } : { kind, text: '' }
        return Promise.resolve(by === 'safety' ? ok({ status: 200, body }) : err(failure))
      },
    },
    account: address(`0x${'a'.repeat(40)}`),
    deliver: (news) => {
      told.push(news.kind)
    },
    dexesToRead: () => ['xyz'],
  })
  const read = await reads.state(lane)
  expect(asked).toEqual(lanes)
  expect([read.ok, told]).toEqual(lanes.length > 2 ? [true, ['dex_states']] : [false, []])
})
