import { afterEach, expect, test } from 'vitest'
import { cloid, gated, group, pending, stopLoss, takeProfit } from './oneLife.fixture.ts'
import type { Gate } from './oneLife.fixture.ts'
import { accountAddress, order } from './world.fixture.ts'
import type { World } from './world.fixture.ts'

let world: World
let gate: Gate
afterEach(async () => {
  gate.open()
  await world.close()
})

const [stopName, profitName] = [cloid(0xab), cloid(0xcd)]
const stopAt = (trigger: string) => stopLoss(1, false, trigger, '3500', '1', { c: stopName })
const profitOf = (size: string) => takeProfit(1, false, '4200', '3800', size, { c: profitName })
const trail = (trigger: string) =>
  world.ask({ type: 'modify', oid: stopName, order: stopAt(trigger) })
const cancel = () =>
  world.ask({ type: 'cancelByCloid', cancels: [{ asset: 1, cloid: profitName }] })

/** The bot's orders at the venue, by the ids that a bot is shown: its own, where it has one for them. */
async function shown(): Promise<Record<string, string>> {
  const { openOrders } = await world.venueState()
  return Object.fromEntries(
    openOrders.map(({ cloid: id, triggerPx, sz }: any) => [
      world.guard.names.nameOf(id) ?? id,
      `${sz} at ${triggerPx}`,
    ]),
  )
}
/** The order is at the venue and Guard has seen so. */
const until = async (name: string, what: string): Promise<void> => {
  await world.until(async () => (await shown())[name] === what, `${name}: ${what}`)
  await world.until(() => world.guard.status().in_flight === 0, 'nothing on its way')
}
const statusOf = async (name: string): Promise<any> => {
  const oid = world.guard.names.idOf(name)
  const { order: told } = await world.venue.info({ type: 'orderStatus', user: accountAddress, oid })
  return told
}

async function bought(): Promise<void> {
  ;({ world, gate } = await gated())
  const entry = order(1, true, '4010', '1')
  await world.ask(group(entry, profitOf('1'), stopAt('3900')))
  await until(stopName, '1.0 at 3900.0')
}

test.each<[string, () => Promise<void>]>([
  ['', () => Promise.resolve()],
  [
    ', also over a restart',
    async () => {
      await world.stopGuard()
      await world.startGuard(gate.around)
    },
  ],
  [
    ', also over a crash',
    async () => {
      await world.crash()
      await world.startGuard(gate.around)
    },
  ],
])('a stop is trailed and a take profit cancelled by the bot’s own ids%s', async (_, meanwhile) => {
  await bought()
  for (const trigger of ['3910', '3920']) {
    expect(await trail(trigger)).toMatchObject({ status: 'ok', response: { type: 'default' } })
    await until(stopName, `1.0 at ${trigger}.0`)
  }
  const one = { oid: profitName, order: profitOf('0.4') }
  const { response } = await world.ask({ type: 'batchModify', modifies: [one] })
  const [{ resting }] = response.data.statuses
  expect(resting.cloid).toBe(profitName)
  await until(profitName, '0.4 at 4200.0')
  await meanwhile()
  await world.until(() => world.guard.ready().ok, 'ready')

  expect(await statusOf(profitName)).toMatchObject({ status: 'open', order: { oid: resting.oid } })
  const entry = { ...order(1, true, '4005', '0.01'), c: profitName }
  const refused = await world.ask({ type: 'order', orders: [entry], grouping: 'na' })
  expect(refused).toMatchObject({ code: 'invalid' })
  expect(refused.response).toContain(String(resting.oid))
  expect(await trail('3930')).toMatchObject({ status: 'ok' })
  await until(stopName, '1.0 at 3930.0')
  expect((await cancel()).response.data.statuses).toEqual(['success'])
  await world.until(async () => !(profitName in (await shown())), 'its end')
  expect(Object.keys(await shown())).toEqual([stopName])
  expect((await cancel()).response.data.statuses).toEqual([
    { error: 'Order was never placed, already canceled, or filled. asset=1' },
  ])
  expect(await statusOf(profitName)).toMatchObject({
    status: 'canceled',
    order: { oid: resting.oid },
  })
})

test('where the venue refuses the new order, the bot’s id goes on naming the old one', async () => {
  await bought()
  await trail('3910')
  await until(stopName, '1.0 at 3910.0')
  const fault = { where: 'exchange', kind: 'refuse_stop', text: 'Invalid TP/SL price.', count: 1 }
  await world.venue.fault(fault)
  expect(await trail('3920')).toMatchObject({ status: 'err' })
  expect(await shown()).toMatchObject({ [stopName]: '1.0 at 3910.0' })
  expect(await trail('3930')).toMatchObject({ status: 'ok' })
  await until(stopName, '1.0 at 3930.0')
})

test('after a crash before its answer the bot’s id names the new order once it is seen', async () => {
  await bought()
  gate.keep('answer', (action) => action.type === 'order')
  void pending(trail('3910'))
  await world.until(() => gate.waiting.length === 1, 'the new stop to be taken')
  await world.crash()
  gate.open()
  await world.startGuard(gate.around)
  await world.until(() => world.guard.ready().ok, 'ready')
  await world.until(() => world.guard.names.idOf(stopName) !== stopName, 'the new stop to be seen')
  expect(await trail('3920')).toMatchObject({ status: 'ok' })
  const triggers = async (): Promise<string[]> =>
    (await world.venueState()).openOrders.map(({ triggerPx }: any) => triggerPx)
  // The first one was never cancelled; what the bot's id named has given way.
  await world.until(async () => !(await triggers()).includes('3910.0'), 'the end of the second')
  expect((await triggers()).sort()).toEqual(['3900.0', '3920.0', '4200.0'])
})
