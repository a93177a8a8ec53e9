import { expect, test } from 'vitest'
import { loadCrypto } from '../../../src/crypto/loadCrypto.ts'
import { createSimulator } from '../createSimulator.ts'
import { demoUser, TestVenue } from '../simulator.fixture.ts'

const startMs = 1_800_000_000_000
const crypto = await loadCrypto()

/** A venue whose markets move, and what it answers; `goes` are the parts of a move that wait. */
function moving(isInParts: boolean) {
  const goes: (() => void)[] = []
  const pause = isInParts ? (go: () => void) => void goes.push(go) : undefined
  const options = { control: true, weightLimit: null }
  const core = createSimulator(options, crypto, () => startMs, null, pause)
  const told: { status: number; json: any }[] = []
  const ask = (method: string, url: string, body: unknown = '') => {
    const text = body === '' ? '' : JSON.stringify(body)
    const request = { method, url, contentType: 'application/json', isObserver: false }
    core.http({ ...request, ip: '127.0.0.1', body: text }, (reply) => {
      const json = reply?.contentType === 'application/json' ? JSON.parse(reply.body) : null
      told.push({ status: reply?.status ?? 0, json })
    })
  }
  return { core, goes, told, ask }
}

const hours = { advance_ms: 3 * 3_600_000 }
const mids = { type: 'allMids' }

test('a far move is made in parts, and what is asked meanwhile waits for its end', () => {
  const venue = moving(true)
  venue.ask('POST', '/sim/clock', hours)
  venue.ask('POST', '/info', mids)
  expect(venue.told).toEqual([])
  venue.ask('GET', '/healthz')
  expect(venue.told).toMatchObject([{ status: 200, json: { status: 'ok' } }])
  venue.core.advance()
  for (let go = venue.goes.shift(); go !== undefined; go = venue.goes.shift()) go()
  expect(venue.told[1]?.json).toEqual({
    ...{ advanced_ms: hours.advance_ms, now_ms: startMs + hours.advance_ms },
  })
  const whole = moving(false)
  whole.ask('POST', '/sim/clock', hours)
  whole.ask('POST', '/info', mids)
  expect(venue.told[2]).toEqual(whole.told[1])
})

test('too many that wait are turned away', () => {
  const venue = moving(true)
  venue.ask('POST', '/sim/clock', hours)
  for (let at = 0; at < 1_001; at++) venue.ask('POST', '/info', mids)
  expect(venue.told).toMatchObject([{ status: 503 }])
})

test('a move has an end', async () => {
  const venue = await TestVenue.start()
  const far = await venue.send('POST', '/sim/clock', { advance_ms: 34_560_000_001 })
  expect(far.status).toBe(400)
  expect(far.json.error).toBe(
    'advance_ms must be a whole number, from 0 to 34560000000, got 34560000001',
  )
  await venue.freeze()
  const { now_ms: before } = await venue.control('clock', { advance_ms: 0 })
  const { now_ms: after } = await venue.control('clock', { advance_ms: 34_560_000_000 })
  expect(after - before).toBeGreaterThanOrEqual(34_560_000_000)
  expect((await venue.state(demoUser)).clearinghouseState.assetPositions).toEqual([])
  await venue.close()
})
