import { readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createDemoBot } from '../../lab/demo/demoBot.ts'
import { ask, Bench, markets, passphrase } from '../../src/cli/cli.fixture.ts'
import { createClient } from '../../src/client/client.ts'
import { built, buildTimeoutMs, Started } from './program.fixture.ts'

/** A venue that answers wrongly whose account it is, while a position of an earlier run lies bare. */

const owner = `0x${'0d'.repeat(20)}`
const stranger = `0x${'0e'.repeat(20)}`
const env = { GUARD_KEY_PASSPHRASE: passphrase }
let bench: Bench
const running: Started[] = []

beforeAll(async () => {
  await built()
  bench = await Bench.open()
}, buildTimeoutMs)
afterEach(async () => {
  for (const each of running.splice(0)) await each.stop()
})
afterAll(async () => {
  await bench.close()
})

async function venue(method: string, path: string, body?: unknown): Promise<unknown> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  const headers = { 'content-type': 'application/json' }
  return await (await fetch(`${bench.simulator.url}${path}`, { method, headers, ...sent })).json()
}

async function lie(role: unknown, count: number): Promise<void> {
  const patch = [{ op: 'replace', path: '', value: role }]
  await venue('POST', '/sim/fault', {
    ...{ where: 'info', kind: 'lie', match: { type: 'userRole' }, count, patch },
  })
}

async function restingStops(): Promise<readonly { oid: number; isTrigger: boolean }[]> {
  const asked = { type: 'frontendOpenOrders', user: bench.account }
  const orders = (await venue('POST', '/info', asked)) as { oid: number; isTrigger: boolean }[]
  return orders.filter(({ isTrigger }) => isTrigger)
}

function start(home: string): Started {
  const args = ['run', '--home', bench.path(home), '--listen', '127.0.0.1:0', '--json']
  const started = new Started(args, { env })
  running.push(started)
  return started
}

async function served(started: Started): Promise<string> {
  const [, url = ''] = await started.until(/"url":"(http:[^"]+)"/)
  await started.until(/bots are served/)
  return url
}

/** Ends once an `error` event says it. */
async function untilTold(url: string, words: string): Promise<void> {
  for await (const event of createClient({ baseUrl: url }).follow(0, { kinds: ['error'] })) {
    if (event.kind === 'error' && event.text.includes(words)) return
  }
}

/** The text of the alert about the account; null where there is none. */
async function doubtOf(url: string): Promise<string | null> {
  const { alerts } = await createClient({ baseUrl: url }).status()
  return alerts.find(({ code }) => code === 'account_role')?.text ?? null
}

const subAccount = { equity: '10000', sub_of: owner }
const plain = { equity: '10000' }

test.each([
  ['a sub-account is called a user', subAccount, { role: 'user' }, 'is neither a sub-account'],
  ['a sub-account is called missing', subAccount, { role: 'missing' }, 'is neither a sub-account'],
  [
    'a sub-account is called another’s',
    subAccount,
    { role: 'subAccount', data: { master: stranger } },
    `is a sub-account of ${stranger}`,
  ],
  [
    'an account of its own is called a stranger’s',
    plain,
    { role: 'subAccount', data: { master: stranger } },
    `is a sub-account of ${stranger}`,
  ],
])(
  '%s: a home that ran before protects, opens nothing and says so',
  async (name, account, role, fact) => {
    const own = { ...account, address: bench.account }
    const agents = [bench.wallet]
    await bench.control.reset({
      frozen: true,
      markets,
      accounts:
        'sub_of' in account
          ? [{ address: owner, equity: '5000', agents }, own]
          : [{ ...own, agents }],
    })
    const home = name.replaceAll(' ', '-')
    const { code, err } = await ask(bench.initArgs(home))
    expect(code, err).toBe(0)
    bench.grantWeight(home)
    const first = start(home)
    const key = readFileSync(bench.path(`${home}.client`), 'utf8').trim()
    expect(await createDemoBot(await served(first), key).marketBuy(1, '2500', '0.5')).toMatch(
      /^accepted/,
    )
    first.signal('SIGKILL')
    await first.ended
    for (const { oid } of await restingStops()) {
      await bench.control.act(bench.account, { type: 'cancel', cancels: [{ a: 1, o: oid }] })
    }
    expect(await restingStops()).toEqual([])

    await lie(role, 0)
    const second = start(home)
    const url = await served(second)
    while ((await restingStops()).length === 0) expect(second.child.exitCode).toBe(null)
    expect(await createDemoBot(url, key).marketBuy(1, '2500', '0.1')).toContain(fact)
    let told = await doubtOf(url)
    while (told?.includes('find out what is true') !== true) told = await doubtOf(url)
    expect(told).toContain('said otherwise in an earlier run')
    expect(told).not.toMatch(/set via|leave venue\.via out/)
    await untilTold(url, fact)
  },
  90_000,
)

test('one wrong answer is forgotten once the venue says otherwise several times', async () => {
  await bench.reset()
  const home = 'once'
  expect((await ask(bench.initArgs(home))).code).toBe(0)
  bench.grantWeight(home)
  const first = start(home)
  await served(first)
  expect(await first.stop()).toBe(0)
  await lie({ role: 'subAccount', data: { master: stranger } }, 1)
  const url = await served(start(home))
  await untilTold(url, `is a sub-account of ${stranger}`)
  while ((await doubtOf(url)) !== null) expect(running.at(-1)?.child.exitCode).toBe(null)
  const key = readFileSync(bench.path(`${home}.client`), 'utf8').trim()
  expect(await createDemoBot(url, key).marketBuy(1, '2500', '0.1')).toMatch(/^accepted/)
}, 90_000)

test('a home that never ran is refused only by answers that agree', async () => {
  await bench.reset()
  const home = 'new'
  expect((await ask(bench.initArgs(home))).code).toBe(0)
  bench.grantWeight(home)
  await lie({ role: 'subAccount', data: { master: stranger } }, 0)
  const refused = start(home)
  expect(await refused.ended).toBe(2)
  expect(refused.err).toContain(`is a sub-account of ${stranger}`)
  await venue('DELETE', '/sim/fault')
  await lie({ role: 'subAccount', data: { master: stranger } }, 1)
  await served(start(home))
}, 90_000)
