import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { gtc, order, orders, reduceOnly, strangerKey, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const many = Array.from({ length: 20 }, (_, at) => ({
  name: `C${at}`,
  szDecimals: 2,
  maxLeverage: 10,
  mid: '100',
}))

test('a kill with twenty positions cancels, closes everything and stays latched', async () => {
  const leverage = { type: 'isolated', value: 5 }
  world = await World.start({
    markets: many,
    account: {
      equity: '100000',
      positions: many.map(({ name }, at) => ({ coin: name, szi: at % 2 ? '-5' : '5', leverage })),
    },
  })
  await world.until(() => world.guard.status().positions.every((each) => each.covered), 'covered')
  await world.ask(orders(order(0, true, '99', '1', gtc)))
  const reply = await world.kill('enough')
  expect(reply).toMatchObject({
    status: 'ok',
    killed: { reason: `enough (client ${world.client})`, already: false, durable: true },
    flatten: { seq: expect.any(Number) },
  })
  await world.until(async () => Object.keys(await world.positions()).length === 0, 'flat')
  await world.until(async () => {
    const { openOrders } = await world.venueState()
    return openOrders.every((each: any) => each.reduceOnly)
  }, 'every order that could open cancelled')
  const kill = world.events('kill')[0]
  const flatten = world.events('flatten')[0]
  expect(kill.reason).toBe(`enough (client ${world.client})`)
  expect(flatten.seq).toBe(reply.flatten.seq)
  expect(flatten.seq).toBeGreaterThan(kill.seq)
  expect(flatten).toMatchObject({ reason: expect.stringContaining('enough'), sent: true })
  expect(await world.ask(orders(order(1, true, '100.5', '1')))).toMatchObject({
    verdict: 'veto',
    code: 'kill_switch',
  })
  expect(await world.kill('again')).toMatchObject({ killed: { already: true, durable: true } })
  expect(world.events('kill')).toHaveLength(1)

  // What opens outside while latched is closed as well.
  await world.outside(orders(order(3, true, '101', '2')))
  await world.until(async () => Object.keys(await world.positions()).length === 0, 'flat again')
})

test('a kill cancels an entry of which only its answer has told', async () => {
  world = await World.start()
  await world.venue.fault({ where: 'ws', kind: 'silence', count: 0 })
  const reply = await world.ask(orders(order(1, true, '3900', '0.1', gtc)))
  const { oid } = reply.response.data.statuses[0].resting
  await world.kill('enough')
  const flatten = await world.event('flatten')
  expect(flatten.actions).toEqual([{ type: 'cancel', cancels: [{ a: 1, o: oid }] }])
  await world.until(async () => (await world.venueState()).openOrders.length === 0, 'no order')
  const cancels = world
    .events('flatten')
    .flatMap(({ actions }: any) => actions.filter(({ type }: any) => type === 'cancel'))
  expect(cancels).toHaveLength(1)
})

describe('a cancel whose answer is not true', () => {
  const noPosition = 'Reduce only order would increase position. asset=1'
  const done = { status: 'ok', response: { type: 'cancel', data: { statuses: ['success'] } } }
  const ways: [string, JsonObject][] = [
    ['is answered as if it were a close', { kind: 'refuse', text: noPosition }],
    ['is confirmed, and a later list has the order', { kind: 'reply', text: JSON.stringify(done) }],
  ]

  test.each(ways)('%s: it goes again without the long wait', async (_, fault) => {
    world = await World.start()
    await world.ask(orders(order(1, true, '3900', '0.1', gtc)))
    await world.until(() => world.guard.status().open_orders === 2, 'the entry and its stop')
    await world.venue.fault({ where: 'exchange', ...fault, count: 1 })
    await world.kill('enough')
    const { seq } = await world.event('flatten')
    await world.event('sent', ({ decision }) => decision === seq)
    world.machine.passedMs += 4_000
    // The venue lists all orders again.
    await world.outside(orders(order(2, true, '100', '1', gtc)))
    await world.until(async () => (await world.venueState()).openOrders.length === 0, 'no order')
    const times = world
      .events('flatten')
      .filter(({ actions }) => JSON.stringify(actions).includes('"a":1,'))
      .map((each) => each.at_ms)
    expect(times).toHaveLength(2)
    expect(times[1] - times[0]).toBeLessThan(15_000)
  })
})

test('a kill of the fleet is obeyed once, over a restart and a release too', async () => {
  world = await World.start()
  const { latch } = world.guard
  await latch.obey('enough (fleet epoch 7)', 7)
  expect(world.guard.status().kill).toMatchObject({
    ...{ latched: true, durable: true, reason: 'enough (fleet epoch 7)' },
  })
  // Latched already: another one is put on record, and the same or an older one is not.
  await latch.obey('and again (fleet epoch 9)', 9)
  await latch.obey('and again (fleet epoch 9)', 9)
  await latch.obey('late (fleet epoch 8)', 8)
  await world.until(() => world.events('kill').length === 2, 'both on record')
  expect(latch.obeyed).toMatchObject({ epoch: 9 })
  await world.stopGuard()
  await world.startGuard()
  expect(world.guard.latch.obeyed).toEqual(latch.obeyed)
  expect(world.guard.status().kill).toMatchObject({ reason: 'enough (fleet epoch 7)' })
  expect(world.events('kill').map(({ reason }: any) => reason)).toEqual([
    'enough (fleet epoch 7)',
    'and again (fleet epoch 9)',
  ])
})

describe('the kill file', () => {
  const ways: [string, (path: string) => void, string][] = [
    ['a file', (path) => writeFileSync(path, 'smoke\nmore'), 'smoke (kill file)'],
    ['an empty file', (path) => writeFileSync(path, ''), 'kill file (kill file)'],
    ['a directory', (path) => mkdirSync(path), 'kill file (kill file)'],
    ['a dangling link', (path) => symlinkSync('/nowhere/at/all', path), 'kill file (kill file)'],
    [
      'the command line',
      (path) => writeFileSync(path, 'stop (command line)\n'),
      'stop (command line)',
    ],
  ]

  test.each(ways)('%s latches, and a restart keeps it', async (_, make, reason) => {
    world = await World.start()
    make(join(world.home, 'kill'))
    expect((await world.event('kill')).reason).toBe(reason)
    expect((await world.event('flatten')).reason).toContain(reason)
    await world.stopGuard()
    rmSync(join(world.home, 'kill'), { recursive: true })
    await world.startGuard()
    expect(world.guard.status().kill).toMatchObject({ latched: true, reason, durable: true })
    expect(world.events('kill')).toHaveLength(1)
    await world.until(async () => {
      const { lstat } = await import('node:fs/promises')
      return await lstat(join(world.home, 'kill')).then(
        () => true,
        () => false,
      )
    }, 'the lost file to be written again')
  })

  test('one that is there at the start latches before anything is served', async () => {
    world = await World.stopped()
    writeFileSync(join(world.home, 'kill'), 'before\n')
    await world.startGuard()
    expect(world.guard.status().kill).toMatchObject({ latched: true, reason: 'before (kill file)' })
    expect(await world.ask(orders(order(1, true, '4010', '0.1')))).toMatchObject({
      code: 'kill_switch',
    })
  })
})

test('a kill while the journal takes nothing is an event before its flatten, once it does', async () => {
  world = await World.start()
  await world.ask(orders(order(1, true, '4010', '0.1')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  world.disk.breaks = true
  expect(await world.ask(orders(order(2, true, '201', '1')))).toMatchObject({ code: 'journal' })
  expect(await world.kill('enough')).toMatchObject({ killed: { already: false, durable: true } })
  await world.until(async () => Object.keys(await world.positions()).length === 0, 'flat')
  world.disk.breaks = false
  const kill = await world.event('kill')
  const flatten = await world.event('flatten')
  expect(kill.reason).toBe(`enough (client ${world.client})`)
  expect(flatten.seq).toBeGreaterThan(kill.seq)
  expect(world.events('kill')).toHaveLength(1)
})

test('a kill request that is refused is an error event and pulls nothing', async () => {
  world = await World.start()
  expect(await world.kill('enough', { key: strangerKey })).toMatchObject({
    status: 'err',
    code: 'auth_unknown_signer',
    verdict: 'veto',
  })
  const nonce = world.nonce()
  await world.ask(orders(order(1, true, '4010', '0.1')), { nonce })
  // Kill and exchange requests share the client's nonces.
  expect(await world.kill('enough', { nonce })).toMatchObject({ code: 'auth_replay' })
  expect(await world.kill('')).toMatchObject({ code: 'malformed' })
  await world.until(() => world.events('error').length === 3, 'three error events')
  expect(world.guard.status().kill.latched).toBe(false)
  expect(world.events('decision')).toHaveLength(1)
})

test('while latched, exits and cancels of bots go on', async () => {
  world = await World.start({ account: { equity: '10000' } })
  await world.ask(orders(order(1, true, '4010', '0.5')))
  await world.until(() => world.guard.status().positions[0]?.covered === true, 'covered')
  await world.venue.fault({
    where: 'exchange',
    kind: 'http_429',
    count: 3,
    match: { type: 'order' },
  })
  await world.kill('enough')
  await world.venue.send('DELETE', '/sim/fault')
  const close = await world.ask(orders(order(1, false, '3900', '0.5', reduceOnly)))
  expect(close.verdict).toBe('allow')
  await world.until(async () => Object.keys(await world.positions()).length === 0, 'flat')
})

test('what is said of a position without its stop ends with the position, latched or not', async () => {
  world = await World.start()
  const { venue, guard } = world
  const refusal = { where: 'exchange', kind: 'refuse', match: { type: 'order' }, count: 0 }
  await venue.fault({ ...refusal, text: 'No liquidity available for market order.' })
  await world.outside(orders(order(2, true, '201', '5')))
  const codes = (): string[] => guard.status().alerts.map(({ code }) => code)
  await world.until(() => codes().includes('unprotected_position'), 'the alert')
  await world.kill('enough')
  expect(codes()).toContain('unprotected_position')
  await venue.send('DELETE', '/sim/fault')
  await world.until(async () => Object.keys(await world.positions()).length === 0, 'flat')
  await world.until(() => !codes().includes('unprotected_position'), 'the alert to end')
})
