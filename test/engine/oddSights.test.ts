import { afterEach, describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import { gtc, order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const emptyState = {
  marginSummary: {
    accountValue: '0.0',
    totalNtlPos: '0.0',
    totalRawUsd: '0.0',
    totalMarginUsed: '0.0',
  },
  crossMarginSummary: { accountValue: '0.0' },
  withdrawable: '0.0',
  assetPositions: [],
} as const

const read = (patch: Json, count = 1): JsonObject => ({
  ...{ where: 'info', kind: 'lie', match: { type: 'clearinghouseState' }, count, patch },
})
const frame = (patch: Json, count = 1): JsonObject => ({
  ...{ where: 'ws', kind: 'lie', match: { type: 'clearinghouseState' }, count },
  patch: { clearinghouseState: patch },
})
const failing = { where: 'info', kind: 'http_500', match: { type: 'clearinghouseState' }, count: 0 }

/** A long ETH position with its stop, fully followed. */
async function holding(): Promise<void> {
  world = await World.start({ simulator: { options: { accountMs: 200 } } })
  await world.ask(orders(order(1, true, '4010', '1')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
}

async function expectUntouched(): Promise<void> {
  expect(world.guard.status().risk).toMatchObject({ state: 'active', detail: null })
  expect(world.guard.status().risk.peak_equity?.startsWith('10000')).toBe(true)
  expect(world.guard.status().positions).toMatchObject([{ coin: 'ETH', covered: true }])
  expect(world.events('flatten')).toEqual([])
  const sent = await world.venue.log()
  expect(sent.filter((each: any) => /cancel/.test(each.action.type))).toEqual([])
}

const told = (part: string) => (event: { readonly text?: string }) =>
  event.text?.includes(part) === true

describe('one wrong word about the account, followed by right ones, counts for nothing', () => {
  test('a frame that shows an empty account', async () => {
    await holding()
    await world.venue.fault(frame(emptyState))
    const error = await world.event('error', told('counts for nothing'))
    expect(error.text).toMatch(/^the venue's stream told the state .* with 0 USDC .*; less of ETH/)
    expect(error.text).toMatch(/99\d\d\.\d+ USDC expected/)
    await expectUntouched()
  })

  test('a frame without the positions: their stops stay', async () => {
    await holding()
    await world.venue.fault(frame({ assetPositions: [] }))
    await world.event('error', told('less of ETH without a fill'))
    await expectUntouched()
  })

  test('a frame with ten times the money moves no peak', async () => {
    await holding()
    await world.venue.fault(frame({ marginSummary: { accountValue: '99990.0' } }))
    await world.event('error', told('counts for nothing'))
    await expectUntouched()
  })

  test.each([
    ['read', read(emptyState)],
    ['frame', frame(emptyState)],
  ])('the first %s after a start', async (_, lie) => {
    await holding()
    await world.stopGuard('SIGTERM')
    await world.venue.fault(lie)
    await world.startGuard()
    await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
    await expectUntouched()
  })

  test('what the first read after a start left out was not opened without a fill', async () => {
    await holding()
    await world.crash()
    await world.venue.fault(read(emptyState))
    await world.venue.fault({ where: 'ws', kind: 'silence', ms: 300 })
    await world.startGuard()
    const error = await world.event('error', told('a read of the venue told'))
    expect(error.text).not.toContain('less of ETH')
    await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
    world.machine.passedMs += 10_000
    // An order made by hand is told by the same watch, after what the wrong read would have led to.
    await world.outside(orders(order(1, false, '5000', '0.5', { r: true, ...gtc })))
    await world.until(() => {
      world.machine.passedMs += 500
      return world.guard.status().alerts.some(({ code }) => code === 'discrepancy')
    }, 'the next look')
    expect(world.guard.status().alerts.filter(({ code }) => code === 'liquidated')).toEqual([])
    expect(world.events('error').filter(told('no fill of it'))).toEqual([])
  })
})

test.each([
  ['read', read({ marginSummary: { accountValue: '99990.0' } })],
  ['frame', frame({ marginSummary: { accountValue: '99990.0' } })],
])('a first %s ever with ten times the money sets no peak', async (_, lie) => {
  world = await World.stopped({ simulator: { options: { accountMs: 200 } } })
  await world.venue.fault(lie)
  await world.startGuard()
  await world.until(() => world.guard.status().risk.peak_equity === '10000', 'the peak')
  expect(world.guard.status().risk).toMatchObject({ state: 'active', peak_equity: '10000' })
  expect(world.events('flatten')).toEqual([])
  expect(await world.ask(orders(order(1, true, '4010', '0.01')))).toMatchObject({ status: 'ok' })
})

test('while nobody can say which is right nothing opens, and what is held stays protected', async () => {
  await holding()
  await world.venue.fault(failing)
  await world.venue.fault(frame(emptyState, 0))
  await world.until(async () => {
    const reply = await world.ask(orders(order(1, true, '4010', '0.01')))
    return reply.code === 'account_unknown'
  }, 'entries to be refused')
  await expectUntouched()
  await world.venue.send('DELETE', '/sim/fault')
  await world.event('error', told('counts for nothing'))
  const reply = await world.ask(orders(order(1, true, '4010', '0.01')))
  expect(reply.status).toBe('ok')
})

test('what both sources say is what the account shows', async () => {
  await holding()
  await world.venue.fault(read({ ...emptyState, assetPositions: [] }, 0))
  await world.venue.fault(frame(emptyState, 0))
  await world.until(() => world.guard.status().risk.equity === '0', 'the equity')
  expect(world.guard.status().positions).toEqual([])
  // A withdrawal of everything may still explain it.
  expect(world.guard.status().risk.state).toBe('active')
  // Nothing does: what both had said is dropped, and that is recorded.
  expect(world.events('error').filter(told('counts for nothing'))).toEqual([])
  await world.venue.send('DELETE', '/sim/fault')
  const error = await world.event('error', told('an equity of 0 that nothing explains'))
  expect(error.text).toMatch(/contradicts it \(99\d\d\.\d+\): it counts for nothing$/)
  expect(world.guard.status().risk).toMatchObject({ state: 'active', detail: null })
  expect(world.events('flatten')).toEqual([])
})

test('a position that is gone at both sources without a fill is told', async () => {
  await holding()
  await world.venue.fault(read({ assetPositions: [] }, 0))
  await world.venue.fault(frame({ assetPositions: [] }, 0))
  await world.until(() => world.guard.status().positions.length === 0, 'the position to go')
  expect(world.events('error').filter(told('no fill of it'))).toEqual([])
  world.machine.passedMs += 10_000
  const error = await world.event('error', told('no fill of it'))
  expect(error.text).toMatch(/^ETH: the venue shows a position of none where 1 long was held, /)
  // Both may be wrong: no stop goes on their word, and when the position shows again it has it still.
  await world.venue.send('DELETE', '/sim/fault')
  await world.until(() => world.guard.status().positions.length > 0, 'the position to come back')
  await expectUntouched()
})

test('reads that show no position while the stream is silent take no stop away', async () => {
  await holding()
  await world.venue.fault({ where: 'ws', kind: 'silence', match: {}, count: 0 })
  await world.venue.fault(read({ assetPositions: [] }, 0))
  await world.until(() => {
    world.machine.passedMs += 1_000
    return world.guard.status().positions.length === 0
  }, 'the position to go')
  world.machine.passedMs += 15_000
  await world.event('error', told('no fill of it'))
  await world.venue.send('DELETE', '/sim/fault')
  await world.until(() => {
    world.machine.passedMs += 1_000
    return world.guard.status().positions.length > 0
  }, 'the position to come back')
  const sent = await world.venue.log()
  expect(sent.filter((each: any) => /cancel/.test(each.action.type))).toEqual([])
})

test('a fall of the mark counts at once, whatever else is not explained', async () => {
  await holding()
  await world.venue.fault(failing)
  await world.venue.control('price', { coin: 'ETH', mid: '1200' })
  await world.until(() => world.guard.status().risk.state !== 'active', 'the halt')
})
