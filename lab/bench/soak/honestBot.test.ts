import { expect, test } from 'vitest'
import { refusalIn, refusedCount, unexplained } from './honestBot.ts'

test.each([
  ['', 429, 'HTTP 429'],
  ['{"error":{"code":"no_room"}}', 503, 'HTTP 503'],
  ['{"status":"err","response":"..","code":"journal","verdict":"veto"}', 200, 'journal'],
  [
    '{"status":"ok","response":{"data":{"statuses":[{"error":"Too many"}]}},"code":"allowed"}',
    200,
    'the venue: Too many',
  ],
  ['{}', 200, 'the venue: {}'],
])('an honest request answered with %s and status %i counts as %s', (answer, status, why) => {
  expect(refusalIn(answer, status)).toBe(why)
})

test('only trouble of the machine explains a refusal', () => {
  const refused = { journal: 3, no_price: 2, account_stale: 1, 'HTTP 429': 4, auth_replay: 1 }
  expect(refusedCount({ refused })).toBe(11)
  expect(unexplained({ refused })).toBe(5)
})
