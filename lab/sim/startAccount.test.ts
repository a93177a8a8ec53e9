import { expect, test } from 'vitest'
import { demoUser, order, stranger, TestVenue } from './simulator.fixture.ts'
import { parseStartAccount } from './startAccount.ts'

test.each([
  ['x:5', /an account's address must be an address.*got "x"/],
  [demoUser, /USDC must be a positive decimal, got ""/],
  [`${demoUser}:0`, /positive decimal, got "0"/],
  [`${demoUser}:5:z`, /an agent's address must be an address.*got "z"/],
])('%s is refused', (text, reason) => {
  const parsed = parseStartAccount(text)
  expect(parsed.ok ? '' : parsed.error).toMatch(reason)
})

test('an account of the first world trades, by itself and by its agent', async () => {
  const parsed = parseStartAccount(`${stranger}:2500:${demoUser}`)
  if (!parsed.ok) throw new Error(parsed.error)
  const venue = await TestVenue.start({ accounts: [parsed.value] })
  try {
    expect((await venue.exchange(order({ p: '2000' }))).json.status).toBe('ok')
    const state = await venue.state(stranger)
    expect(state.clearinghouseState.marginSummary.accountValue).toBe('2500.0')
    expect(state.openOrders).toHaveLength(1)
  } finally {
    await venue.close()
  }
})
