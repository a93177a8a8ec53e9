import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newStateDir, say, secrets, startService } from '../../src/alerts/alerts.fixture.ts'
import type { Service } from '../../src/alerts/alerts.fixture.ts'
import { ask, Bench, plain } from '../../src/cli/cli.fixture.ts'
import { built, buildTimeoutMs, Started } from './program.fixture.ts'

/** `[alerts]` through the program: checked, tried out, and at work in a running Guard. */

let bench: Bench
beforeAll(async () => {
  await built()
  bench = await Bench.open()
}, buildTimeoutMs + 60_000)
afterAll(async () => {
  await bench.close()
})

const takes: Service['answer'] = (_request, response) => say(response, 200, { ok: true })

function newHome(alerts: string, mode = 0o600): string {
  const home = newStateDir()
  mkdirSync(home, { recursive: true })
  for (const [name, secret] of Object.entries(secrets))
    writeFileSync(join(home, name), `${secret}\n`, { mode })
  const lines = [
    'mode = "paper"',
    `account = "${bench.account}"`,
    'listen = "127.0.0.1:0"',
    '[venue]',
    `url = "${bench.simulator.url}"`,
    alerts,
  ]
  writeFileSync(join(home, 'guard.toml'), `${lines.join('\n')}\n`)
  return home
}

const toml = (telegram: Service, ntfy: Service): string =>
  [
    '[alerts.telegram]',
    'chat_id = "7"',
    'token_file = "telegram"',
    `base_url = "${telegram.url}"`,
    '[alerts.ntfy]',
    'topic = "guard"',
    `base_url = "${ntfy.url}"`,
  ].join('\n')

test('a test message goes through every channel, whatever the first one says', async () => {
  const telegram = await startService(takes)
  const ntfy = await startService(takes)
  const done = await ask(['alerts', 'test', '--home', newHome(toml(telegram, ntfy))])
  expect(done).toMatchObject({ code: 0 })
  expect(done.out).toContain('ok   telegram: took the test message')
  expect(done.out).toContain('ok   ntfy: took the test message')
  expect(telegram.received[0]?.json.text).toContain('paper: Guard test message')
  expect(ntfy.received).toHaveLength(1)
})

test('a channel that refuses is told in the service’s words; the exit code says so', async () => {
  const telegram = await startService((_request, response) =>
    say(response, 401, { ok: false, description: 'Unauthorized' }),
  )
  const ntfy = await startService(takes)
  const args = ['alerts', 'test', '--json', '--home', newHome(toml(telegram, ntfy))]
  const done = await ask(args)
  expect(done.code).toBe(1)
  expect(done.out).toContain('HTTP 401: Unauthorized')
  expect(`${done.out}${done.err}`).not.toContain(secrets['telegram'])
})

test('no channel, a bad one, and a secret that others may read are refused', async () => {
  const service = await startService(takes)
  const cases = [
    [newHome(''), 'no alert channel is set up'],
    [newHome('[alerts.ntfy]\ntopic = "a b"'), 'line 7: alerts.ntfy.topic: must be 1 to 64'],
    [newHome('[alerts]\ncolour = 1'), 'line 7: alerts.colour: is not a key Guard knows'],
    [newHome(toml(service, service), 0o644), 'others may read it'],
  ] as const
  for (const [home, text] of cases) {
    const done = await ask(['alerts', 'test', '--home', home])
    expect(done.code).toBe(2)
    expect(done.err).toContain(text)
  }
})

test('a running Guard tells that it started and that it stopped', async () => {
  const ntfy = await startService(takes)
  const home = newHome(`[alerts.ntfy]\ntopic = "guard"\nbase_url = "${ntfy.url}"`)
  const running = new Started(['run', '--home', home, '--log-format', 'json'])
  await running.until(/recovered/)
  expect(await running.stop()).toBe(0)
  const told = ntfy.received.map(({ json }) => `${json.title}\n${json.message}`).join('\n')
  expect(told).toContain('Guard started')
  expect(told).toContain('Guard stopped')
  const cursor = JSON.parse(readFileSync(join(home, 'state', 'alerts.json'), 'utf8'))
  expect(cursor.waiting).toEqual([])
  expect(cursor.seq).toBeGreaterThanOrEqual(2)
  expect(plain(running.err)).not.toContain(secrets['ntfy'])
})
