import { describe, expect, test } from 'vitest'
import { err, ok } from '../core/values/result.ts'
import { alertKindNames, factsOf } from './alertFacts.ts'
import { alertKinds } from './alertKinds.ts'
import { readAlerts } from './alertsConfig.ts'
import { openChannels } from './openChannels.ts'
import type { ReadSecret } from './openChannels.ts'
import { openHeartbeat } from './openHeartbeat.ts'
import { isQuiet, parseQuietTime } from './quietHours.ts'

const telegram = { chat_id: '1', token_file: 'token' }
const ntfy = { topic: 'guard' }

function problemsOf(table: unknown): string[] {
  const read = readAlerts(table)
  return read.ok ? [] : read.error.map(({ path, text }) => `${path.join('.')}: ${text}`)
}

test('nothing set up is nobody to tell', () => {
  const read = readAlerts({})
  expect(read.ok && read.value.order).toEqual([])
})

test('a channel alone is enough; the rest has defaults', () => {
  const read = readAlerts({ telegram: { ...telegram, chat_id: -100 } })
  if (!read.ok) throw new Error('refused')
  expect(read.value).toMatchObject({ order: ['telegram'], quiet: null, timeoutMs: 10_000 })
  expect(read.value.channels.telegram).toEqual({
    chat_id: '-100',
    token_file: 'token',
    base_url: 'https://api.telegram.org',
  })
  for (const kind of alertKindNames)
    expect(read.value.severity[kind]).toBe(alertKinds[kind].severity)
})

test('the order is the one that is written', () => {
  const read = readAlerts({ order: ['ntfy', 'telegram'], telegram, ntfy })
  expect(read.ok && read.value.order).toEqual(['ntfy', 'telegram'])
})

test.each([
  [{ colour: 1 }, 'alerts.colour: is not a key Guard knows'],
  [{ telegram: { ...telegram, token: 'x' } }, 'alerts.telegram.token: is not a key Guard knows'],
  [{ telegram: { chat_id: 'a b', token_file: 't' } }, 'chat number or an @channel'],
  [{ ntfy: { topic: 'a/b' } }, 'alerts.ntfy.topic: must be 1 to 64 letters'],
  [{ ntfy: { ...ntfy, base_url: 'http://example.org' } }, 'must start with https://'],
  [{ ntfy: { ...ntfy, base_url: 'https://me:pw@example.org' } }, 'must not contain a password'],
  [{ ntfy: { ...ntfy, base_url: 'example' } }, 'must be an address such as'],
  [{ webhook: { url: 'https://x.example' } }, 'alerts.webhook.secret_file'],
  [{ ntfy, order: ['slack'] }, 'names slack, but there is no [alerts.slack]'],
  [{ ntfy, order: ['slack'] }, 'leaves out ntfy'],
  [{ ntfy, order: ['ntfy', 'ntfy'] }, 'names a channel twice'],
  [{ ntfy, severity: { kil: 'off' } }, 'alerts.severity.kil: is'],
  [{ ntfy, severity: { kill: 'loud' } }, 'alerts.severity.kill'],
  [{ ntfy, quiet_hours: { from: '25:00', to: '07:00' } }, 'must be a time such as "22:30"'],
  [{ ntfy, quiet_hours: { from: '07:00', to: '07:00' } }, 'is the same time as from'],
  [{ ntfy, quiet_hours: { from: '22:00', to: '07:00', time_zone: 'Mars' } }, 'not "Mars"'],
  [{ ntfy, heartbeat: { url: 'https://x.example', every_seconds: 1 } }, 'every_seconds'],
  [{ ntfy, heartbeat: {} }, 'alerts.heartbeat: needs either url or url_file'],
  [{ ntfy, heartbeat: { url: 'https://x.example', url_file: 'f' } }, 'and not both'],
  [{ ntfy, heartbeat: { url: 'http://x.example' } }, 'must start with https://'],
  [{ timeout_ms: 900 }, 'names no channel'],
  [7, 'alerts: '],
])('%j is refused: %s', (table, part) => {
  expect(problemsOf(table).join('\n')).toContain(part)
})

test('every violation is told at once', () => {
  const table = { colour: 1, ntfy: { topic: '' }, heartbeat: { url: 'x' } }
  expect(problemsOf(table)).toHaveLength(3)
})

