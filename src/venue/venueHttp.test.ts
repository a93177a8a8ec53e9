import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { SignedRequest, WeightBudget } from '../engine/ports.ts'
import { createHttpTransport } from './httpTransport.ts'
import { createVenueHttp } from './venueHttp.ts'

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

function budgetOf(room: number): WeightBudget {
  let left = room
  return {
    limit: room,
    used: () => room - left,
    setAllowance: () => undefined,
    roomInMs: () => 0,
    tryTake: (_lane, weight) => {
      if (weight > left) return false
      left -= weight
      return true
    },
  }
}

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
    ['429', answering(429, 'null'), { kind: 'not_sent' }],
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

describe('a read', () => {
  test('spends its weight, and is refused in words when that is gone', async () => {
    const url = await venueThat(answering(200, '{"BTC":"1"}'))
    const venue = createVenueHttp(createHttpTransport(url), budgetOf(3), patientMs)
    expect(await venue.info({ type: 'allMids' }, 'read')).toEqual({
      ok: true,
      value: { status: 200, body: { BTC: '1' } },
    })
    expect(await venue.info({ type: 'allMids' }, 'read')).toMatchObject({
      ok: false,
      error: { kind: 'no_weight', text: 'the request weight for reads is spent (2 of 3)' },
    })
  })

  test('keeps the status and the text of a refusal', async () => {
    const venue = httpOf(await venueThat(answering(422, 'Failed to deserialize')))
    expect(await venue.info({ type: 'nonsense' }, 'read')).toEqual({
      ok: true,
      value: { status: 422, body: 'Failed to deserialize' },
    })
  })
})
