import { expect, test } from 'vitest'
import { millis } from '../../core/values/millis.ts'
import { readiness, whyNothingOpens } from './readiness.ts'
import type { OpeningInput, ReadinessInput } from './readiness.ts'

const well: ReadinessInput = {
  ...{ isStopping: false, isRecovering: false, missing: [], isSeen: true, isBlind: false },
  ...{ journalError: null, standby: null },
}

test.each<[string, Partial<ReadinessInput>, string | null]>([
  ['well', {}, null],
  ['stopping', { isStopping: true, isRecovering: true }, 'Guard is stopping'],
  ['a standby', { standby: 'this Guard is a standby', isRecovering: true }, 'is a standby'],
  ['recovering', { isRecovering: true }, 'finding out what became of earlier sends'],
  ['still asking', { isRecovering: true, missing: ['mids'] }, 'has not told yet: mids'],
  ['not believed', { isSeen: false }, 'not been seen yet, or only once'],
  ['blind', { isBlind: true, journalError: 'full' }, 'the venue cannot be seen'],
  ['without a journal', { journalError: 'the disk is full' }, 'broken: the disk is full'],
])('%s', (_, given, reason) => {
  const told = readiness({ ...well, ...given })
  expect(told.ok ? null : told.reason).toEqual(
    reason === null ? null : expect.stringContaining(reason),
  )
})

const open: OpeningInput = {
  ...{
    latched: null,
    risk: { state: 'active', holding: false },
    ready: { ok: true },
    doubt: null,
    unseen: null,
  },
}
const latched = { reason: 'enough', at: millis(1), durable: true }

test.each<[string, Partial<OpeningInput>, string | null]>([
  ['nothing speaks against it', {}, null],
  ['latched', { latched, ready: { ok: false, reason: 'x' } }, 'latched: enough'],
  ['stopped', { risk: { state: 'stopped', holding: true } }, 'guard resume'],
  ['halted', { risk: { state: 'halted_for_day', holding: false } }, 'until 00:00 UTC'],
  ['not ready', { ready: { ok: false, reason: 'the journal is broken' } }, 'the journal is broken'],
  ['in doubt', { doubt: 'the equity cannot be' }, 'the equity cannot be'],
  ['with a dex unseen', { unseen: 'not been seen on xyz' }, 'not been seen on xyz'],
  ['holding', { risk: { state: 'active', holding: true } }, 'waits for what explains it'],
])('why nothing opens: %s', (_, given, reason) => {
  const told = whyNothingOpens({ ...open, ...given })
  expect(told).toEqual(reason === null ? null : expect.stringContaining(reason))
})
