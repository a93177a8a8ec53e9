import { expect, test } from 'vitest'
import { parseDexes } from './dexFile.ts'
import { startSimulator } from './packagedSimulator.ts'

const dexes = [
  {
    name: 'xyz',
    markets: [{ name: 'TSLA', szDecimals: 3, maxLeverage: 20, mid: '400', growthMode: true }],
  },
]

test.each([
  ['{', 'JSON'],
  ['{}', 'dexes must be an array'],
  ['[{"name":"xyz","markets":[{"name":"A"}]}]', 'dexes[0].markets[0].szDecimals'],
  ['[{"name":"xyz","market":[]}]', 'dexes[0].market is not known'],
  ['[{"name":"xyz","markets":[],"totalOiCap":"x"}]', 'totalOiCap must be a decimal'],
])('%s is refused', (text, reason) => {
  const parsed = parseDexes(text)
  expect(parsed.ok ? '' : parsed.error).toContain(reason)
})

test('a venue that moves has builder dexes from its start, and over a reset', async () => {
  let now = 1_800_000_000_000
  const venue = await startSimulator({ port: 0, control: true, dexes, clock: { now: () => now } })
  try {
    const context = async (): Promise<any> => {
      const answer = await fetch(`${venue.url}/info`, {
        ...{ method: 'POST', headers: { 'content-type': 'application/json' } },
        body: JSON.stringify({ type: 'metaAndAssetCtxs', dex: 'xyz' }),
      })
      return ((await answer.json()) as any)[1][0]
    }
    const before = await context()
    now += 120_000
    venue.advance()
    const after = await context()
    expect(after.markPx).not.toBe(before.markPx)
    // The builder follows the makers: its prices are near the book.
    const gap = Math.abs(Number(after.markPx) - Number(after.midPx))
    expect(gap / Number(after.midPx)).toBeLessThan(0.01)
    await venue.control('reset', { frozen: true, accounts: [] })
    expect((await context()).markPx).toBe('400.0')
    await venue.control('reset', { frozen: true, accounts: [], dexes: [] })
    await expect(venue.control('dex', { dex: 'xyz', halt: true })).rejects.toThrow('no dex xyz')
  } finally {
    await venue.close()
  }
})

test('a file may name its list', () => {
  expect(parseDexes(JSON.stringify({ dexes }))).toEqual(parseDexes(JSON.stringify(dexes)))
  expect(parseDexes('{"dexes":[],"accounts":[]}')).toMatchObject({
    error: 'the file.accounts is not known; known are dexes',
  })
})

test('dexes that make no sense are no start', async () => {
  await expect(startSimulator({ port: 0, dexes: [{ name: 'X', markets: [] }] })).rejects.toThrow(
    'two to six small letters',
  )
})
