import { expect, test } from 'vitest'
import { ManualTime } from '../../journal/journal.fixture.ts'
import { Alerts } from '../alerts.ts'
import { ForeignNonces, signIn } from './foreignNonces.ts'

test.each([
  ['a nonce that was used before', 'Invalid nonce: duplicate nonce 50', true],
  ['another nonce that was used before', 'Invalid nonce: duplicate nonce 51', false],
  ['a bound above all of Guard’s', 'Invalid nonce: nonce too low 50 < 61', true],
  ['a bound at Guard’s highest', 'Invalid nonce: nonce too low 50 < 60', false],
  ['a bound among Guard’s', 'Invalid nonce: nonce too low 50 < 55', false],
  ['words about another nonce', 'Invalid nonce: nonce too low 49 < 99', false],
  ['a nonce ahead', 'Invalid nonce: nonce too high 50 > 40', false],
  ['something else', 'Order price cannot be more than 80% away', false],
])('%s: a sign of somebody else? (%s) %s', (_, text, isSign) => {
  expect(signIn(text, 50, 60) !== null).toBe(isSign)
})

test('a sign is an alert for an hour after the last one, and an event each time', async () => {
  const time = new ManualTime()
  const alerts = new Alerts()
  const events: string[] = []
  const nonces = new ForeignNonces({
    clock: time,
    timers: time,
    alerts,
    recorder: {
      record: (body) => {
        if (body.kind === 'error') events.push(body.text)
        return null
      },
    },
    highestNonce: () => 60,
  })
  nonces.hear('Action already expired', 50)
  expect(alerts.list()).toEqual([])
  nonces.hear('Invalid nonce: duplicate nonce 50', 50)
  expect(alerts.has('foreign_nonce')).toBe(true)
  await time.pass(3_000_000)
  nonces.hear('Invalid nonce: nonce too low 50 < 70', 50)
  await time.pass(3_599_999)
  expect(alerts.list().map(({ text }) => text)).toEqual([
    "the venue wants nonces above 70, and Guard's highest is 60: another program seems to use Guard's API wallet",
  ])
  await time.pass(1)
  expect(alerts.list()).toEqual([])
  expect(events).toHaveLength(2)
})
