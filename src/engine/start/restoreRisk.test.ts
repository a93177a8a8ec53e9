import { expect, test } from 'vitest'
import { defaultRules } from '../../core/rules/rules.ts'
import type { JournalHistory, JournalRecord } from '../ports.ts'
import { replayHistory } from './recovery.ts'
import { isRiskUnread, restoreRisk } from './restoreRisk.ts'

/** A journal of which only the records from this number on are kept, and no snapshot can be read. */
function historyFrom(first: number): JournalHistory {
  const records: readonly JournalRecord[] = [first, first + 1].map((seq) => ({
    ...{ seq, at_ms: seq, body: { kind: 'error', text: `record ${seq}` } },
  }))
  return {
    replay: async function* () {
      await Promise.resolve()
      yield* records
    },
    saveSnapshot: () => Promise.resolve(),
    loadSnapshot: () => Promise.resolve(null),
  }
}

test.each([
  ['from its first record', 1, false],
  ['without its old records', 2, true],
])('a journal %s and without a snapshot', async (_, first, isUnread) => {
  const replayed = await replayHistory(historyFrom(first))
  expect(replayed.isMemoryLost).toBe(isUnread)
  const risk = restoreRisk(replayed, defaultRules, { log: () => undefined })
  expect(isRiskUnread(risk.view())).toBe(isUnread)
})
