import { createHmac } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { FakeTime, until } from '../gateway/gateway.fixture.ts'
import type { ChannelName } from './alertsConfig.ts'
import {
  channelsOf,
  configOf,
  say,
  secrets,
  silence,
  startService,
  tableFor,
} from './alerts.fixture.ts'
import type { Received, Service } from './alerts.fixture.ts'
import { silentAlertsObserver } from './alertsObserver.ts'
import { Delivery } from './delivery.ts'
import type { Message } from './message.ts'
import { httpSend } from './send.ts'

const message: Message = {
  id: 'abc',
  severity: 'critical',
  isSilent: false,
  title: '🔴 MAINNET Kill switch pulled',
  body: 'by <@here> & _me_ *now*\nGuard for 0x1111…1111',
  at: 1_794_700_000_000,
  lines: [],
}

async function rigFor(name: ChannelName, answer: Service['answer']) {
  const service = await startService(answer)
  const config = configOf(tableFor({ [name]: service }))
  const [channel] = channelsOf(config)
  if (channel === undefined) throw new Error('no channel')
  const time = new FakeTime()
  const logged: string[] = []
  const delivery = new Delivery({
    observer: silentAlertsObserver,
    channels: [channel],
    send: httpSend(time),
    timeoutMs: 10_000,
    clock: time,
    log: { log: (...line) => void logged.push(JSON.stringify(line)) },
  })
  return {
    service,
    channel,
    time,
    logged,
    delivery,
    send: (what: Message) => delivery.attempt(channel, what),
  }
}

interface Case {
  readonly name: ChannelName
  readonly good: [number, unknown]
  readonly limited: [number, unknown, Record<string, string>]
  readonly waitMs: number
  readonly bad: [number, unknown]
  readonly said: string
  readonly check: (seen: Received) => void
  readonly checkSilent: (seen: Received) => void
}

const cases: readonly Case[] = [
  {
    name: 'telegram',
    good: [200, { ok: true, result: { message_id: 1 } }],
    limited: [
      429,
      {
        ok: false,
        error_code: 429,
        description: 'Too Many Requests: retry after 7',
        parameters: { retry_after: 7 },
      },
      {},
    ],
    waitMs: 7_000,
    bad: [400, { ok: false, error_code: 400, description: 'Bad Request: chat not found' }],
    said: 'HTTP 400: Bad Request: chat not found',
    check: ({ path, json }) => {
      expect(path).toBe(`/bot${secrets['telegram']}/sendMessage`)
      expect(json).toMatchObject({ chat_id: '-100123', disable_notification: false })
      expect(json.text).toBe(`${message.title}\n${message.body}`)
      expect(json.parse_mode).toBeUndefined()
    },
    checkSilent: ({ json }) => expect(json.disable_notification).toBe(true),
  },
  {
    name: 'discord',
    good: [200, { id: '1' }],
    limited: [
      429,
      { message: 'You are being rate limited.', retry_after: 1.337, global: false },
      {},
    ],
    waitMs: 1_337,
    bad: [404, { message: 'Unknown Webhook', code: 10015 }],
    said: 'HTTP 404: Unknown Webhook',
    check: ({ path, json }) => {
      expect(path).toBe('/api/webhooks/42/dIscordSecretToken?wait=true')
      expect(json.allowed_mentions).toEqual({ parse: [] })
      expect(json.content).toContain('\\<\\@here\\> & \\_me\\_ \\*now\\*')
    },
    checkSilent: ({ json }) => expect(json.flags).toBe(4_096),
  },
  {
    name: 'slack',
    good: [200, 'ok'],
    limited: [429, 'rate_limited', { 'retry-after': '30' }],
    waitMs: 30_000,
    bad: [403, 'invalid_token'],
    said: 'HTTP 403: invalid_token',
    check: ({ path, json }) => {
      expect(path).toBe('/services/T01/B02/sLackSecretPart')
      expect(json.text).toContain('&lt;@here&gt; &amp; _me_')
      expect(json.mrkdwn).toBe(false)
    },
    checkSilent: ({ json }) => expect(json.text).toContain('Kill switch'),
  },
  {
    name: 'ntfy',
    good: [200, { id: 'x', event: 'message' }],
    limited: [429, { code: 42901, http: 429, error: 'limit reached: too many requests' }, {}],
    waitMs: 30_000,
    bad: [403, { code: 40301, http: 403, error: 'forbidden' }],
    said: 'HTTP 403: forbidden',
    check: ({ path, json, headers }) => {
      expect(path).toBe('/')
      expect(headers.authorization).toBe(`Bearer ${secrets['ntfy']}`)
      expect(json).toEqual({
        topic: 'guard-abc',
        title: message.title,
        message: message.body,
        priority: 5,
      })
    },
    checkSilent: ({ json }) => expect(json.priority).toBe(2),
  },
  {
    name: 'webhook',
    good: [204, ''],
    limited: [503, 'busy', { 'retry-after': 'Sun, 15 Nov 2026 00:00:20 GMT' }],
    waitMs: Date.parse('Sun, 15 Nov 2026 00:00:20 GMT') - 1_794_700_000_000,
    bad: [500, 'boom'],
    said: 'HTTP 500',
    check: ({ path, json, headers, text }) => {
      expect(path).toBe('/hook?x=1')
      expect(json).toMatchObject({ id: 'abc', severity: 'critical', title: message.title })
      const stamp = String(headers['x-guard-timestamp'])
      expect(stamp).toBe('1794700000')
      const hmac = createHmac('sha256', secrets['webhook'] ?? '')
      expect(headers['x-guard-signature']).toBe(
        `v1=${hmac.update(`${stamp}.${text}`).digest('hex')}`,
      )
      expect(headers['x-guard-delivery']).toBe('abc')
    },
    checkSilent: ({ json }) => expect(json.id).toBe('abc'),
  },
]

