import { afterEach, expect, test } from 'vitest'
import { gtc, order, orders, World } from './world.fixture.ts'

let world: World
afterEach(async () => {
  await world.close()
})

/** Guard's API wallet, as another program has it too. */
const walletKey = `0x${'11'.repeat(32)}`
/** The venue keeps so many of a wallet's nonces, and refuses what is below all of them. */
const noncesKept = 100
const aheadMs = 60_000

const alertCodes = (): string[] => world.guard.status().alerts.map(({ code }) => code)
const entry = () => orders(order(2, true, '190', '1', gtc))

test('another program that signs with the API wallet is noticed by the nonces it has used', async () => {
  world = await World.start()
  expect(await world.ask(entry())).toMatchObject({ status: 'ok' })
  expect(alertCodes()).not.toContain('foreign_nonce')
  const from = Date.now() + aheadMs
  for (let n = 0; n < noncesKept; n += 1) {
    const signing = { key: walletKey, nonce: from + n }
    const { json } = await world.venue.exchange({ type: 'noop' }, signing)
    expect(json).toMatchObject({ status: 'ok' })
  }
  await world.ask(entry())
  await world.until(() => alertCodes().includes('foreign_nonce'), 'the alert')
  const alert = world.guard.status().alerts.find(({ code }) => code === 'foreign_nonce')
  expect(alert?.text).toMatch(
    new RegExp(
      `the venue wants nonces above ${from}, and Guard's highest is \\d{13}: another program seems to use Guard's API wallet`,
    ),
  )
  await world.until(
    () => world.events().some((event) => event.kind === 'error' && event.text === alert?.text),
    'its record',
  )
})
