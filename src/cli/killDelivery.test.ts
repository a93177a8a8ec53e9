import { expect, test } from 'vitest'
import { fileOutcome, toldWithoutFile } from './killDelivery.ts'
import type { FileOutcome } from './killDelivery.ts'

const never = new Promise<void>(() => undefined)
const now = Promise.resolve()

test.each<[string, () => Promise<void>, Promise<void>, FileOutcome]>([
  ['written', () => now, never, { kind: 'written' }],
  ['slow', () => never, now, { kind: 'slow' }],
  [
    'failed',
    () => Promise.reject(new Error('ENOSPC')),
    never,
    { kind: 'failed', why: 'Error: ENOSPC' },
  ],
])('a kill file is %s', async (_name, writing, waited, outcome) => {
  expect(await fileOutcome(writing(), waited)).toEqual(outcome)
})

const slow = { kind: 'slow' } as const
const failed = { kind: 'failed', why: 'EIO' } as const
const sent = { kind: 'sent', pid: 77 } as const
const none = { kind: 'none', why: 'nobody has the name' } as const

test.each([
  [
    'slow, and Guard has latched',
    slow,
    sent,
    true,
    true,
    /process 77\) has latched.*not on disk yet/,
  ],
  ['failed, and Guard has latched', failed, sent, true, true, /process 77\) has latched.*EIO/],
  [
    'failed, and Guard was latched already',
    failed,
    none,
    true,
    true,
    /^The running Guard has latched/,
  ],
  ['slow, and Guard is silent', slow, sent, false, false, /not on disk in \/s yet/],
  ['slow, and nobody is there', slow, none, false, false, /not on disk in \/s yet/],
  ['failed, and Guard is silent', failed, sent, false, false, /could not be written to \/s/],
  ['failed, and nobody is there', failed, none, false, false, /could not be written to \/s/],
])('what is told: %s', (_name, file, signal, isSeen, isPulled, text) => {
  const told = toldWithoutFile(file, signal, isSeen, '/s')
  expect(told).toMatchObject({ isPulled, isDurable: false, text: expect.stringMatching(text) })
  const details = told.details.join('\n')
  expect(details).toContain('touch /s/kill')
  expect(details.includes('kill -USR2')).toBe(!isPulled)
  if (!isPulled) expect(details).toContain(signal.kind === 'sent' ? '-USR2 77' : signal.why)
})
