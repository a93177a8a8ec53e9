import { expect, test } from 'vitest'
import type { Json } from '../../core/protocol/action.ts'
import { defaultRules } from '../../core/rules/rules.ts'
import { RiskEngine } from '../../core/safety/riskEngine.ts'
import type { RiskAccount } from '../../core/safety/riskView.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { millis } from '../../core/values/millis.ts'
import { snapshotName } from './engineMemory.ts'
import type { JournalHistory, JournalRecord } from '../ports.ts'
import { replayHistory } from './recovery.ts'
import { restoreRisk } from './restoreRisk.ts'
import { RiskMemoryKeeper, riskSnapshotName } from './riskMemory.ts'

const noon = Date.UTC(2026, 8, 15, 12)

/** The account as the risk engine sees it: no cash has moved, only the marks. */
function sight(equity: string): RiskAccount {
  const cash = Decimal.of('10000')
  const unrealised = Decimal.of(equity).minus(cash)
  return {
    cash: { equity: Decimal.of(equity), cash, unrealised, isUnified: false },
    venueTime: millis(noon),
  }
}

/** A risk engine that has seen these equities, one after the other. */
function engineAt(...equities: readonly string[]): RiskEngine {
  const engine = new RiskEngine(defaultRules)
  for (const equity of equities) engine.observe(sight(equity), millis(noon))
  return engine
}

interface Write {
  readonly seq: number
  readonly peak: string
  readonly spent: Json
  readonly done: () => void
  readonly fail: () => void
}

