import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { demoUser, marketBuy, order, signed, stranger, TestVenue } from '../../simulator.fixture.ts'

const otherKey = `0x${'11'.repeat(32)}`
const dayMs = 86_400_000

let venue: TestVenue
beforeAll(async () => {
  venue = await TestVenue.start()
})
afterAll(() => venue.close())
beforeEach(() => venue.freeze())

describe('HTTP statuses and texts', () => {
  const unfit = 'Failed to deserialize the JSON body into the target type'
  const bad = (change: object) => ({ ...signed(marketBuy), ...change })
  const badOrder = (change: object) => {
    const [first] = marketBuy.orders
    return bad({ action: { ...marketBuy, orders: [{ ...(first as object), ...change }] } })
  }

  test.each([
    ['no JSON', '{"action":', 400, 'Failed to parse the request body as JSON'],
    ['no object', '[]', 422, unfit],
    ['no nonce', bad({ nonce: undefined }), 422, unfit],
    ['a nonce as text', bad({ nonce: '1' }), 422, unfit],
    ['an unknown type', bad({ action: { type: 'nonsense' } }), 422, unfit],
    ['an unknown tif', badOrder({ t: { limit: { tif: 'Po' } } }), 422, unfit],
    ['a short cloid', badOrder({ c: '0x12' }), 422, unfit],
    ['a size as number', badOrder({ s: 0.1 }), 422, unfit],
    ['a key twice', '{"action":{},"action":{},"nonce":1}', 422, unfit],
  ])('%s', async (_, body, status, text) => {
    const answer = await venue.send('POST', '/exchange', body)
    expect([answer.status, answer.text]).toEqual([status, text])
  })

  test('other content types, methods and paths', async () => {
    const plain = await venue.send('POST', '/info', '{}', { 'content-type': 'text/plain' })
    expect([plain.status, plain.text]).toEqual([
      415,
      'Expected request with `Content-Type: application/json`',
    ])
    expect([
      (await venue.send('GET', '/info')).status,
      (await venue.send('GET', '/info')).text,
    ]).toEqual([405, ''])
    expect((await venue.send('GET', '/nothing')).status).toBe(404)
    expect((await venue.send('POST', '//info', { type: 'allMids' })).status).toBe(200)
    expect((await venue.send('POST', '/info/', { type: 'allMids' })).status).toBe(200)
  })

  test('a good answer has the venue’s headers', async () => {
    const response = await fetch(`${venue.url}/info`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"type":"allMids"}',
    })
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    await response.text()
  })
})

const refusal = async (action: any, signing = {}): Promise<string> => {
  const { json } = await venue.exchange(action, signing)
  expect(json.status).toBe('err')
  return json.response
}

