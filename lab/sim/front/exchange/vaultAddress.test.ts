import { afterEach, beforeEach, expect, test } from 'vitest'
import { demoUser, marketBuy, order, stranger, TestVenue } from '../../simulator.fixture.ts'

const sub = `0x${'5b'.repeat(20)}`
const vault = `0x${'7a'.repeat(20)}`
const other = `0x${'0b'.repeat(20)}`

let venue: TestVenue
beforeEach(async () => {
  venue = await TestVenue.start()
  await venue.control('reset', {
    frozen: true,
    accounts: [
      { address: demoUser, equity: '10000' },
      { address: sub, equity: '2000', sub_of: demoUser },
      { address: vault, equity: '3000', vault_of: demoUser },
      { address: stranger, equity: '1' },
      { address: other, equity: '1', sub_of: stranger },
    ],
  })
})
afterEach(async () => {
  await venue.close()
})

const held = async (user: string): Promise<number> =>
  (await venue.info({ type: 'clearinghouseState', user })).assetPositions.length

test.each([
  ['a sub-account', sub],
  ['a vault', vault],
  ['a sub-account without its prefix', sub.slice(2)],
])('an order for %s is that account’s', async (_, vaultAddress) => {
  const reply = await venue.exchange(marketBuy, { vaultAddress })
  expect(reply.json.status).toBe('ok')
  const whose = vaultAddress === vault ? vault : sub
  expect([await held(demoUser), await held(whose)]).toEqual([0, 1])
  const log = (await venue.send('GET', '/sim/log')).json
  expect(log.at(-1)).toMatchObject({ user: whose, signer: demoUser })
})

test('an account of somebody else, and the own one, are not registered', async () => {
  for (const vaultAddress of [other, demoUser, stranger]) {
    expect((await venue.exchange(marketBuy, { vaultAddress })).json).toEqual({
      status: 'err',
      response: `Vault not registered: ${vaultAddress}`,
    })
  }
})

test('without the field the action is the master’s', async () => {
  const placed = await venue.exchange(order({}), { vaultAddress: sub })
  const { oid } = placed.json.response.data.statuses[0].resting
  const cancel = { type: 'cancel', cancels: [{ a: 1, o: oid }] }
  const missed = await venue.exchange(cancel)
  expect(missed.json.response.data.statuses[0].error).toContain('Order was never placed')
  const done = await venue.exchange(cancel, { vaultAddress: sub })
  expect(done.json.response.data.statuses).toEqual(['success'])
})

test('an action without a place for it is refused', async () => {
  expect((await venue.exchange({ type: 'noop' }, { vaultAddress: sub })).json).toEqual({
    status: 'err',
    response: 'Vault may not perform this action.',
  })
})

test('reads tell who is who', async () => {
  const role = (user: string) => venue.info({ type: 'userRole', user })
  expect(await role(sub)).toEqual({ role: 'subAccount', data: { master: demoUser } })
  expect(await role(vault)).toEqual({ role: 'vault' })
  expect(await role(demoUser)).toEqual({ role: 'user' })
  const subs = await venue.info({ type: 'subAccounts', user: demoUser })
  expect(subs).toMatchObject([{ subAccountUser: sub, master: demoUser, name: 'sub1' }])
  const sparse = await venue.info({ type: 'subAccounts2', user: demoUser })
  expect(sparse[0].dexToClearinghouseState[0][1].marginSummary.accountValue).toBe('2000.0')
  expect(await venue.info({ type: 'subAccounts2', user: sub })).toBeNull()
  expect(await venue.info({ type: 'leadingVaults', user: demoUser })).toEqual([
    { address: vault, name: 'vault' },
  ])
  const details = await venue.info({ type: 'vaultDetails', vaultAddress: vault })
  expect(details).toMatchObject({
    ...{ leader: demoUser, vaultAddress: vault, leaderFraction: 1, followerState: null },
    ...{ maxDistributable: 3000, maxWithdrawable: 0 },
    followers: [{ user: 'Leader', vaultEquity: '3000.0', pnl: '0.0', lockupUntil: 0 }],
  })
  const asLeader = { type: 'vaultDetails', vaultAddress: vault, user: demoUser }
  expect(await venue.info(asLeader)).toMatchObject({
    ...{ followerState: { user: demoUser, vaultEquity: '3000.0' }, maxWithdrawable: 3000 },
  })
  expect(await venue.info({ type: 'vaultDetails', vaultAddress: sub })).toBeNull()
  expect(await venue.info({ type: 'userVaultEquities', user: demoUser })).toMatchObject([
    { vaultAddress: vault, equity: '3000.0' },
  ])
})

test('transfers and vault actions are signed by the master', async () => {
  const move = { type: 'subAccountTransfer', subAccountUser: sub, isDeposit: true, usd: 50_000_000 }
  expect((await venue.exchange(move)).json.status).toBe('ok')
  const rows = await venue.info({ type: 'userNonFundingLedgerUpdates', user: sub, startTime: 0 })
  expect(rows.map((each: { delta: unknown }) => each.delta)).toEqual([
    { type: 'subAccountTransfer', usdc: '50.0', user: demoUser, destination: sub },
  ])
  const named = { vaultAddress: vault }
  const modify = { ...named, allowDeposits: false, alwaysCloseOnWithdraw: true }
  expect((await venue.exchange({ type: 'vaultModify', ...modify })).json.status).toBe('ok')
  const give = { type: 'vaultDistribute', ...named, usd: 10_000_000 }
  expect((await venue.exchange(give)).json.status).toBe('ok')
  await venue.control('flow', { user: vault, amount: '-100' })
  const told = await venue.info({ type: 'userNonFundingLedgerUpdates', user: vault, startTime: 0 })
  expect(told.map((each: { delta: { type: string } }) => each.delta.type)).toEqual([
    'vaultDistribution',
    'vaultWithdraw',
  ])
})
