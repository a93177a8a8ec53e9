import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { ask, Bench, passphrase } from './cli.fixture.ts'

let bench: Bench
beforeAll(async () => {
  bench = await Bench.open()
  expect((await ask(bench.initArgs('home'))).code).toBe(0)
})
afterAll(() => bench.close())

const env = { GUARD_KEY_PASSPHRASE: passphrase }
const buy = (count: string, ...more: string[]) =>
  ask(
    ['actions', 'buy', count, '--home', bench.path('home'), '--confirm', bench.account, ...more],
    {
      env,
    },
  )
const told = async (type: string): Promise<any> => {
  const body = JSON.stringify({ type, user: bench.account })
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(`${bench.simulator.url}/info`, { method: 'POST', headers, body })
  return await answer.json()
}
const journal = async () => {
  const { out } = await ask(['journal', 'export', '--home', bench.path('home')], { env })
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as any)
}

test('buys, says what it cost, and journals it before it is sent', async () => {
  const before = (await told('userRateLimit')).nRequestsCap
  const { out, code, err } = await buy('2000')
  expect([code, err]).toEqual([0, ''])
  expect(out).toContain("2000 requests cost 1 USDC of the perps' balance.")
  expect(out).toMatch(
    /Bought 2000 requests for 1 USDC \(event \d+\)\. The venue now counts \d+ of /,
  )
  const { marginSummary } = await told('clearinghouseState')
  expect(marginSummary.accountValue).toBe('9999.0')
  expect((await told('userRateLimit')).nRequestsCap).toBe(before + 2000)
  expect((await journal()).at(-1)).toMatchObject({
    ...{ kind: 'reviewed', what: 'actions' },
    reason: "2000 requests of the account's allowance for 1 USDC",
  })
})

test('a machine whose clock was set back dates no record before the last one', async () => {
  const last = (await journal()).at(-1).at_ms
  const machine = vi.spyOn(Date, 'now').mockReturnValue(last - 9 * 3_600_000)
  await buy('1')
  machine.mockRestore()
  expect((await journal()).at(-1).at_ms).toBeGreaterThanOrEqual(last)
})

test("a refusal is told and journaled in the venue's words", async () => {
  await bench.reset('5')
  const { err, code } = await buy('100000')
  expect(code).toBe(1)
  expect(err).toContain('nothing was bought: the venue refused: ')
  expect((await journal()).at(-1)).toMatchObject({
    ...{ kind: 'error', text: expect.stringContaining('requests were not bought') },
  })
})
