import { expect, test } from 'vitest'
import type { RiskBody } from '../core/events/guardEvent.ts'
import { dayMs } from '../core/values/millis.ts'
import { sampleEveryMs } from './equityHistory.ts'
import { fakeStatus, startRig } from './gateway.fixture.ts'

const risk = (equity: string | null): RiskBody => ({
  kind: 'risk',
  state: 'active',
  detail: null,
  equity,
  open_positions: 0,
  discrepancies: [],
  journal_error: null,
})

async function rigWithEquity() {
  const rig = await startRig()
  const show = (equity: string | null): void => {
    rig.guard.statusChanges = { now_ms: rig.time.ms, risk: { ...fakeStatus.risk, equity } }
  }
  const samples = async () => (await rig.ask('/guard/equity')).json.samples as [number, string][]
  return { ...rig, show, samples }
}

test('the day so far is sampled, and a change of risk is a sample of its own', async () => {
  const { time, show, samples, reader, gateway } = await rigWithEquity()
  for (const equity of ['100', '101.5', null, '99']) {
    time.ms += 1
    show(equity)
    time.advance(sampleEveryMs)
    time.ms += 1
  }
  reader.add(risk(null))
  const at = 1_794_700_000_000
  expect((await samples()).map(([, equity]) => equity)).toEqual(['100', '101.5', '99'])
  expect((await samples()).every(([ms]) => ms > at)).toBe(true)
  await gateway.close(0)
})

test('asked before the first sample, it takes one', async () => {
  const { time, show, samples, gateway } = await rigWithEquity()
  show('42')
  expect(await samples()).toEqual([[time.ms, '42']])
  await gateway.close(0)
})

test('a new UTC day starts empty, and memory stays bounded over a busy one', async () => {
  const { time, show, samples, reader, gateway } = await rigWithEquity()
  const day = Math.floor(time.ms / dayMs) * dayMs
  for (let index = 0; index < 15_000; index += 1) {
    const event = { ...risk(String(index)), seq: index + 1, at_ms: day + index }
    reader.all.push(event)
    reader.emit(event)
  }
  const busy = await samples()
  expect(busy.length).toBeLessThanOrEqual(12_000)
  expect(busy.at(-1)).toEqual([day + 14_999, '14999'])
  time.ms = day + dayMs
  show('7')
  time.advance(sampleEveryMs)
  expect((await samples()).map(([, equity]) => equity)).toEqual(['7'])
  await gateway.close(0)
})
