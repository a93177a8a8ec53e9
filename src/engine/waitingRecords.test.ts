import { expect, test } from 'vitest'
import type { DecisionBody } from '../core/events/guardEvent.ts'
import { limits } from '../core/values/limits.ts'
import { WaitingRecords } from './waitingRecords.ts'

const body = (text: string): DecisionBody => ({ kind: 'decision', text }) as DecisionBody

test('what waits comes out in order, once', () => {
  const waiting = new WaitingRecords()
  expect(waiting.isEmpty).toBe(true)
  waiting.add(body('one'))
  waiting.add(body('two'))
  expect(waiting.isEmpty).toBe(false)
  expect(waiting.takeAll()).toEqual({ bodies: [body('one'), body('two')], dropped: 0 })
  expect(waiting.isEmpty).toBe(true)
  expect(waiting.takeAll()).toEqual({ bodies: [], dropped: 0 })
})

test.each([
  ['records', 'x', limits.waitingRecordsMax],
  ['bytes', 'x'.repeat(1_048_000), 8],
])('beyond the bound of %s it only counts', (_, text, kept) => {
  const waiting = new WaitingRecords()
  for (let count = 0; count < kept + 3; count += 1) waiting.add(body(text))
  const { bodies, dropped } = waiting.takeAll()
  expect([bodies.length, dropped]).toEqual([kept, 3])
  waiting.add(body('again'))
  expect(waiting.takeAll()).toEqual({ bodies: [body('again')], dropped: 0 })
})
