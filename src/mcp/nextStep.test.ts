import { expect, test } from 'vitest'
import { codes } from '../core/judge/codes.ts'
import { Decimal } from '../core/values/decimal.ts'
import { nextStep } from './nextStep.ts'
import { kindOf, orderAnswer, repeatedIf } from './orderAnswer.ts'
import type { AnsweredOrder } from './orderAnswer.ts'
import type { Outcome, PlacedOrder } from './outcome.ts'

const entry = { hasKey: true, kind: 'entry' } as const
const refused = (code: string) => nextStep({ state: 'refused', code, verdict: 'veto' }, entry)

test.each([
  ['guard_stop', 'stays while its position is open'],
  ['stop_removed', 'without full cover'],
  ['stop_wrong_side', 'below the price for a buy'],
  ['account_stale', 'Wait some seconds'],
  ['recovering', 'same idempotency_key'],
  ['open_risk', 'guard_limits'],
  ['below_minimum', 'Ask for more'],
  ['liquidation_too_close', 'tighter stop'],
  ['max_leverage', 'The reason says'],
])('the advice fits a refusal for %s', (code, words) => {
  expect(refused(code)).toContain(words)
})

test('every refusal has an advice', () => {
  for (const { code } of codes) expect(refused(code)?.length, code).toBeGreaterThan(20)
})

test('an unknown outcome without a key is found out from the venue', () => {
  const unknown = { state: 'unknown', code: null, verdict: null } as const
  expect(nextStep(unknown, entry)).toContain('the same idempotency_key')
  const keyless = nextStep(unknown, { ...entry, hasKey: false })
  expect(keyless).toContain('open_orders and fills')
  expect(keyless).not.toContain('idempotency_key')
})

test.each([
  ['that Guard has judged, has a new key', 'allow', true, 'with a new idempotency_key'],
  ['that never came to Guard, keeps its key', null, true, 'with the same idempotency_key'],
  ['without a key is sent again', 'allow', false, 'then send it again.'],
] as const)('what did not leave, and %s', (_, verdict, hasKey, words) => {
  const step = nextStep({ state: 'not_sent', code: null, verdict }, { ...entry, hasKey })
  expect(step).toContain(words)
})

test('only of an entry that the venue refused nothing is open', () => {
  const step = (kind: 'entry' | 'close' | 'change' | 'other') =>
    nextStep({ state: 'venue_refused', code: null, verdict: 'allow' }, { hasKey: true, kind })
  expect(step('entry')).toContain('Nothing of it is open')
  for (const kind of ['close', 'change', 'other'] as const) {
    expect(step(kind)).not.toContain('Nothing of it is open')
  }
  const close = { type: 'order', orders: [{ r: true }] }
  expect(kindOf(close)).toBe('close')
  expect(kindOf({ type: 'order', orders: [{ r: false }, { r: true }] })).toBe('entry')
  expect(kindOf({ type: 'modify', order: { r: true } })).toBe('change')
})

const outcome: Outcome = {
  ...{ state: 'done', verdict: 'allow', code: 'ok', reason: null, changes: [], venueWords: [] },
  statuses: [
    {
      ...{ kind: 'filled', oid: 1, cloid: null },
      ...{ totalSize: Decimal.of('1'), averagePrice: Decimal.of('100') },
    },
  ],
}
const order = { s: '1', p: '100' }
const stop = { s: '1', t: { trigger: { tpsl: 'sl', triggerPx: '95' } } }
const asked: AnsweredOrder = {
  ...{ coin: 'ETH', side: 'buy', askedSize: '1', cloid: '0x', nonce: 1 },
  ...{ hasKey: true, kind: 'entry' },
}
const answer = (status: PlacedOrder['statuses'][number], state: Outcome['state'] = 'done') => {
  const action = { type: 'order', orders: [order, stop] }
  const statuses = [...outcome.statuses, status]
  const placed = { index: 0, at: 0, action, order, statuses }
  return orderAnswer(asked, { ...outcome, state }, placed, false)
}

test('a stop that the venue refused is not told as one that is there', () => {
  const there = answer({ kind: 'waitingForFill' })
  expect(there.data.order.stop).toBe('95')
  const gone = answer({ kind: 'error', text: 'no' })
  expect(gone.data.order.stop).toBeNull()
  expect(gone.data.next).toContain('guard_status')
  expect(gone.text).toMatch(/refused the stop.*Guard covers/)
  expect(gone.text).not.toContain('stop at')
})

test('what was never sent was asked before, not sent before', () => {
  const words = (state: Outcome['state']) =>
    repeatedIf(true, answer({ kind: 'waitingForFill' }, state)).text.split(' ')[0]
  expect(words('done')).toBe('Sent')
  expect(words('refused')).toBe('Asked')
})
