import { expect, test } from 'vitest'
import { defaultRules } from '../../core/rules/rules.ts'
import { RiskEngine } from '../../core/safety/riskEngine.ts'
import { millis } from '../../core/values/millis.ts'
import type { Json } from '../../core/protocol/action.ts'
import type { JournalRecord } from '../../engine/ports.ts'
import { readMemory, writeMemory } from '../../engine/start/engineMemory.ts'
import type { EngineMemory } from '../../engine/start/engineMemory.ts'
import { replayHistory } from '../../engine/start/recovery.ts'
import type { Replayed } from '../../engine/start/recovery.ts'
import { writeRiskMemory } from '../../engine/start/riskMemory.ts'
import { objectIn } from '../objectIn.ts'
import { inheritedMemory } from './inherit.ts'
import type { Left } from './inherit.ts'

const at = millis(1_790_000_000_000)
const log = { log: () => undefined }
const deps = { limits: defaultRules, log, at, asOf: 9 }
const latch = { reason: 'the feed is wrong', at: millis(at - 5) }

/** A risk memory with such a peak and day start. */
function risk(peak: string, state = 'active'): Json {
  const bases = { equity: '9500', day_start: '9800', peak, day: '2026-09-21' }
  return { ...(new RiskEngine(defaultRules).snapshot() as object), state, bases } as Json
}

const memory: EngineMemory = {
  ...{ risk: risk('10000'), nonces: null, latch: null, obeyed: null, lastNonce: 77 },
  account: { sizes: { ETH: '2' }, cloids: ['0x01'], until: 5, fills: [] },
  weight: { history: [], day: [], at },
  ...{ clock: null, asOf: 40 },
}
const left = (given: Partial<Left> = {}): Left => ({
  ...{ epoch: 3, whole: { seq: 40, state: writeMemory(memory) }, records: [], unknown: null },
  word: { latch: null, obeyed: null, risk: writeRiskMemory({ risk: risk('10400'), asOf: 41, at }) },
  ...given,
})
const record = (seq: number, body: object): JournalRecord =>
  ({ seq, at_ms: at - 100, body }) as unknown as JournalRecord

async function ownHome(kill: string | null = null): Promise<Replayed> {
  const records = kill === null ? [] : [record(1, { kind: 'kill', reason: kill })]
  return await replayHistory({
    loadSnapshot: () => Promise.resolve(null),
    saveSnapshot: () => Promise.resolve(),
    replay: async function* () {
      yield* await Promise.resolve(records)
    },
  })
}

test('day start and peak are those of the last word, sizes and orders those of the memory', async () => {
  const found = await inheritedMemory(left(), await ownHome(), deps)
  expect(found.risk).toMatchObject({ bases: { peak: '10400', day_start: '9800' } })
  expect(found).toMatchObject({ account: { sizes: { ETH: '2' } }, latch: null, asOf: 9 })
  // Its own wallet's nonces, and not the first one's.
  expect(found.lastNonce).toBe(0)
})

test('nothing signed before is taken any more, over a restart, too', async () => {
  const found = await inheritedMemory(left(), await ownHome(), deps)
  expect(found.nonces).toMatchObject({ taken_over_at: at })
  expect(readMemory(writeMemory(found))).toMatchObject({ nonces: { taken_over_at: at } })
})

test.each<[string, Partial<Left>, string | null, string]>([
  ['by its word', { word: { latch, obeyed: null, risk: null } }, null, 'the feed is wrong'],
  ['by a record since', { records: [record(41, { kind: 'kill', reason: 'x' })] }, null, 'x'],
  [
    'by its memory',
    { whole: { seq: 40, state: writeMemory({ ...memory, latch }) } },
    null,
    'the feed is wrong',
  ],
  ['at this machine', {}, 'mine', 'mine'],
  ['for what is not known', { unknown: 'it left nothing' }, null, 'standby: it left nothing'],
])('it is latched %s', async (_, given, kill, reason) => {
  const found = await inheritedMemory(left(given), await ownHome(kill), deps)
  expect(found.latch?.reason).toBe(reason)
})

test('a halt is carried over; without any word of the first it is stopped', async () => {
  const halted = {
    latch: null,
    obeyed: null,
    risk: writeRiskMemory({ risk: risk('10400', 'stopped'), asOf: 41, at }),
  }
  expect((await inheritedMemory(left({ word: halted }), await ownHome(), deps)).risk).toMatchObject(
    { state: 'stopped' },
  )
  const nothing = left({ word: null, whole: null, unknown: 'it left nothing' })
  expect((await inheritedMemory(nothing, await ownHome(), deps)).risk).toMatchObject({
    state: 'stopped',
  })
})

test('the highest kill of the fleet that any of them obeyed is obeyed', async () => {
  const obeyed = { epoch: 1_000_007, at }
  const word = { latch: null, obeyed, risk: null }
  expect((await inheritedMemory(left({ word }), await ownHome(), deps)).obeyed).toEqual(obeyed)
})

test('what the first had on record without an outcome is asked about, by names of its own', async () => {
  const action = { type: 'cancel', cancels: [{ a: 1, o: 5 }] }
  const body = { kind: 'protect', coin: 'ETH', actions: [action], sent: true }
  const found = await inheritedMemory(left({ records: [record(41, body)] }), await ownHome(), deps)
  expect(found.inherited).toEqual([{ of: 41, index: 0, at: at - 100, action, by: 3 }])
  expect(readMemory(writeMemory(found))?.inherited).toEqual(found.inherited)
  expect(readMemory(writeMemory(memory))?.inherited).toEqual([])
})

test('a hole in the records of the first stops it: what they told is not known', async () => {
  const records = [record(45, { kind: 'error', text: 'x' })]
  expect((await inheritedMemory(left({ records }), await ownHome(), deps)).risk).toMatchObject({
    state: 'stopped',
  })
})

test('text that is no object is none', () => {
  expect([objectIn('{"a":1}'), objectIn('[1]'), objectIn('{'), objectIn(null)]).toEqual([
    { a: 1 },
    null,
    null,
    null,
  ])
})
