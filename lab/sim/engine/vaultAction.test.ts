import { describe, expect, test } from 'vitest'
import { address } from '../../../src/core/values/address.ts'
import type { Json } from '../../../src/core/protocol/action.ts'
import { account, alice, bob, d, limit, send, sizeOf, story, testVenue } from './venue.fixture.ts'
import { oidOf, price, startMs, trigger } from './venue.fixture.ts'
import type { Venue } from './venue.ts'

const vault = address(`0x${'7a'.repeat(20)}`)
/** A row of the ledger with its amounts as text. */
const shown = (delta: unknown) =>
  Object.fromEntries(Object.entries(delta as object).map(([name, each]) => [name, String(each)]))
const text = (reply: Json) => (reply as { response: Json }).response
const value = (venue: Venue, who = vault) =>
  venue.perpState(who).margin.accountValue.rounded(2, 'down').toString()

function vaultVenue(options = {}): Venue {
  const positions = [
    { coin: 'ETH', size: d('1'), leverage: { type: 'isolated', value: 4 } },
  ] as const as never
  return testVenue(
    [
      account(alice, '20000'),
      account(bob, '5000'),
      account(vault, '1000', { vaultOf: alice, positions }),
    ],
    options,
  )
}

test('a vault is told as one, and belongs to its leader', () => {
  const venue = vaultVenue()
  expect(venue.role(vault)).toEqual({ role: 'vault' })
  expect(venue.mayActFor(alice, vault)).toBe(true)
  expect(venue.mayActFor(bob, vault)).toBe(false)
  expect(venue.leadingVaults(alice).map((each) => each.address)).toEqual([vault])
  expect(venue.subAccounts(alice)).toEqual([])
  expect(venue.vault(alice)).toBeNull()
})

describe('a withdrawal', () => {
  test('takes what is free and touches nothing else', () => {
    const venue = vaultVenue()
    const resting = oidOf(send(venue, vault, [limit('buy', '0.1', '1900')]))
    expect(venue.flow(vault, d('-300')).ok).toBe(true)
    expect(story(venue, vault, resting)).toEqual(['open'])
    expect(sizeOf(venue, vault)).toBe('1')
    expect(value(venue)).toBe('700')
    expect(venue.ledger(vault).at(-1)?.delta).toMatchObject({ type: 'vaultWithdraw', vault })
  })

  test('ends orders first, those that use the least margin, and leaves stops', () => {
    const venue = vaultVenue()
    const large = oidOf(send(venue, vault, [limit('buy', '0.4', '1900')]))
    const small = oidOf(send(venue, vault, [limit('buy', '0.2', '1900')]))
    const stop = oidOf(send(venue, vault, [trigger('sell', '1', '1800', '1700', 'sl')]))
    expect(venue.flow(vault, d('-300')).ok).toBe(true)
    expect(story(venue, vault, small)).toEqual(['open', 'vaultWithdrawalCanceled'])
    expect(story(venue, vault, large)).toEqual(['open'])
    expect(venue.openOrders(vault).map(({ oid }) => oid)).toContain(stop)
    expect(sizeOf(venue, vault)).toBe('1')
  })

  test('ends stops too by the other reading', () => {
    const venue = vaultVenue({ vaultWithdrawalCancels: 'all' })
    const stop = oidOf(send(venue, vault, [trigger('sell', '1', '1800', '1700', 'sl')]))
    expect(venue.flow(vault, d('-700')).ok).toBe(true)
    expect(story(venue, vault, stop)).toContain('vaultWithdrawalCanceled')
  })

  test('then closes a fifth of each position, again and again', () => {
    const venue = vaultVenue()
    expect(venue.flow(vault, d('-650')).ok).toBe(true)
    expect(sizeOf(venue, vault)).toBe('0.64')
    const closes = venue
      .historicalOrders(vault)
      .map(({ order, status }) => [...[order.orderType, order.originalSize.toString(), status]])
    expect(closes).toEqual([
      ['Vault Close', '0.16', 'filled'],
      ['Vault Close', '0.2', 'filled'],
    ])
    expect(venue.fills(vault).map(({ dir }) => dir)).toEqual(['Close Long', 'Close Long'])
    const { held, deposited, feesCollected, netSizes } = venue.audit()
    expect(held.plus(feesCollected).toString()).toBe(deposited.toString())
    expect([...netSizes.values()].every((size) => size.isZero())).toBe(true)
  })

  test('closes its share each time where the leader wants it so', () => {
    const venue = vaultVenue()
    const modify = { type: 'vaultModify', vault, allowDeposits: null } as const
    expect(venue.apply(alice, { ...modify, alwaysCloseOnWithdraw: true })).toMatchObject({
      status: 'ok',
    })
    expect(venue.flow(vault, d('-100')).ok).toBe(true)
    expect(sizeOf(venue, vault)).toBe('0.9')
  })

  test('of more than there is is refused', () => {
    const done = vaultVenue().flow(vault, d('-1001'))
    expect(done.ok ? '' : done.error).toContain('Insufficient balance for withdrawal')
  })
})

