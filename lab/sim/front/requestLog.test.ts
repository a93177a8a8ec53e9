import { expect, test } from 'vitest'
import { RequestLog } from './requestLog.ts'

const sent = (action: string) => ({ action, nonce: 1, expiresAfter: null, vaultAddress: null })
const all = (log: RequestLog, since = 0) => log.since(since) as unknown as { n: number }[]

test('what is too long is told by its length, whichever field carries it', () => {
  const log = new RequestLog()
  const long = 'x'.repeat(200_000)
  log.open(0, 'http', { ...sent(long), nonce: long, vaultAddress: long })
  expect(all(log)).toMatchObject([
    {
      action: { cut: true, length: 200_002 },
      nonce: { cut: true, length: 200_002 },
      vaultAddress: { cut: true, length: 200_002 },
    },
  ])
})

test('it keeps a bounded amount, the latest, and tells it page by page', () => {
  const log = new RequestLog()
  const body = 'x'.repeat(100_000)
  for (let at = 0; at < 2_000; at++) log.answered(log.open(at, 'ws', sent(body)), { status: 'ok' })
  const told: number[] = []
  for (let page = all(log); page.length > 0; page = all(log, told.at(-1))) {
    expect(JSON.stringify(page).length).toBeLessThan(9_000_000)
    told.push(...page.map(({ n }) => n))
  }
  expect(told.at(-1)).toBe(2_000)
  expect(told).toEqual([...told.keys()].map((at) => 2_001 - told.length + at))
  expect(told.length * 100_000).toBeLessThan(33_554_432)
  expect(told.length).toBeGreaterThan(100)
})

test('an answer to what is no longer kept is not counted', () => {
  const log = new RequestLog()
  const first = log.open(0, 'http', sent('first'))
  log.clear()
  log.answered(first, 'late')
  expect(all(log)).toEqual([])
})
