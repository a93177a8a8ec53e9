import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildTimeoutMs, built, Started } from './program.fixture.ts'

const running: Started[] = []

beforeAll(built, buildTimeoutMs)
afterAll(async () => {
  await Promise.all(running.map((each) => each.stop()))
})

/** The statuses of reads that weigh 1,800 together, at a simulator started with these flags. */
async function heavyReads(...flags: readonly string[]): Promise<Set<number>> {
  const simulator = new Started(['sim', '--port', '0', '--json', ...flags])
  running.push(simulator)
  const [, url] = await simulator.until(/"url": ?"([^"]+)"/)
  const statuses = new Set<number>()
  for (let read = 0; read < 30; read += 1) {
    const reply = await fetch(`${url ?? ''}/info`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ type: 'userRole', user: `0x${'1'.repeat(40)}` }),
    })
    statuses.add(reply.status)
  }
  return statuses
}

test.each([
  ['none given: the venue’s 1200 a minute', [], [200, 429]],
  ['none: no limit', ['--weight-limit', 'none'], [200]],
  ['more than is asked for', ['--weight-limit', '1800'], [200]],
])('guard sim --weight-limit, %s', async (_what, flags, statuses) => {
  expect(await heavyReads(...flags)).toEqual(new Set(statuses))
})

test('guard sim --option chooses readings, again and again', async () => {
  const flags = ['--option', 'trigger_cmp=gt', '--option', 'dailyCap.n=none']
  const simulator = new Started(['sim', '--port', '0', '--json', '--control', ...flags])
  running.push(simulator)
  const [, url] = await simulator.until(/"url": ?"([^"]+)"/)
  const options = (await (await fetch(`${url ?? ''}/sim/options`)).json()) as {
    readonly name: string
    readonly value: unknown
    readonly default: unknown
  }[]
  const chosen = options.filter(
    (each) => JSON.stringify(each.value) !== JSON.stringify(each.default),
  )
  expect(chosen.map(({ name, value }) => [name, value])).toEqual([
    ['trigger_cmp', 'gt'],
    ['dailyCap.n', null],
  ])
})

test.each([
  ['no_such=1', /there is no option no_such; there are duplicateCloid, /],
  ['trigger_cmp=eq', /option trigger_cmp must be one of ge, gt, got "eq"/],
  ['trigger_cmp', /option trigger_cmp must be one of ge, gt, got ""/],
])('guard sim --option %s is refused with what there is', async (flag, said) => {
  const refused = new Started(['sim', '--port', '0', '--option', flag])
  running.push(refused)
  await refused.until(said)
})
