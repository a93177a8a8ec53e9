import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { millis } from '../../src/core/values/millis.ts'
import { demoUser, TestVenue } from './simulator.fixture.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'scenario-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function written(scenario: unknown): Promise<string> {
  const file = join(folder, 'path.json')
  await writeFile(file, typeof scenario === 'string' ? scenario : JSON.stringify(scenario))
  return file
}

const markets = [{ name: 'ETH', szDecimals: 4, maxLeverage: 25, mid: '2486.35' }]

test('a file’s prices come at their times', async () => {
  let now = 1_800_000_000_000
  const scenario = await written({
    markets,
    moves: [
      { at_ms: 2_000, coin: 'ETH', mid: '2400' },
      { at_ms: 1_000, coin: 'ETH', mid: '2450', mark: '2449.5' },
    ],
  })
  const venue = await TestVenue.start({ scenario, clock: { now: () => millis(now) } })
  try {
    const mid = async (): Promise<string> => (await venue.state(demoUser)).mids.ETH
    expect(await mid()).toBe('2486.35')
    now += 1_000
    venue.simulator.advance()
    expect(await mid()).toBe('2450.0')
    now += 5_000
    venue.simulator.advance()
    expect(await mid()).toBe('2400.0')
  } finally {
    await venue.close()
  }
})

test.each([
  ['nowhere.json', /scenario must be calm, trend, crash, gap, thin or a file, got "nowhere.json"/],
  ['{', /JSON/],
  [{ markets, moves: [{ at_ms: 1, coin: 'BTC', mid: '1' }] }, /no market BTC/],
  [{ markets, moves: [{ at_ms: 1, coin: 'ETH', mid: '2486.31' }] }, /the scenario's moves: /],
  [{ markets, move: [] }, /scenario\.move is not known; known are moves, seed/],
  [{ markets, moves: [{ at: 1 }] }, /moves\[0\]\.at is not known/],
])('%j is refused at the start', async (scenario, reason) => {
  const name = scenario === 'nowhere.json' ? scenario : await written(scenario)
  await expect(TestVenue.start({ scenario: name })).rejects.toThrow(reason)
})