describe('who signed', () => {
  test('a stranger', async () => {
    expect(await refusal(marketBuy, { key: otherKey })).toMatch(
      /^User or API Wallet 0x[0-9a-f]{40} does not exist\.$/,
    )
  })

  test('the other network recovers to a stranger', async () => {
    expect(await refusal(marketBuy, { network: 'mainnet' })).toMatch(/does not exist\.$/)
  })

  test('number text that is not canonical recovers to a stranger, unless taken as sent', async () => {
    expect(await refusal(order({ p: '2400.0' }))).toMatch(/does not exist\.$/)
    const lenient = await TestVenue.start({ options: { hashing: 'asSent' } })
    try {
      await lenient.freeze()
      const answer = await lenient.exchange(order({ p: '2400.0' }))
      expect(answer.json.response.data.statuses[0].resting).toBeDefined()
    } finally {
      await lenient.close()
    }
  })

  test('unknown keys are not hashed and not read', async () => {
    const request = signed(marketBuy)
    const action = { ...marketBuy, note: 'hello' }
    const answer = await venue.send('POST', '/exchange', { ...request, action, isFrontend: true })
    expect(answer.json.status).toBe('ok')
  })

  test('signatures without leading zeros are padded', async () => {
    for (let at = 0; at < 400; at++) {
      const request = signed({ type: 'noop' }, { nonce: Date.now() - at })
      const { r, s, v } = request['signature'] as { r: string; s: string; v: number }
      if (!r.startsWith('0x0') && !s.startsWith('0x0')) continue
      const short = (hex: string): string => hex.replace(/^0x0+/, '0x')
      const signature = { r: short(r), s: short(s), v }
      const answer = await venue.send('POST', '/exchange', { ...request, signature })
      expect(answer.json.status).toBe('ok')
      return
    }
    throw new Error('no short signature in 400')
  })

  test('an agent acts for its account, and not where only the account may sign', async () => {
    const agent = '0x19e7e376e7c213b7e7e7e46cc70a5dd086daff2a'
    await venue.freeze({ agents: [agent] })
    const answer = await venue.exchange(marketBuy, { key: otherKey })
    expect(answer.json.status).toBe('ok')
    expect((await venue.log()).at(-1)).toMatchObject({ signer: agent, user: demoUser })
  })

  test('a signature that is none', async () => {
    const request = { ...signed(marketBuy), signature: { r: '0x0', s: '0x0', v: 27 } }
    const { json } = await venue.send('POST', '/exchange', request)
    expect(json.response).toBe('Unable to recover signer.')
  })

  test('a faucet gives a stranger an account', async () => {
    const generous = await TestVenue.start({ faucet: '5000' })
    try {
      expect((await generous.exchange(marketBuy, { key: otherKey })).json.status).toBe('ok')
    } finally {
      await generous.close()
    }
  })

  test('a vault that is not registered', async () => {
    expect(await refusal(marketBuy, { vaultAddress: stranger })).toBe(
      `Vault not registered: ${stranger}`,
    )
  })
})

describe('nonces', () => {
  test('once only, in any order, inside the window', async () => {
    const now = Date.now()
    const noop = { type: 'noop' }
    expect((await venue.exchange(noop, { nonce: now })).json.status).toBe('ok')
    expect((await venue.exchange(noop, { nonce: now - 500 })).json.status).toBe('ok')
    expect(await refusal(noop, { nonce: now })).toBe(
      `Invalid nonce: duplicate nonce ${String(now)}`,
    )
    expect(await refusal(noop, { nonce: now - 3 * dayMs })).toMatch(
      /^Invalid nonce: nonce too low \d+ < \d+$/,
    )
    expect(await refusal(noop, { nonce: now + 2 * dayMs })).toMatch(
      /^Invalid nonce: nonce too high \d+ > \d+$/,
    )
  })

  test('with a hundred kept, what is below all of them is too low', async () => {
    const now = Date.now()
    for (let at = 0; at < 100; at++) await venue.exchange({ type: 'noop' }, { nonce: now + at })
    expect(await refusal({ type: 'noop' }, { nonce: now - 1 })).toBe(
      `Invalid nonce: nonce too low ${String(now - 1)} < ${String(now)}`,
    )
  })
})

describe('limits', () => {
  test('a batch has at most 200 entries', async () => {
    const cancels = Array.from({ length: 201 }, (_, at) => ({ a: 1, o: at }))
    expect(await refusal({ type: 'cancel', cancels })).toBe(
      'Signed action over weight limit of 200.',
    )
    expect(await venue.info({ type: 'userRateLimit', user: demoUser })).toMatchObject({
      nRequestsUsed: 0,
    })
    await venue.exchange({ type: 'cancel', cancels: cancels.slice(0, 7) })
    expect(await venue.info({ type: 'userRateLimit', user: demoUser })).toMatchObject({
      nRequestsUsed: 7,
    })
  })

  test('request weight by IP: 429, and an observer pays nothing', async () => {
    const tight = await TestVenue.start({ weightLimit: 100 })
    try {
      const observer = { 'X-Sim-Observer': '1' }
      for (let at = 0; at < 5; at++) {
        expect((await tight.send('POST', '/info', { type: 'meta' })).status).toBe(200)
      }
      const refused = await tight.send('POST', '/info', { type: 'meta' })
      expect([refused.status, refused.text]).toEqual([429, 'null'])
      expect((await tight.exchange(marketBuy)).status).toBe(429)
      expect((await tight.send('POST', '/info', { type: 'meta' }, observer)).status).toBe(200)
    } finally {
      await tight.close()
    }
  })
})
