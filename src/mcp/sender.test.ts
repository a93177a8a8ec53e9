import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../core/protocol/action.ts'
import { limits } from '../core/values/limits.ts'
import { loadCrypto } from '../crypto/loadCrypto.ts'
import { AgentKey } from './agentKey.ts'
import { openGuardPort } from './guardPort.ts'
import { Nonces } from './nonces.ts'
import { Sender } from './sender.ts'

const startMs = 1_790_000_000_000

/** A sender whose Guard answers every order as it is told to, and has one decision on record or none. */
class World {
  now = startMs
  answer: () => Response = () => Response.json({ status: 'ok' })
  record: JsonObject | null = null
  readonly nonces: unknown[] = []
  readonly sender: Sender
  readonly key: AgentKey

  constructor(key: AgentKey) {
    this.key = key
    const fetch = (url: unknown, init?: RequestInit): Promise<Response> => {
      if (!String(url).endsWith('/exchange')) {
        if (this.record !== null) return Promise.resolve(Response.json(this.record))
        const error = { code: 'unknown_cloid', text: 'there is none' }
        return Promise.resolve(Response.json({ error }, { status: 404 }))
      }
      this.nonces.push((JSON.parse(String(init?.body)) as JsonObject)['nonce'])
      return Promise.resolve().then(this.answer)
    }
    const port = openGuardPort({ url: 'http://guard', token: null, fetch: fetch as typeof fetch })
    this.sender = new Sender(port, key, new Nonces(() => this.now), () => Promise.resolve())
  }

  static async open(): Promise<World> {
    return new World(new AgentKey(await loadCrypto(), new Uint8Array(32).fill(7)))
  }

  /** The decision that Guard made on the order of these arguments, as another server sent it. */
  decided(given: string, verdict: string, code: string, text = ''): JsonObject {
    const nonce = startMs + this.key.markOf('k', given)
    const { address: client } = this.key
    const sent = { pre: [], forward: null, forward_more: [] }
    return { decision: { client, nonce, verdict, code, text, ...sent }, sent: [] }
  }

  async place(given = 'buy 1', signal: AbortSignal | null = null): Promise<string> {
    const named = { key: 'k', arguments: given, cloid: this.key.cloidOf('k') }
    const words = () => Promise.resolve('the first order')
    const sent = await this.sender.sendNamed(named, { type: 'order', orders: [] }, words, signal)
    return 'delivery' in sent ? sent.delivery.kind : 'found'
  }
}

const broken = (): Response => {
  throw new TypeError('fetch failed')
}

describe('an order that may have arrived', () => {
  test('goes out with the same nonce again, as long as Guard would take the first', async () => {
    const world = await World.open()
    world.answer = broken
    expect(await world.place()).toBe('unknown')
    world.now += limits.agentMarks + 1
    expect(await world.place()).toBe('unknown')
    expect(world.nonces[1]).toBe(world.nonces[0])
    // By now Guard refuses the first for its age, whenever it comes.
    world.now += limits.nonceAgeMsMax + limits.agentMarks
    expect(await world.place()).toBe('unknown')
    expect(world.nonces[2]).not.toBe(world.nonces[0])
  })

  test('is not sent with other arguments', async () => {
    const world = await World.open()
    world.answer = broken
    await world.place()
    await expect(world.place('buy 2')).rejects.toThrow('used before with other arguments: buy 1')
    expect(world.nonces).toHaveLength(1)
  })

  test('is settled by an answer: the next order of the key is a new one', async () => {
    const world = await World.open()
    world.answer = broken
    await world.place()
    world.answer = () => Response.json({ status: 'ok' })
    expect(await world.place()).toBe('answered')
    world.now += limits.agentMarks + 1
    await world.place()
    expect(world.nonces[1]).toBe(world.nonces[0])
    expect(world.nonces[2]).not.toBe(world.nonces[0])
  })

  test('stays unknown where Guard cannot be reached for the second try', async () => {
    const world = await World.open()
    world.answer = broken
    await world.place()
    world.answer = () => Response.json({}, { status: 503 })
    expect(await world.place()).toBe('unknown')
  })
})

const veto = (code: string, response: string) => () =>
  Response.json({ status: 'err', verdict: 'veto', code, response })
const taken = 'orders[0]: an order in flight has the client order id 0xab already; give each order'

describe.each([
  ['let through before', veto('auth_replay', 'the order was let through before')],
  ['on its way', veto('invalid', taken)],
])('an order that Guard refuses since the first one is %s', (_, answer) => {
  test('is answered with the first one', async () => {
    const world = await World.open()
    world.answer = answer
    world.record = world.decided('buy 1', 'allow', 'ok')
    expect(await world.place()).toBe('found')
  })

  test('is unknown while Guard has no decision that passed, and never refused', async () => {
    const world = await World.open()
    world.answer = answer
    expect(await world.place()).toBe('unknown')
    world.record = world.decided('buy 1', 'veto', 'invalid', taken)
    expect(await world.place()).toBe('unknown')
  })

  test('is an error where the first one had other arguments', async () => {
    const world = await World.open()
    world.answer = answer
    world.record = world.decided('buy 2', 'allow', 'ok')
    await expect(world.place()).rejects.toThrow('with other arguments: the first order, nonce')
  })
})

test('a call that its client has cancelled is not sent', async () => {
  const world = await World.open()
  await expect(world.place('buy 1', AbortSignal.abort())).rejects.toThrow('Nothing was sent now')
  const noop = { type: 'noop' }
  await expect(world.sender.send('/exchange', noop, AbortSignal.abort())).rejects.toThrow(
    'cancelled before it was sent',
  )
  expect(world.nonces).toEqual([])
})

test.each([
  ['an error of Guard itself', () => Response.json({}, { status: 500 }), 'unknown'],
  ['a proxy that got no answer', () => Response.json({}, { status: 502 }), 'unknown'],
  ['an answer that is no object', () => Response.json([]), 'unknown'],
  ['an answer that is no JSON', () => new Response('<html>'), 'unknown'],
  ['a connection that broke', broken, 'unknown'],
  ['a refusal of the request', () => Response.json({}, { status: 413 }), 'not_sent'],
  ['too many refusals', () => Response.json({}, { status: 429 }), 'not_sent'],
  ['no room', () => Response.json({}, { status: 503 }), 'not_sent'],
  ['an answer', () => Response.json({ status: 'ok' }), 'answered'],
])('%s', async (_, answer, kind) => {
  const world = await World.open()
  world.answer = answer
  expect(await world.place()).toBe(kind)
})