/** A keeper whose writes end when the test says so. */
function keeperOf(engine: RiskEngine) {
  const writes: Write[] = []
  const world = { lastSeq: 7 }
  const budget = { history: () => [3, 0, 5], taken: 8 }
  const history: Pick<JournalHistory, 'saveSnapshot'> = {
    saveSnapshot: (_, seq, state) =>
      new Promise((done, reject) => {
        const fail = (): void => {
          reject(new Error('the disk is full'))
        }
        const { risk, spent } = state as { risk: { bases: { peak: string } }; spent: Json }
        writes.push({ seq, peak: risk.bases.peak, spent, done, fail })
      }),
  }
  const keeper = new RiskMemoryKeeper({
    clock: { now: () => millis(noon), monotonicMs: () => 0 },
    history: history as JournalHistory,
    reader: world,
    journal: world,
    ...{ risk: engine, budget },
  })
  return { keeper, writes, world, budget }
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('what changed is written at the next tick, one write at a time, and nothing twice', async () => {
  const engine = engineAt('10000')
  const { keeper, writes } = keeperOf(engine)
  keeper.tick()
  keeper.tick()
  expect(writes).toMatchObject([{ seq: 7, peak: '10000' }])
  engine.observe(sight('10100'), millis(noon))
  engine.observe(sight('10200'), millis(noon))
  keeper.tick()
  expect(writes).toHaveLength(1)
  writes[0]?.done()
  await settled()
  keeper.tick()
  expect(writes.at(-1)).toMatchObject({ peak: '10200' })
  expect(writes).toHaveLength(2)
  writes[1]?.done()
  await settled()
  keeper.tick()
  expect(writes).toHaveLength(2)
  // The last equity before midnight is the start of the day.
  engine.observe(sight('10150'), millis(noon))
  keeper.tick()
  expect(writes).toHaveLength(3)
})

test('the weight that was spent is written with the figures, and again once 40 more were spent', async () => {
  const { keeper, writes, budget } = keeperOf(engineAt('10000'))
  const written: number[] = []
  for (const taken of [8, 39, 40, 79, 200]) {
    budget.taken = taken
    const before = writes.length
    keeper.tick()
    if (writes.length === before) continue
    written.push(taken)
    writes.at(-1)?.done()
    await settled()
  }
  expect(written).toEqual([8, 40, 200])
  expect(writes.at(-1)?.spent).toEqual([3, 0, 5])
})

test('what the disk did not take is written again', async () => {
  const { keeper, writes } = keeperOf(engineAt('10000'))
  keeper.tick()
  writes[0]?.fail()
  await settled()
  keeper.tick()
  expect(writes).toHaveLength(2)
})

test('a save waits for the disk, and moves on with the records though the figures are the same', async () => {
  const { keeper, writes, world } = keeperOf(engineAt('10000'))
  let saves = 0
  const save = (): void => {
    void keeper.save().then(() => (saves += 1))
  }
  save()
  await settled()
  expect([writes.length, saves]).toEqual([1, 0])
  writes[0]?.done()
  await settled()
  save()
  await settled()
  expect([writes.length, saves]).toEqual([1, 2])
  world.lastSeq = 9
  save()
  await settled()
  expect(writes.at(-1)).toMatchObject({ seq: 9 })
})

test('before the first record is on disk nothing is written', () => {
  const { keeper, writes, world } = keeperOf(engineAt('10000'))
  world.lastSeq = 0
  keeper.tick()
  expect(writes).toEqual([])
})

const riskOf = (peak: string): Json => engineAt('10000', peak).snapshot()
const wholeAt = (asOf: number, at: number, peak: string): Json => ({
  ...{ version: 1, risk: riskOf(peak), account: null, nonces: null, latch: null, last_nonce: 0 },
  ...{ weight: { history: [], day: [], at }, clock: null, as_of: asOf },
})
const ownAt = (asOf: number, at: number, peak: string): Json => ({
  ...{ version: 1, risk: riskOf(peak), as_of: asOf, at },
})
const recordAt = (seq: number, at_ms: number, peak: string): JournalRecord => ({
  ...{ seq, at_ms },
  body: { kind: 'risk', _: { risk: riskOf(peak) } } as never,
})
const reviewAt = (seq: number, at_ms: number, equity: string): JournalRecord => ({
  ...{ seq, at_ms },
  body: { kind: 'reviewed', what: 'stopped', reason: 'looked', equity },
})

async function peakAfter(
  snapshots: { readonly [name: string]: Json },
  records: readonly JournalRecord[],
): Promise<string> {
  const history: JournalHistory = {
    replay: async function* (since) {
      await Promise.resolve()
      yield* records.filter(({ seq }) => seq < 0 || seq > since)
    },
    saveSnapshot: () => Promise.resolve(),
    loadSnapshot: (name) => {
      const state = snapshots[name]
      return Promise.resolve(state === undefined ? null : { seq: 4, state })
    },
  }
  const replayed = await replayHistory(history)
  const { peak, state } = restoreRisk(replayed, defaultRules, { log: () => undefined }).view()
  return peak === null ? state : peak.toString()
}

const [whole, own] = [snapshotName, riskSnapshotName]
test.each<[string, { readonly [name: string]: Json }, readonly JournalRecord[], string]>([
  [
    'the risk alone, of a run that kept nothing else',
    { [own]: ownAt(5, 50, '11000') },
    [],
    '11000',
  ],
  ['the whole alone, of an earlier version', { [whole]: wholeAt(5, 50, '11000') }, [], '11000'],
  [
    'the risk, when it is later',
    { [whole]: wholeAt(5, 50, '10500'), [own]: ownAt(5, 51, '11000') },
    [],
    '11000',
  ],
  [
    'the whole, when it is later',
    { [whole]: wholeAt(5, 52, '11500'), [own]: ownAt(5, 51, '11000') },
    [],
    '11500',
  ],
  [
    'the whole, when a later run wrote no other',
    { [whole]: wholeAt(6, 49, '11500'), [own]: ownAt(5, 51, '11000') },
    [],
    '11500',
  ],
  [
    'an event after both',
    { [whole]: wholeAt(4, 40, '10500'), [own]: ownAt(5, 50, '11000') },
    [recordAt(5, 45, '10700'), recordAt(6, 60, '12000')],
    '12000',
  ],
  [
    'no event before the risk',
    { [whole]: wholeAt(4, 40, '10500'), [own]: ownAt(5, 50, '11000') },
    [recordAt(5, 45, '10700')],
    '11000',
  ],
  [
    'an event that waits in an emergency file',
    { [whole]: wholeAt(4, 40, '10500') },
    [recordAt(-1, 41, '12000')],
    '12000',
  ],
  [
    'no event of an emergency file from before',
    { [own]: ownAt(4, 50, '11000') },
    [recordAt(-1, 41, '10700')],
    '11000',
  ],
  [
    'a review after both',
    { [whole]: wholeAt(4, 40, '10500'), [own]: ownAt(5, 50, '11000') },
    [recordAt(5, 45, '10700'), reviewAt(6, 60, '9000')],
    '9000',
  ],
  [
    'no review that the risk has seen',
    { [whole]: wholeAt(4, 40, '10500'), [own]: ownAt(6, 50, '11000') },
    [reviewAt(5, 45, '9000')],
    '11000',
  ],
  [
    'nothing that cannot be read',
    { [whole]: wholeAt(4, 40, '10500'), [own]: { version: 9 } },
    [],
    'stopped',
  ],
])('a start goes on with %s', async (_, snapshots, records, peak) => {
  expect(await peakAfter(snapshots, records)).toBe(peak)
})