describe('secrets', () => {
  const open = (table: object, text: string) => {
    const read = readAlerts(table)
    if (!read.ok) throw new Error('refused')
    return openChannels(read.value, () => ({ ok: true, value: text }))
  }
  test.each([
    [{ telegram }, 'not a token'],
    [{ discord: { webhook_file: 'f' } }, 'https://discord.com/api'],
    [{ slack: { webhook_file: 'f' } }, 'https://hooks.slack.com/services/T'],
    [{ ntfy: { ...ntfy, token_file: 'f' } }, 'two words'],
    [{ webhook: { url: 'https://x.example', secret_file: 'f' } }, 'short'],
  ])('%j: a file with something else is refused, and not repeated', (table, text) => {
    const opened = open(table, text)
    expect(opened.ok).toBe(false)
    expect(JSON.stringify(opened)).not.toContain(text)
  })
  test('a file that cannot be read is named', () => {
    const read = readAlerts({ telegram })
    if (!read.ok) throw new Error('refused')
    const opened = openChannels(read.value, (path) => ({ ok: false, error: `${path}: gone` }))
    expect(opened).toEqual({ ok: false, error: ['alerts.telegram: token: gone'] })
  })
})

describe('the address of the heartbeat', () => {
  const open = (table: object, read: ReadSecret) => {
    const config = readAlerts({ heartbeat: table })
    if (!config.ok) throw new Error('refused')
    return openHeartbeat(config.value, read)
  }
  test('may stand in a file of its own', () => {
    const given = { url_file: 'ping', every_seconds: 30 }
    expect(open(given, (path) => ok(path === 'ping' ? ' https://x.example/t0ken\n' : ''))).toEqual(
      ok({ url: 'https://x.example/t0ken', everyMs: 30_000 }),
    )
    expect(open({ url: 'https://x.example/' }, () => err('unread'))).toEqual(
      ok({ url: 'https://x.example', everyMs: 60_000 }),
    )
  })
  test.each([
    ['http://x.example/t0ken', 'alerts.heartbeat: the address in ping must start with https://'],
    ['t0ken', 'alerts.heartbeat: the address in ping must be an address'],
  ])('a file that holds %s is refused, and not repeated', (text, problem) => {
    const opened = open({ url_file: 'ping' }, () => ok(text))
    expect(opened.ok ? '' : opened.error).toContain(problem)
    expect(JSON.stringify(opened)).not.toContain('t0ken')
  })
  test('a file that cannot be read is named', () => {
    const opened = open({ url_file: 'ping' }, (path) => err(`${path}: gone`))
    expect(opened).toEqual(err('alerts.heartbeat: ping: gone'))
  })
})

test.each([
  ['22:00', '07:00', 'UTC', '2026-11-15T21:59:59Z', false],
  ['22:00', '07:00', 'UTC', '2026-11-15T22:00:00Z', true],
  ['22:00', '07:00', 'UTC', '2026-11-15T00:00:00Z', true],
  ['22:00', '07:00', 'UTC', '2026-11-15T06:59:59Z', true],
  ['22:00', '07:00', 'UTC', '2026-11-15T07:00:00Z', false],
  ['12:00', '13:00', 'UTC', '2026-11-15T12:30:00Z', true],
  ['12:00', '13:00', 'UTC', '2026-11-15T13:00:00Z', false],
  ['22:00', '07:00', 'Europe/Berlin', '2026-07-15T20:00:00Z', true],
  ['22:00', '07:00', 'Europe/Berlin', '2026-11-15T20:30:00Z', false],
])('quiet from %s to %s in %s: %s is %s', (from, to, timeZone, at, expected) => {
  const quiet = { from: parseQuietTime(from) ?? 0, to: parseQuietTime(to) ?? 0, timeZone }
  expect(isQuiet(quiet, Date.parse(at))).toBe(expected)
})

test('the reference of the alerts', async () => {
  const rows = alertKindNames.map((kind) => {
    const { severity, title, afterMs = 0, advice } = factsOf(kind)
    const after = afterMs === 0 ? 'at once' : `after ${afterMs / 1_000} s`
    return `| \`${kind}\` | ${severity} | ${title} | ${after} | ${advice ?? 'Nothing.'} |`
  })
  const text = [
    '# Alerts, one by one',
    '',
    'Made from the table in code. What lasts is told once it has lasted so long.',
    '',
    '| Kind | Severity | Title | Told | What to do |',
    '|---|---|---|---|---|',
    ...rows,
    '',
  ].join('\n')
  await expect(text).toMatchFileSnapshot('../../docs/generated/alerts.md')
})
