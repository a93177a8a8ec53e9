import { afterEach, expect, test } from 'vitest'
import type { DecisionBody, Internal } from '../../src/core/events/guardEvent.ts'
import { encodeAction } from '../../src/core/protocol/encodeAction.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import type { Signer } from '../../src/engine/ports.ts'
import { replayDecision } from '../../src/engine/view/replayDecision.ts'
import { gtc, order, orders, reduceOnly, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

test.each(['isolated', 'cross'] as const)(
  'the journal alone gives every decision again, to the byte (%s)',
  async (margin) => {
    world = await World.start({
      rules: { maxDistanceFromMid: Decimal.of('0.001'), maxOpenOrders: 9, flip: 'refuse', margin },
    })
    const stop = { r: true, t: { trigger: { isMarket: true, triggerPx: '3900', tpsl: 'sl' } } }
    const asked = [
      orders(order(1, true, '4100', '0.5')),
      orders(order(1, true, '3990', '0.2', gtc), order(1, true, '3980', '0.2', gtc)),
      orders(order(2, false, '195', '7')),
      orders(order(1, false, '3950', '0.1', reduceOnly)),
      orders(order(1, false, '3500', '0.3', stop)),
      { type: 'updateLeverage', asset: 0, isCross: false, leverage: 3 },
      { type: 'updateLeverage', asset: 1, isCross: true, leverage: 3 },
      { type: 'scheduleCancel', time: 1 },
      { type: 'cancel', cancels: [{ a: 1, o: 1 }] },
      orders(order(0, true, '100050', '100')),
    ]
    for (const action of asked) await world.ask(action)
    await world.kill('enough')
    await world.ask(orders(order(0, true, '100050', '1')))
    await replayAll(asked.length + 1)
  },
)

test('while the journal is broken nothing opens, and what lowers risk still goes', async () => {
  world = await World.start()
  await world.ask(orders(order(1, true, '4010', '0.5')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  world.disk.breaks = true
  const refused = await world.ask(orders(order(2, true, '201', '1')))
  expect(refused).toMatchObject({ status: 'err', verdict: 'veto', code: 'journal' })
  expect((await world.positions())['SOL']).toBeUndefined()
  const { entries } = world.guard.status()
  expect(entries.pass).toBe(false)
  expect(entries.reason).toMatch(/^the journal is broken: /)
  const reduced = await world.ask(orders(order(1, false, '3900', '0.2', reduceOnly)))
  expect(reduced).toMatchObject({ status: 'ok', verdict: 'allow' })
  expect(await world.positions()).toEqual({ ETH: '0.3' })
  // A position from outside is protected, and a kill closes everything, journal or not.
  await world.outside(orders(order(2, true, '201', '5')))
  await world.until(() => world.guard.status().positions.every((each) => each.covered), 'covered')
  expect(await world.kill('enough')).toMatchObject({ killed: { durable: true } })
  await world.until(async () => Object.keys(await world.positions()).length === 0, 'flat')
  const { alerts, journal } = world.guard.status()
  // What it means is said once.
  const [alert] = alerts.filter(({ code }) => code === 'journal')
  expect(alert?.text).toMatch(/the disk failed: .*; nothing opens until it works again$/)
  expect(alert?.text.match(/until it works again/g)).toHaveLength(1)
  expect(journal.error).not.toBe(null)
  expect(world.guard.ready()).toEqual({
    ...{ ok: false, reason: `the journal is broken: ${journal.error ?? ''}` },
  })
  world.disk.breaks = false
  await world.until(() => world.guard.status().journal.error === null, 'the journal to work again')
})

test('what is refused while the journal is broken is in it later, each once', async () => {
  world = await World.start()
  world.disk.breaks = true
  const open = orders(order(2, true, '201', '1'))
  // The first is written and then lost, the second is not even taken.
  expect(await world.ask(open)).toMatchObject({ code: 'journal' })
  expect(await world.ask(open)).toMatchObject({ code: 'journal' })
  expect(await world.ask(orders(order(77, true, '1', '1')))).toMatchObject({
    code: 'unknown_market',
  })
  expect(await world.ask({ type: 'usdSend' })).toMatchObject({ verdict: 'veto' })
  const codes = () => world.events('decision').map(({ code }) => code)
  expect(codes()).toEqual([])
  world.disk.breaks = false
  await world.until(() => codes().length >= 4, 'the refusals to be recorded')
  const wanted = ['journal', 'journal', 'unknown_market', codes().at(-1)]
  expect([...codes()].sort()).toEqual(wanted.sort())
  expect(world.events('error').map(({ text }) => text)).toContainEqual(
    expect.stringMatching(/^4 refusals of the time while the journal did not work are recorded/),
  )
  await world.crash()
  await world.startGuard()
  expect(codes()).toHaveLength(4)
  expect(await world.positions()).toEqual({})
})

test('a halt that comes while the journal is broken is in it later, and outlives a crash', async () => {
  world = await World.start()
  await world.ask(orders(order(1, true, '4010', '1')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  world.disk.breaks = true
  await world.venue.control('price', { coin: 'ETH', mid: '3300' })
  await world.until(() => world.guard.status().risk.state === 'halted_for_day', 'the halt')
  await world.until(async () => Object.keys(await world.positions()).length === 0, 'flat')
  expect(world.events('risk').map(({ state }) => state)).toEqual(['active'])
  const { detail } = world.guard.status().risk
  world.disk.breaks = false
  const halt = await world.event('risk', ({ state }) => state === 'halted_for_day')
  expect(halt.detail).toEqual(detail)
  await world.crash()
  await world.startGuard()
  expect(world.guard.status().risk).toMatchObject({ state: 'halted_for_day', detail })
  expect(await world.ask(orders(order(2, true, '201', '1')))).toMatchObject({
    code: 'daily_loss_stop',
  })
})

test('of a mixed request the exits go without the journal, and each entry is told why not', async () => {
  world = await World.start()
  await world.ask(orders(order(1, true, '4010', '0.5')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  const mixed = orders(
    order(2, true, '201', '1'),
    order(1, false, '3900', '0.1', reduceOnly),
    order(0, true, '100050', '0.001'),
  )
  world.disk.breaks = true
  // The first is written and then lost, the second is not even taken.
  for (const left of ['0.4', '0.3']) {
    const reply = await world.ask(mixed)
    expect(reply).toMatchObject({ status: 'ok', code: 'resized', verdict: 'resize' })
    const refused = { error: expect.stringMatching(/^Guard veto \[journal\]: /) }
    const filled = {
      filled: { totalSz: '0.1', avgPx: expect.any(String), oid: expect.any(Number) },
    }
    expect(reply.response.data.statuses).toEqual([refused, filled, refused])
    expect(reply.entries).toEqual([
      { requested_size: '1', size: '0', code: 'journal' },
      { requested_size: '0.001', size: '0', code: 'journal' },
    ])
    expect(await world.positions()).toEqual({ ETH: left })
    expect(world.guard.status().in_flight).toBe(0)
  }
  world.disk.breaks = false
  await world.until(() => world.guard.status().journal.error === null, 'the journal to work again')
  await world.until(() => world.events('decision').length === 3, 'the exits in the journal')
  for (const decision of world.events('decision').slice(1)) {
    expect(decision.forward.orders).toEqual([expect.objectContaining({ a: 1, r: true, s: '0.1' })])
    expect([decision.verdict, decision.pre, decision.forward_more]).toEqual(['resize', [], []])
  }
  await replayAll(3)
})

test('of a mixed request the exits go without weight for the entries', async () => {
  world = await World.start({ weightLimit: 300 })
  await world.ask(orders(order(1, true, '4010', '0.5')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  let spent: any
  for (let at = 0; at < 300 && spent?.code !== 'rate_limited'; at++) {
    spent = await world.ask(orders(order(2, true, '150', '0.1')))
  }
  const reply = await world.ask(
    orders(order(2, true, '201', '1'), order(1, false, '3900', '0.1', reduceOnly)),
  )
  expect(reply).toMatchObject({ status: 'ok', verdict: 'resize', size: '0' })
  expect(reply.response.data.statuses).toEqual([
    { error: expect.stringMatching(/^Guard veto \[rate_limited\]: /) },
    { filled: expect.objectContaining({ totalSz: '0.1' }) },
  ])
  expect(await world.positions()).toEqual({ ETH: '0.4' })
})

test('a fault after an exit has left does not send it again', async () => {
  const faulty = { isOn: false }
  const signer = (real: Signer): Signer => ({
    ...real,
    sign: (action, nonce, expiresAfter) => {
      const opens = (action['orders'] as any[] | undefined)?.some(({ r }) => r === false)
      if (faulty.isOn && opens === true) throw new Error('a fault of the signer')
      return real.sign(action, nonce, expiresAfter)
    },
  })
  world = await World.start({ signer })
  await world.ask(orders(order(1, true, '4010', '0.5')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  faulty.isOn = true
  const mixed = orders(order(1, true, '4010', '0.1'), order(1, false, '3900', '0.1', reduceOnly))
  expect(await world.ask(mixed)).toMatchObject({
    status: 'err',
    response: expect.stringContaining('whether it was sent is in its events'),
  })
  expect(await world.positions()).toEqual({ ETH: '0.4' })
  expect(world.events('decision')).toHaveLength(2)
})

test('a sell on a spot pair and its change are judged again from the journal, to the byte', async () => {
  world = await World.start({
    account: { spot: [{ coin: 'HYPE', total: '20' }] },
    rules: { spot: 'sell', maxOrderValue: Decimal.of('400') },
    simulator: { options: { accountMs: 200 } },
  })
  const sell = (s: string, p: string) => ({ ...order(10_001, false, p, s), ...gtc })
  const placed = await world.ask(orders(sell('30', '32')))
  expect(placed).toMatchObject({ verdict: 'resize', size: '12.5' })
  const { oid } = placed.response.data.statuses[0].resting
  await world.until(() => world.guard.status().open_orders === 1, 'the order to be listed')
  await world.ask({ type: 'modify', oid, order: sell('9', '33') })
  await world.ask(orders(sell('1', '0.1')))
  await replayAll(3)
})

/** Stops Guard and judges every decision of its journal again. */
async function replayAll(expected: number): Promise<void> {
  await world.stopGuard()
  let count = 0
  await world.reopen(async (opened) => {
    for await (const { body } of opened.replay(0)) {
      if (body.kind !== 'decision') continue
      const record: DecisionBody & Internal = body
      const again = replayDecision(record)
      expect(again).not.toBe(null)
      if (again === null) continue
      count += 1
      const { verdict, code, text, changes } = record
      expect(again).toMatchObject({ verdict, code, text, changes })
      expect(again.pre.map(encodeAction)).toEqual(record.pre)
      expect(again.forward === null ? null : encodeAction(again.forward)).toEqual(record.forward)
      expect(again.forwardMore.map(encodeAction)).toEqual(record.forward_more)
      expect(again.post.map(encodeAction)).toEqual(record.post)
    }
  })
  expect(count).toBe(expected)
}
