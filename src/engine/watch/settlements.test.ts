import { expect, test } from 'vitest'
import { fill, fixtureNow, later } from '../../core/account/account.fixture.ts'
import { FillGate } from '../../core/account/fillGate.ts'
import type { Fill } from '../../core/protocol/venueState.ts'
import { coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { Alerts } from '../alerts.ts'
import { Settlements } from './settlements.ts'

/** A long of 2 that ended at 400, so long after the start. */
function settled(ms: number): Fill {
  const sold = { coin: 'xyz:TSLA', isBuy: false, price: '400', size: '2', start: '2' }
  const made = fill({ ...sold, oid: 0, tid: ms, at: later(ms), closedPnl: '-3' })
  return { ...made, isSettlement: true }
}

/** A run that may have counted fills before, and what it told people of. */
function run(fills = new FillGate()) {
  const [alerts, told] = [new Alerts(), [] as string[]]
  const settlements = new Settlements({
    ...{ alerts, account: { fills }, log: { log: () => undefined } },
    clock: { now: () => fixtureNow, monotonicMs: () => 0 },
    recorder: { record: ({ text }: { text: string }) => told.push(text) },
  } as unknown as ConstructorParameters<typeof Settlements>[0])
  const tell = (each: Fill, ms: number): void => {
    settlements.told({ kind: 'fills', fills: [each], isSnapshot: true, at: later(ms) })
    fills.take(each)
  }
  return { settlements, tell, told, alerts: () => alerts.list().map(({ text }) => text), fills }
}

const text =
  'xyz:TSLA: the dex xyz stopped trading it, and the position of 2 long was settled at the mark of 400, a loss of 3'

test('a settlement is told once, however often its fill comes', () => {
  const { tell, told, alerts } = run()
  tell(settled(0), 1)
  tell(settled(0), 2)
  expect([told, alerts()]).toEqual([[text], [text]])
})

test('one that an earlier run has told is shown after a start, and is no event again', () => {
  const before = run()
  before.tell(settled(0), 1)
  const fills = new FillGate()
  fills.restore(before.fills.record())
  const { tell, told, alerts } = run(fills)
  tell(settled(0), 2)
  expect([told, alerts()]).toEqual([[], [text]])
  // What was settled while no run was there is news.
  tell(settled(1), 2)
  expect(told).toEqual([text])
})

test('one of long ago is history', () => {
  const { tell, told, alerts } = run()
  tell(settled(0), 600_001)
  expect([told, alerts()]).toEqual([[], []])
})

test('of a position that is gone without a fill nothing is said that ends once it is traded again', () => {
  const { settlements, told } = run()
  const [was, left] = [Decimal.of('-4'), Decimal.zero]
  expect(settlements.gone({ coin: coin('xyz:TSLA'), was, left })).toBe(true)
  expect(told).toEqual([
    'xyz:TSLA: the dex xyz stopped trading it, and the position of 4 short was settled, and no fill tells at what price',
  ])
  expect(settlements.gone({ coin: coin('ETH'), was, left })).toBe(false)
})
