import { describe, expect, test } from 'vitest'
import { limits } from '../core/values/limits.ts'
import type { StatusView } from '../engine/statusView.ts'
import { fakeStatus } from '../gateway/status.fixture.ts'
import { MemberReport, summaryOf } from './memberReport.ts'
import { StoreError } from './storeSession.ts'
import type { StoreSession } from './storeSession.ts'

describe('the summary', () => {
  test('has what the fleet looks at, and exactly', () => {
    const summary = summaryOf(fakeStatus, 3)
    expect(summary).toMatchObject({
      ...{ mode: 'testnet', state: 'active', latched: false, equity: '10000.5' },
      ...{ loss_today: '99.5', daily_loss_left: '0.05015', drawdown_left: '0.1591' },
      ...{ gross_value: '6010', positions: 1, uncovered: 0, alerts: ['stream_stale'] },
      ...{ weight_used: 100, weight_limit: 1_200, outbox_lag: 3, entries_refused: null },
    })
  })

  test('what is not known is not made up', () => {
    const risk = { ...fakeStatus.risk, equity: null, daily_loss: null, drawdown: null }
    const [position] = fakeStatus.positions
    const positions = position === undefined ? [] : [position, { ...position, value: null }]
    expect(summaryOf({ ...fakeStatus, risk, positions }, null)).toMatchObject({
      ...{ equity: null, loss_today: null, daily_loss_left: null, drawdown_left: null },
      ...{ gross_value: null, outbox_lag: null },
    })
  })

  test('shorts count by what they are worth', () => {
    const [position] = fakeStatus.positions
    if (position === undefined) throw new Error('no position')
    const positions = [position, { ...position, value: '-10.5' }]
    expect(summaryOf({ ...fakeStatus, positions }, 0).gross_value).toBe('6020.5')
  })

  test('whatever stands in it, it is within what the store takes', () => {
    const worst = 'a\u{0}\u{202e}\u{1f4a5}"'.repeat(400)
    const alerts = Array.from({ length: 1_000 }, (_, at) => ({
      ...{ code: `code_${at}_${'x'.repeat(40)}`, text: worst, since_ms: 1 },
    }))
    const status: StatusView = {
      ...{ ...fakeStatus, alerts },
      kill: { latched: true, reason: worst, at_ms: 1, durable: true },
      entries: { pass: false, reason: worst },
    }
    const text = JSON.stringify(summaryOf(status, 1))
    expect(Buffer.byteLength(text)).toBeLessThan(limits.fleetReportBytesMax)
    expect(text).not.toContain('\\u0000')
  })
})

describe('telling it', () => {
  function reporting(answer: () => Promise<readonly []>) {
    let nowMs = 0
    const asked: unknown[][] = []
    const warned: string[] = []
    const report = new MemberReport({
      guard: { status: () => fakeStatus },
      clock: { monotonicMs: () => nowMs },
      journal: { journal: { head: { seq: 9, hash: 'ab' } } },
      outbox: { copied: 7, lag: 2 },
      log: { log: (_level, text) => warned.push(text) },
    })
    const query: StoreSession['query'] = (_text, values = []) => {
      asked.push([...values])
      return answer()
    }
    const session: StoreSession = { query, isOpen: true, close: () => undefined }
    return { report, session, asked, warned, after: (ms: number) => (nowMs += ms) }
  }

  test('every five seconds, with the head of the journal and how far it is copied', async () => {
    const { report, session, asked, after } = reporting(() => Promise.resolve([]))
    await report.tell(session)
    after(4_999)
    await report.tell(session)
    expect(asked).toHaveLength(1)
    expect(asked[0]?.slice(0, 3)).toEqual([9, 'ab', 7])
    after(1)
    await report.tell(session)
    expect(asked).toHaveLength(2)
  })

  test('a store that refuses it is told nothing more until the next connection', async () => {
    const { report, session, asked, warned, after } = reporting(() =>
      Promise.reject(new StoreError('refused', 'no such function', '42883')),
    )
    await report.tell(session)
    after(60_000)
    await report.tell(session)
    expect([asked.length, warned.length]).toEqual([1, 1])
    report.joined()
    await report.tell(session)
    expect(asked).toHaveLength(2)
  })

  test('an answer that is lost ends the connection, as every other does', async () => {
    const { report, session } = reporting(() => Promise.reject(new StoreError('unknown', 'gone')))
    await expect(report.tell(session)).rejects.toMatchObject({ kind: 'unknown' })
  })
})