describe.each(cases)('$name', ({ name, good, limited, waitMs, bad, said, check, checkSilent }) => {
  test('is asked in its own form, loud and silent', async () => {
    const { service, send } = await rigFor(name, (_request, response) => say(response, ...good))
    expect(await send(message)).toEqual({ kind: 'sent' })
    expect(await send({ ...message, isSilent: true })).toEqual({ kind: 'sent' })
    const [loud, silent] = service.received
    if (loud === undefined || silent === undefined) throw new Error('nothing came')
    expect(loud.method).toBe('POST')
    expect(loud.headers['content-type']).toBe('application/json')
    check(loud)
    checkSilent(silent)
  })

  test('its rate limit is read and kept', async () => {
    const { service, delivery, time } = await rigFor(name, (_request, response) =>
      say(response, ...limited),
    )
    const wait = Math.min(Math.max(waitMs, 1_000), 3_600_000)
    expect(await delivery.deliver(message)).toBe(false)
    time.advance(wait - 1)
    expect(await delivery.deliver(message)).toBe(false)
    expect(service.received).toHaveLength(1)
    service.answer = (_request, response) => say(response, ...good)
    time.advance(1)
    expect(await delivery.deliver(message)).toBe(true)
  })

  test('a refusal is told in its own words, without a secret', async () => {
    const { send, delivery, logged } = await rigFor(name, (_request, response) =>
      say(response, ...bad),
    )
    expect(await send(message)).toEqual({ kind: 'failed', text: said })
    expect(await delivery.deliver(message)).toBe(false)
    expect(logged.length).toBeGreaterThan(0)
    const secret = (secrets[name] ?? '').split('/').at(-1) ?? ''
    expect(logged.join('')).not.toContain(secret)
  })

  test('no answer in time is a failure, and says so', async () => {
    const { service, send, time } = await rigFor(name, silence)
    const attempt = send(message)
    await until(() => service.received.length === 1)
    time.advance(10_000)
    expect(await attempt).toEqual({ kind: 'failed', text: 'no answer within 10000 ms' })
  })

  test('a redirect is not followed: a secret may be in the address', async () => {
    const elsewhere = await startService((_request, response) => say(response, ...good))
    const { send } = await rigFor(name, (_request, response) =>
      say(response, 307, '', { location: elsewhere.url }),
    )
    expect((await send(message)).kind).toBe('failed')
    expect(elsewhere.received).toEqual([])
  })

  test('a broken connection is a failure without the address', async () => {
    const { send } = await rigFor(name, (_request, response) => response.destroy())
    const outcome = await send(message)
    expect(outcome.kind).toBe('failed')
    expect(JSON.stringify(outcome)).not.toContain('127.0.0.1')
  })

  test('a long message is cut to what the service takes', async () => {
    const { service, send } = await rigFor(name, (_request, response) => say(response, ...good))
    await send({ ...message, title: '🔴'.repeat(900), body: '*&🔴'.repeat(9_000) })
    const { json } = service.received[0] as Received
    const shown = String(json.text ?? json.content ?? json.message ?? '')
    const most = { telegram: 4_096, discord: 2_000, slack: 40_000, ntfy: 4_096, webhook: 0 }[name]
    expect([...shown].length).toBeLessThanOrEqual(most)
    expect(shown).not.toMatch(/[\ud800-\udbff]$/)
    if (name === 'ntfy') expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(4_096)
  })
})

test('a page that is not the Bot API’s is no delivery', async () => {
  const { send } = await rigFor('telegram', (_request, response) => say(response, 200, '<html>'))
  expect((await send(message)).kind).toBe('failed')
})

test('failures are tried again with growing distance', async () => {
  const { service, delivery, time } = await rigFor('slack', (_request, response) =>
    say(response, 500, 'boom'),
  )
  const tries: number[] = []
  for (let second = 0; second < 1_200; second += 1) {
    const before = service.received.length
    await delivery.deliver(message)
    if (service.received.length > before) tries.push(second)
    time.advance(1_000)
  }
  const gaps = tries.slice(1).map((at, index) => at - (tries[index] ?? 0))
  expect(gaps).toEqual([5, 10, 20, 40, 80, 160, 300, 300])
})
