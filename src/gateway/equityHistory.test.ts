import { appendFileSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RiskBody } from '../core/events/guardEvent.ts'
import { dayMs } from '../core/values/millis.ts'
import { EquityFile } from './equityFile.ts'
import { sampleEveryMs } from './equityHistory.ts'
import { startRig } from './gateway.fixture.ts'
import { fakeStatus } from './status.fixture.ts'

const risk = (equity: string | null): RiskBody => ({
  kind: 'risk',
  state: 'active',
  detail: null,
  equity,
  open_positions: 0,
  discrepancies: [],
  journal_error: null,
})

const silent = { log: () => undefined }

async function rigWithEquity(path?: string) {
  const rig = await startRig(
    path === undefined ? {} : { equityStore: new EquityFile(path, silent) },
  )
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

const newPath = (): string => join(mkdtempSync(join(tmpdir(), 'guard-equity-')), 'equity')

test('the curve of the day goes on over a restart, also one that cut a line short', async () => {
  const path = newPath()
  const first = await rigWithEquity(path)
  for (const equity of ['100', '101.5']) {
    first.time.ms += 1
    first.show(equity)
    first.time.advance(sampleEveryMs)
  }
  const seen = await first.samples()
  await first.gateway.close(0)
  appendFileSync(path, '1794700')
  const second = await rigWithEquity(path)
  second.time.ms = first.time.ms + 60_000
  second.show('99')
  second.time.advance(sampleEveryMs)
  const last = [second.time.ms - sampleEveryMs, '99']
  expect(await second.samples()).toEqual([...seen, last])
  await second.gateway.close(0)
  const third = await rigWithEquity(path)
  third.show(null)
  expect(await third.samples()).toEqual([...seen, last])
  await third.gateway.close(0)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

test('yesterday is not drawn, and its file starts anew', async () => {
  const path = newPath()
  writeFileSync(path, '1794600000000 55\n1794600015000 56\n')
  const { show, samples, time, gateway } = await rigWithEquity(path)
  show('42')
  time.advance(sampleEveryMs)
  const today = await samples()
  expect(today.map(([, equity]) => equity)).toEqual(['42'])
  await gateway.close(0)
  expect(readFileSync(path, 'utf8')).toBe(`${today[0]?.join(' ')}\n`)
})

test('whatever stands in the file, only whole samples come out, and a new one can be read', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          fc.constantFrom('1794700000000 1.5', '1794700000001 -3', 'x', '\0\0', '1 ', ' 1', ''),
          fc.string(),
        ),
      ),
      fc.boolean(),
      async (lines, isWhole) => {
        const path = newPath()
        writeFileSync(path, lines.join('\n') + (isWhole ? '\n' : ''))
        const file = new EquityFile(path, silent)
        const before = await file.load()
        for (const [at, equity] of before) {
          expect(Number.isSafeInteger(at)).toBe(true)
          expect(equity).toMatch(/^-?\d+(\.\d+)?$/)
        }
        file.append([1_794_700_000_002, '7'])
        await file.settled()
        expect((await new EquityFile(path, silent).load()).at(-1)).toEqual([1_794_700_000_002, '7'])
      },
    ),
    { numRuns: 30 },
  )
})

test('a disk that takes nothing costs the curve, and is told once', async () => {
  const told: string[] = []
  const file = new EquityFile('/proc/none/equity', { log: (_, text) => void told.push(text) })
  expect(await file.load()).toEqual([])
  for (let n = 0; n < 3; n += 1) file.append([n, '1'])
  file.clear()
  await file.settled()
  expect(told).toHaveLength(1)
})
