import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Action } from '../../core/protocol/action.ts'
import { limits } from '../../core/values/limits.ts'
import { millis } from '../../core/values/millis.ts'
import { address } from '../../core/values/address.ts'
import { Alerts } from '../alerts.ts'
import { killFileReason, Latch } from '../watch/latch.ts'
import { Outbox } from './outbox.ts'
import type { Durable, SignedRequest } from '../ports.ts'
import type { Recorder } from '../recorder.ts'

const action: Action = { type: 'updateLeverage', asset: 1, isCross: false, leverage: 3 }
const proof = { seq: 1, emergency: false, onDisk: true } as Durable

function outboxAt(now: () => number): { outbox: Outbox; sent: SignedRequest[] } {
  const sent: SignedRequest[] = []
  const outbox = new Outbox({
    clock: { now: () => millis(now()), monotonicMs: () => 0 },
    signer: {
      address: address('0x00000000000000000000000000000000000000f1'),
      sign: (wire, nonce, expiresAfter) => ({
        action: wire,
        nonce,
        signature: { r: '0x1', s: '0x1', v: 27 },
        vaultAddress: null,
        expiresAfter,
      }),
    },
    venue: {
      exchange: async (request) => {
        sent.push(request)
        return await Promise.resolve({ kind: 'reply', reply: null })
      },
    },
  })
  return { outbox, sent }
}

test('nonces are unique and grow, however the clock steps', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 2 }), (times) => {
      let at = 0
      const { outbox } = outboxAt(() => times[at++ % times.length] ?? 0)
      outbox.startAfter(500)
      const nonces = times.map(() => outbox.prepare(action, null).nonce)
      expect(Math.min(...nonces)).toBeGreaterThan(500)
      expect(nonces).toEqual([...new Set(nonces)].sort((a, b) => a - b))
    }),
    { numRuns: 100 },
  )
})

test('what is sent lives no longer than asked, nor than the bound', () => {
  const { outbox } = outboxAt(() => 1_000_000)
  expect(outbox.prepare(action, null).expiresAt).toBeLessThanOrEqual(
    1_000_000 + limits.expiresAfterMsMax,
  )
  expect(outbox.prepare(action, millis(1_000_500)).expiresAt).toBe(1_000_500)
})

test('an action is sent once, and never after it was discarded', async () => {
  const { outbox, sent } = outboxAt(() => 1)
  const first = outbox.prepare(action, null)
  await outbox.send(proof, first, 'entry')
  await expect(outbox.send(proof, first, 'entry')).rejects.toThrow('sent once')
  const second = outbox.prepare(action, null)
  outbox.discard(second)
  await expect(outbox.send(proof, second, 'entry')).rejects.toThrow('sent once')
  expect(sent).toHaveLength(1)
})

/** A timer that is over at once, for what waits for a disk that never answers. */
const dueAtOnce = (_ms: number, task: () => void): (() => void) => {
  const due = setImmediate(task)
  return () => {
    clearImmediate(due)
  }
}
const noDisk = (): Promise<never> => Promise.reject(new Error('ENOSPC'))
const surroundings = {
  clock: { now: () => millis(7), monotonicMs: () => 0 },
  timers: { after: () => () => undefined },
  log: { log: () => undefined },
  alerts: new Alerts(),
}

test('a latch that no disk takes still holds, says so, and is written as soon as one does', async () => {
  const disk = { works: false }
  const reasons: string[] = []
  let attempts = 0
  const latch = new Latch({
    ...surroundings,
    killFile: {
      seen: () => null,
      watch: () => () => undefined,
      write: async (reason) => {
        attempts += 1
        await Promise.resolve()
        if (!disk.works) throw new Error('ENOSPC')
        reasons.push(reason)
      },
    },
    recorder: { record: () => null, proofFor: noDisk } as unknown as Recorder,
    flatten: () => 42,
  })
  const pulled = latch.pull('enough')
  expect(latch.isLatched).toBe(true)
  // A write that is still under way is not begun a second time.
  latch.retryUnwritten()
  expect(attempts).toBe(1)
  expect(await pulled).toEqual({
    reason: 'enough',
    at: 7,
    already: false,
    durable: false,
    flattenSeq: null,
  })
  disk.works = true
  latch.retryUnwritten()
  expect(await latch.pull('again')).toMatchObject({
    reason: 'enough',
    already: true,
    durable: true,
  })
  expect(reasons).toEqual(['enough'])
})

test('a latch that the kill file keeps is told as an event as well, once a journal takes it', async () => {
  const journal = { takes: 'nothing' as 'nothing' | 'emergency' }
  const recorded: string[] = []
  const latch = new Latch({
    ...surroundings,
    killFile: {
      seen: () => ({ firstLine: 'enough' }),
      watch: () => () => undefined,
      write: () => Promise.reject(new Error('EISDIR')),
    },
    recorder: {
      record: () => null,
      proofFor: async (body: { reason: string }) => {
        await Promise.resolve()
        if (journal.takes === 'nothing') throw new Error('ENOSPC')
        recorded.push(body.reason)
        return { seq: -1, emergency: true, onDisk: true, later: Promise.resolve() }
      },
    } as unknown as Recorder,
    flatten: () => null,
  })
  expect(await latch.pull('enough')).toMatchObject({ durable: true })
  expect(recorded).toEqual([])
  journal.takes = 'emergency'
  latch.retryUnwritten()
  latch.retryUnwritten()
  await new Promise((resolved) => setImmediate(resolved))
  latch.retryUnwritten()
  await new Promise((resolved) => setImmediate(resolved))
  expect(recorded).toEqual(['enough'])
})

test('a latch that only memory has is not durable, its event is told once, and alerts until a disk has it', async () => {
  const told: string[] = []
  const alerts = new Alerts()
  let diskTakesIt = (): void => undefined
  const later = new Promise<void>((resolve) => (diskTakesIt = resolve))
  const latch = new Latch({
    ...surroundings,
    alerts,
    timers: { after: dueAtOnce },
    killFile: {
      seen: () => null,
      watch: () => () => undefined,
      write: () => new Promise(() => undefined),
    },
    recorder: {
      record: () => null,
      proofFor: (body: { reason: string }) => {
        told.push(body.reason)
        return Promise.resolve({ seq: -1, emergency: true, onDisk: false, later })
      },
    } as unknown as Recorder,
    flatten: () => null,
  })
  expect(await latch.pull('enough')).toMatchObject({ durable: false })
  expect(alerts.has('kill_in_memory')).toBe(true)
  for (let n = 0; n < 3; n += 1) {
    latch.retryUnwritten()
    await new Promise((resolved) => setImmediate(resolved))
  }
  expect(await latch.pull('enough')).toMatchObject({ already: true, durable: false })
  expect(told).toEqual(['enough'])
  diskTakesIt()
  await latch.kept()
  expect(await latch.pull('enough')).toMatchObject({ already: true, durable: true })
  expect(alerts.list()).toEqual([])
  expect(told).toEqual(['enough'])
})

test.each([
  ['', 'kill file (kill file)'],
  ['smoke', 'smoke (kill file)'],
  ['stop (command line)', 'stop (command line)'],
  [`x (client 0x${'a'.repeat(40)})`, `x (client 0x${'a'.repeat(40)})`],
])('a kill file that says %j', (line, reason) => {
  expect(killFileReason(line)).toBe(reason)
})
