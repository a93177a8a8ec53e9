import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { millis } from '../core/values/millis.ts'
import type { Urgency, SignedRequest } from '../engine/ports.ts'
import { createHttpTransport } from './httpTransport.ts'
import { createVenueHttp } from './venueHttp.ts'
import { SlidingWeightBudget } from './weightBudget.ts'

const request: SignedRequest = {
  action: { type: 'cancel', cancels: [{ a: 0, o: 1 }] },
  nonce: 1,
  signature: { r: '0x1', s: '0x2', v: 27 },
  vaultAddress: null,
  expiresAfter: 2,
}

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

type Handler = (request: IncomingMessage, response: ServerResponse) => void

async function venueThat(handler: Handler): Promise<string> {
  const server = createServer((incoming, response) => {
    incoming.on('end', () => {
      handler(incoming, response)
    })
    incoming.resume()
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const budgetOf = (limit: number, now = () => 0): SlidingWeightBudget =>
  new SlidingWeightBudget(limit, { now: () => millis(now()), monotonicMs: now })

/** Long enough for any machine; only a test of silence waits less. */
const patientMs = 60_000

const httpOf = (url: string, timeoutMs = patientMs) =>
  createVenueHttp(createHttpTransport(url), budgetOf(1_200), timeoutMs)

const answering =
  (status: number, body: string): Handler =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(body)
  }

describe('an action', () => {
  test.each([
    [
      'a JSON answer',
      answering(200, '{"status":"ok"}'),
      { kind: 'reply', reply: { status: 'ok' } },
    ],
    ['JSON that is not JSON', answering(200, '<html>'), { kind: 'unknown' }],
    [
      '422',
      answering(422, 'Failed to deserialize'),
      { kind: 'reply', reply: { status: 'err', response: 'HTTP 422: Failed to deserialize' } },
    ],
    ['500', answering(500, 'null'), { kind: 'unknown' }],
    ['502', answering(502, ''), { kind: 'unknown' }],
    ['a reset', (_request, response) => response.destroy(), { kind: 'unknown' }],
    [
      'a body that breaks off',
      (_request, response) => {
        response.writeHead(200, { 'content-length': 100 })
        response.write('{"status"', () => response.destroy())
      },
      { kind: 'unknown' },
    ],
  ] satisfies [string, Handler, object][])('%s', async (_name, handler, expected) => {
    const venue = httpOf(await venueThat(handler))
    expect(await venue.exchange(request, 'entry')).toMatchObject(expected)
  })

  test.each(['safety', 'exit', 'cancel', 'entry'] as const)(
    '429 to what goes as %s: it may have been executed',
    async (lane) => {
      const venue = httpOf(await venueThat(answering(429, 'null')))
      const answer = await venue.exchange(request, lane)
      expect(answer).toMatchObject({ kind: 'unknown', isThrottled: true })
    },
  )

  test.each([400, 401, 403, 404, 405, 413, 415, 422])(
    'HTTP %i: refused, nothing was done',
    async (status) => {
      const venue = httpOf(await venueThat(answering(status, 'no')))
      expect(await venue.exchange(request, 'entry')).toEqual({
        kind: 'reply',
        reply: { status: 'err', response: `HTTP ${status}: no` },
      })
    },
  )

  test.each([201, 202, 204, 302, 402, 408, 409, 418, 425, 451, 499, 500, 501, 502, 503, 504, 520])(
    'HTTP %i: nobody knows what became of it',
    async (status) => {
      const venue = httpOf(await venueThat(answering(status, '')))
      expect(await venue.exchange(request, 'entry')).toMatchObject({ kind: 'unknown' })
    },
  )

  test('silence', async () => {
    const venue = httpOf(await venueThat(() => undefined), 50)
    expect(await venue.exchange(request, 'entry')).toEqual({
      kind: 'unknown',
      error: 'no answer within 50 ms',
    })
  })

  test('a port nobody listens on: provably not sent', async () => {
    const url = await venueThat(() => undefined)
    await new Promise((resolve) => servers.splice(0)[0]?.close(resolve))
    expect(await httpOf(url).exchange(request, 'entry')).toMatchObject({ kind: 'not_sent' })
  })

  test('the body is the signed request, and connections are kept', async () => {
    const sockets = new Set<unknown>()
    const url = await venueThat((incoming, response) => {
      sockets.add(incoming.socket)
      response.end('{}')
    })
    const venue = httpOf(url)
    for (let round = 0; round < 5; round++) await venue.exchange(request, 'entry')
    expect(sockets.size).toBe(1)
  })
})

describe('a venue that refuses for the weight', () => {
  const lanes: readonly Urgency[] = ['safety', 'clear', 'exit', 'watch', 'cancel', 'entry', 'read']

  test.each([
    ['safety', ['entry', 'read']],
    ['clear', ['entry', 'read']],
    ['exit', ['entry', 'read']],
    ['watch', ['read']],
    ['cancel', ['read']],
    ['entry', ['read']],
    ['read', ['read']],
  ] as const)('%s: %j wait for a while', async (refused, held) => {
    let now = 0
    const budget = budgetOf(1_200, () => now)
    const url = await venueThat(answering(429, 'null'))
    const venue = createVenueHttp(createHttpTransport(url), budget, patientMs)
    if (refused === 'read' || refused === 'watch') await venue.info({ type: 'allMids' }, refused)
    else await venue.exchange(request, refused)
    const waiting = (): readonly Urgency[] => lanes.filter((lane) => !budget.tryTake(lane, 1))
    expect(waiting()).toEqual(held)
    expect(budget.roomInMs('read', 20)).toBe(10_000)
    now = 9_999
    expect(waiting()).toEqual(held)
    now = 10_000
    expect(waiting()).toEqual([])
  })
})

describe('a read', () => {
  test('spends its weight, and is refused in words when that is gone', async () => {
    const url = await venueThat(answering(200, '{"BTC":"1"}'))
    const venue = createVenueHttp(createHttpTransport(url), budgetOf(3), patientMs)
    expect(await venue.info({ type: 'allMids' }, 'read')).toEqual({
      ok: true,
      value: { status: 200, body: { BTC: '1' }, bytes: Buffer.from('{"BTC":"1"}') },
    })
    expect(await venue.info({ type: 'allMids' }, 'read')).toMatchObject({
      ok: false,
      error: { kind: 'no_weight', text: 'the request weight for reads is spent (2 of 3)' },
    })
  })

  test.each([
    ['a bot', 'read', 120],
    ['Guard itself', 'watch', 20],
  ] as const)('its rows cost, too, when %s asks', async (_who, lane, whileAsked) => {
    const budget = budgetOf(1_200)
    const rows = JSON.stringify(Array.from({ length: 401 }, () => ({})))
    let used = 0
    const url = await venueThat((_request, response) => {
      used = budget.used()
      response.end(rows)
    })
    const venue = createVenueHttp(createHttpTransport(url), budget, patientMs)
    expect((await venue.info({ type: 'userFills', user: '0x0' }, lane)).ok).toBe(true)
    expect([used, budget.used()]).toEqual([whileAsked, 20 + 21])
  })

  test('without an answer it may have cost all it can, and nothing if it never left', async () => {
    const budget = budgetOf(1_200)
    const url = await venueThat((_request, response) => response.destroy())
    const venue = createVenueHttp(createHttpTransport(url), budget, patientMs)
    expect((await venue.info({ type: 'userFills', user: '0x0' }, 'read')).ok).toBe(false)
    expect(budget.used()).toBe(120)
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
    expect((await venue.info({ type: 'userFills', user: '0x0' }, 'read')).ok).toBe(false)
    expect(budget.used()).toBe(120)
  })

  test('keeps the status and the text of a refusal', async () => {
    const venue = httpOf(await venueThat(answering(422, 'Failed to deserialize')))
    expect(await venue.info({ type: 'nonsense' }, 'read')).toEqual({
      ok: true,
      value: { status: 422, body: 'Failed to deserialize' },
    })
  })
})