describe('followers', () => {
  const move = (venue: Venue, isDeposit: boolean, usdc: string, who = bob) =>
    venue.apply(who, { type: 'vaultTransfer', vault, isDeposit, usdc: d(usdc) })

  test('put in and take out their part', () => {
    const venue = vaultVenue({ vaultLockMs: 0 })
    expect(move(venue, true, '1000')).toMatchObject({ status: 'ok' })
    expect([value(venue), value(venue, bob)]).toEqual(['2000', '4000'])
    expect(venue.vault(vault)?.followers.map(({ equity }) => equity.toString())).toEqual([
      '1000',
      '1000',
    ])
    expect(text(move(venue, false, '1001'))).toBe('Insufficient balance for withdrawal')
    expect(move(venue, false, '400')).toMatchObject({ status: 'ok' })
    expect([value(venue), value(venue, bob)]).toEqual(['1600', '4400'])
    expect(venue.ledger(bob).map(({ delta }) => delta.type)).toEqual([
      'vaultDeposit',
      'vaultWithdraw',
    ])
    expect(venue.ledger(vault).map(({ delta }) => delta.type)).toEqual([
      'vaultDeposit',
      'vaultWithdraw',
    ])
  })

  test('cannot put in where the leader took none, nor what they have not', () => {
    const venue = vaultVenue()
    expect(text(move(venue, true, '5001'))).toBe('Insufficient balance for withdrawal')
    venue.apply(alice, {
      ...{ type: 'vaultModify', vault, allowDeposits: false, alwaysCloseOnWithdraw: null },
    })
    expect(text(move(venue, true, '1'))).toBe('Vault does not allow deposits.')
    expect(
      text(
        venue.apply(bob, { type: 'vaultTransfer', vault: alice, isDeposit: true, usdc: d('1') }),
      ),
    ).toBe(`Vault not registered: ${alice}`)
  })

  test('take nothing out for a day, or for as long as the option says', () => {
    const venue = vaultVenue()
    move(venue, true, '1000')
    const locked = 'Cannot withdraw from vault during lockup period after depositing.'
    venue.advanceTo(startMs + 86_399_999)
    expect(text(move(venue, false, '400'))).toBe(locked)
    venue.advanceTo(startMs + 86_400_000)
    expect(move(venue, false, '400')).toMatchObject({ status: 'ok' })
  })

  test('give the leader a tenth of their profit, and nothing is made or lost', () => {
    const venue = vaultVenue({ vaultLockMs: 0 })
    move(venue, true, '1000')
    price(venue, '2200')
    // The vault won 200, of which half is the follower's: 1100, for which 1000 were paid.
    expect(venue.vault(vault)?.followers.at(1)?.pnl.eq(d('100'))).toBe(true)
    expect(move(venue, false, '550')).toMatchObject({ status: 'ok' })
    expect(shown(venue.ledger(bob).at(-1)?.delta)).toMatchObject({
      ...{ type: 'vaultWithdraw', requested: '550', basis: '500', commission: '5', net: '545' },
    })
    expect(shown(venue.ledger(alice).at(-1)?.delta)).toEqual({
      ...{ type: 'vaultLeaderCommission', user: alice, usdc: '5' },
    })
    expect(value(venue, bob)).toBe('4545')
    const { held, deposited, feesCollected } = venue.audit()
    expect(held.plus(feesCollected).toString()).toBe(deposited.toString())
  })

  test('the leader keeps a twentieth of the vault', () => {
    const venue = vaultVenue({ vaultLockMs: 0 })
    move(venue, true, '4000')
    const take = (usdc: string) => move(venue, false, usdc, alice)
    expect(text(take('790'))).toBe('Vault leader must own at least 5% of the vault.')
    const flow = venue.flow(vault, d('-790'))
    expect(flow.ok ? '' : flow.error).toContain('amount: Vault leader must own at least 5%')
    expect(take('700')).toMatchObject({ status: 'ok' })
  })

  test('get their part of what the leader distributes', () => {
    const venue = vaultVenue()
    move(venue, true, '1000')
    const share = { type: 'vaultDistribute', vault, usdc: d('200') } as const
    expect(text(venue.apply(bob, share))).toBe('Only leader can perform this vault action')
    expect(venue.apply(alice, share)).toMatchObject({ status: 'ok' })
    expect([value(venue), value(venue, bob), value(venue, alice)]).toEqual([
      '1800',
      '4100',
      '20100',
    ])
    expect(venue.ledger(vault).at(-1)?.delta).toMatchObject({ type: 'vaultDistribution' })
  })
})

test('a new vault costs its fee', () => {
  const venue = vaultVenue()
  const create = { type: 'createVault', name: 'v', usdc: d('100') } as const
  expect(text(venue.apply(bob, create))).toBe('Insufficient balance to create vault')
  const made = venue.apply(alice, create) as { response: { type: string; data: string } }
  expect(made.response.type).toBe('createVault')
  expect([value(venue, alice), value(venue, address(made.response.data))]).toEqual(['9900', '100'])
  expect(venue.role(address(made.response.data))).toEqual({ role: 'vault' })
})
