import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import type { Rules } from '../../src/core/rules/rules.ts'
import { err } from '../../src/core/values/result.ts'
import type { VenueHttp } from '../../src/engine/ports.ts'
import { gtc, order, orders, reduceOnly, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

const stop = (trigger: string, size = '0.5'): JsonObject =>
  order(1, false, '3000', size, {
    ...reduceOnly,
    t: { trigger: { isMarket: true, triggerPx: trigger, tpsl: 'sl' } },
  })

/** One read is never answered, so that Guard knows the account and goes on recovering. */
const withoutLedger = (venue: VenueHttp): VenueHttp => ({
  exchange: venue.exchange,
  info: async (request, lane) => {
    const { type } = request as { readonly type: string }
    if (type !== 'userNonFundingLedgerUpdates') return await venue.info(request, lane)
    return err({ kind: 'unreachable', text: 'the connection was reset' })
  },
})

interface ShownStop {
  readonly oid: number | null
  readonly price: string
}

const shownStops = (): readonly ShownStop[] => world.guard.status().positions[0]?.stops ?? []

async function oidAt(price: string): Promise<number> {
  const find = (): ShownStop | undefined => shownStops().find((each) => each.price === price)
  await world.until(() => find() !== undefined, `a stop at ${price}`)
  return find()?.oid ?? 0
}

/** A Guard that recovers, of an account with a position and the bot's stop. */
async function recovering(rules: Partial<Rules> = {}): Promise<void> {
  world = await World.start({ rules })
  const group = [order(1, true, '4010', '0.5'), stop('3900')]
  await world.ask({ type: 'order', orders: group, grouping: 'normalTpsl' })
  await oidAt('3900')
  await world.crash()
  await world.buildGuard(withoutLedger)
  world.guard.start().catch(() => undefined)
  await oidAt('3900')
  expect(world.guard.ready()).toMatchObject({ ok: false })
}

const margin = { type: 'updateIsolatedMargin', asset: 1, isBuy: true, ntli: 5_000_000 }

describe('while Guard recovers with a position and the bot’s stop', () => {
  beforeEach(async () => {
    await recovering()
  })

  const modify = (oid: number, trigger: string): Json => ({
    type: 'modify',
    oid,
    order: stop(trigger),
  })

  test('a stop is tightened by a modify', async () => {
    const reply = await world.ask(modify(await oidAt('3900'), '3960'))
    expect(reply).toMatchObject({ status: 'ok', verdict: 'resize' })
    await oidAt('3960')
    await world.until(() => shownStops().length === 1, 'the old one gone')
  })

  test('several are tightened by a batch', async () => {
    const modifies = [{ oid: await oidAt('3900'), order: stop('3970') }]
    const reply = await world.ask({ type: 'batchModify', modifies })
    expect(reply).toMatchObject({ status: 'ok', verdict: 'resize' })
    await oidAt('3970')
  })

  test('a tighter one is placed, and then the old one cancelled', async () => {
    const old = await oidAt('3900')
    expect(await world.ask(orders(stop('3950')))).toMatchObject({ status: 'ok', code: 'allowed' })
    await oidAt('3950')
    const cancel = { type: 'cancel', cancels: [{ a: 1, o: old }] }
    // A stop that was there before this run is first seen: a fill of its own may still be untold.
    const isGone = async (): Promise<boolean> => (await world.ask(cancel)).status === 'ok'
    await world.until(isGone, 'the cancel')
    await world.until(() => shownStops().length === 1, 'the old one gone')
  })

  test('margin is added to the position', async () => {
    expect(await world.ask(margin)).toMatchObject({ status: 'ok', code: 'allowed' })
  })

  test.each<[string, () => Promise<Json>]>([
    ['a stop is not loosened', async () => modify(await oidAt('3900'), '3890')],
    ['nothing opens', async () => orders(order(1, true, '3950', '0.1', gtc))],
    [
      'no leverage changes',
      async () => ({ type: 'updateLeverage', asset: 1, isCross: false, leverage: 1 }),
    ],
  ])('%s', async (_, action) => {
    expect(await world.ask(await action())).toMatchObject({ verdict: 'veto', code: 'recovering' })
    expect(shownStops()).toMatchObject([{ price: '3900' }])
  })
})

test('where positions may lean on each other no margin is taken from behind them meanwhile', async () => {
  await recovering({ margin: 'cross' })
  expect(await world.ask(margin)).toMatchObject({ verdict: 'veto', code: 'recovering' })
})
