import { afterEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/protocol/action.ts'
import { gated, group, pending, stopLoss } from './oneLife.fixture.ts'
import type { Gate } from './oneLife.fixture.ts'
import { order } from './world.fixture.ts'
import type { World } from './world.fixture.ts'

let world: World
let gate: Gate
afterEach(async () => {
  gate.open()
  await world.close()
})

const setting = (leverage: number): JsonObject => ({
  ...{ type: 'updateLeverage', asset: 1, isCross: false, leverage },
})
/** An ETH buy whose stop is so far away that it bears no leverage of 5. */
const entry = group(order(1, true, '4010', '0.01'), stopLoss(1, false, '3300', '2970', '0.01'))
const isLeverage = (value: number) => (action: any) =>
  action.type === 'updateLeverage' && action.leverage === value

/** What the venue has set for the position. */
async function leverageOf(coin: string): Promise<number | null> {
  const { json } = await world.venue.send('POST', '/info', {
    ...{ type: 'clearinghouseState', user: world.guard.status().account },
  })
  const held = json.assetPositions.find(({ position }: any) => position.coin === coin)
  return held?.position.leverage.value ?? null
}

describe('a bot raises the leverage and opens in the same moment', () => {
  test('the entry comes after the change, with its own', async () => {
    ;({ world, gate } = await gated())
    gate.keep('request', isLeverage(5))
    const raise = pending(world.ask(setting(5)))
    await world.until(() => gate.waiting.length === 1, 'the raise to be on its way')
    const opened = pending(world.ask(entry))
    await world.event('decision', ({ action }) => action === 'order')
    // A later request that is answered: nothing of the entry has overtaken the raise.
    await world.ask({ type: 'cancel', cancels: [{ a: 1, o: 1 }] })
    expect(await leverageOf('ETH')).toBeNull()
    gate.open()
    expect((await raise.reply).status).toBe('ok')
    expect((await opened.reply).response.data.statuses[0]).toHaveProperty('filled')
    expect(await leverageOf('ETH')).toBeLessThan(5)
  })

  test('a change that is not answered holds the entry back, and says so', async () => {
    ;({ world, gate } = await gated())
    gate.keep('answer', isLeverage(5))
    const raise = pending(world.ask(setting(5)))
    await world.until(() => gate.waiting.length === 1, 'the raise to be done and untold')
    const reply = await world.ask(entry)
    expect(JSON.stringify(reply)).toContain(
      'change of the leverage of this coin is not answered yet',
    )
    expect(await leverageOf('ETH')).toBeNull()
    gate.open()
    expect((await raise.reply).status).toBe('ok')
  })

  test('a change that is answered late comes after nothing that the entry needs', async () => {
    ;({ world, gate } = await gated())
    gate.keep('request', isLeverage(5))
    const raise = pending(world.ask(setting(5)))
    await world.until(() => gate.waiting.length === 1, 'the raise to be on its way')
    let isAnswered = false
    const opened = world.ask(entry).finally(() => (isAnswered = true))
    // The raise lands once the entry's own change was answered, or once the entry is refused.
    const isOwnSet = (): boolean => world.events('sent').length > 0
    await world.until(() => isAnswered || isOwnSet(), 'the entry to be on its way, or refused')
    gate.open()
    expect((await raise.reply).status).toBe('ok')
    expect(JSON.stringify(await opened)).toContain('is not answered yet')
    expect(await leverageOf('ETH')).toBeNull()
  })
})
