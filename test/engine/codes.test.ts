import { afterEach, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { codes } from '../../src/core/judge/codes.ts'
import { accountAddress, order, orders, strangerKey, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const entry = orders(order(1, true, '4010', '0.1'))
const refused = (type: string): JsonObject => ({
  where: 'exchange',
  kind: 'refuse',
  match: { type },
  text: 'no',
})

/** One way to each code that is not the judge's own, against a running Guard, in this order. */
const ways: { readonly [code: string]: () => Promise<{ readonly code?: string }> } = {
  malformed: () => world.post('{'),
  auth_bad_signature: () =>
    world.post({ ...world.sign(entry), signature: { r: '0x0', s: '0x0', v: 27 } }),
  auth_unknown_signer: () => world.ask(entry, { key: strangerKey }),
  auth_nonce_too_old: () => world.ask(entry, { nonce: Date.now() - 31_000 }),
  auth_nonce_too_new: () => world.ask(entry, { nonce: Date.now() + 6_000 }),
  auth_expired: () => world.ask(entry, { expiresAfter: Date.now() - 1_000 }),
  auth_replay: async () => {
    const request = world.sign({ type: 'setReferrer', code: 'X' })
    await world.post(request)
    return await world.post(request)
  },
  funds_or_permissions: () => world.ask({ type: 'vaultTransfer', usd: 1 }),
  unsupported_action: () => world.ask({ type: 'setReferrer', code: 'X' }),
  vault: () => world.ask(entry, { vault: accountAddress }),
  heartbeat: () => world.ask({ type: 'noop' }),
  venue_refused_leverage: async () => {
    await world.venue.fault(refused('updateLeverage'))
    return await world.ask(entry)
  },
  venue_unreachable: async () => {
    await world.venue.fault({ where: 'exchange', kind: 'http_429', match: { type: 'order' } })
    return await world.ask(entry)
  },
  journal: async () => {
    world.disk.breaks = true
    const reply = await world.ask(orders(order(2, true, '201', '1')))
    world.disk.breaks = false
    await world.until(() => world.guard.status().journal.error === null, 'the journal to work')
    return reply
  },
  rate_limited: async () => {
    // Far from the price: it is sent, and takes nothing but weight.
    const idle = orders(order(2, true, '150', '0.1'))
    let reply = await world.ask(idle)
    for (let at = 0; at < 300 && reply.code !== 'rate_limited'; at++) reply = await world.ask(idle)
    return reply
  },
  recovering: async () => {
    await world.crash()
    await world.buildGuard()
    return await world.ask(entry)
  },
}

test('every code that is not said by the judge is said by a running Guard', async () => {
  const others = codes.filter((row) => row.by !== 'judge').map((row) => row.code)
  expect(Object.keys(ways).sort()).toEqual([...others].sort())
  world = await World.start({ weightLimit: 300 })
  for (const [code, ask] of Object.entries(ways)) {
    const reply = await ask()
    expect([code, reply.code]).toEqual([code, code])
  }
})
