import { describe, expect, test } from 'vitest'
import { address } from '../../../src/core/values/address.ts'
import type { Json } from '../../../src/core/protocol/action.ts'
import { account, alice, bob, carol, d, limit, send, statuses, testVenue } from './venue.fixture.ts'
import { testConfig } from './venue.fixture.ts'
import { Venue } from './venue.ts'

const sub = address(`0x${'5b'.repeat(20)}`)
const family = [
  account(sub, '500', { subOf: alice }),
  account(alice, '10000', { agents: [carol], spot: [{ token: 'HYPE', total: d('10') }] }),
  account(bob, '10000'),
]
const text = (reply: Json) => (reply as { response: Json }).response
const value = (venue: Venue, who: typeof alice) =>
  venue.perpState(who).margin.accountValue.toString()

test('a sub-account is its master’s, whoever is listed first', () => {
  const venue = testVenue(family)
  expect(venue.role(sub)).toEqual({ role: 'subAccount', master: alice })
  expect(venue.role(alice)).toEqual({ role: 'user' })
  expect(venue.subAccounts(alice)).toEqual([{ address: sub, master: alice, name: 'sub1' }])
  expect(venue.subAccounts(bob)).toEqual([])
  expect(venue.mayActFor(alice, sub)).toBe(true)
  expect(venue.mayActFor(bob, sub)).toBe(false)
  expect(venue.mayActFor(alice, alice)).toBe(false)
})

test('it trades with its own margin', () => {
  const venue = testVenue(family)
  expect(statuses(send(venue, sub, [limit('buy', '10', '2100', { tif: 'Ioc' })]))).toMatchObject([
    { error: 'Insufficient margin to place order. asset=1' },
  ])
  send(venue, sub, [limit('buy', '0.1', '2100', { tif: 'Ioc' })])
  expect(venue.perpState(sub).positions).toHaveLength(1)
  expect(venue.perpState(alice).positions).toHaveLength(0)
})

test.each([
  ['a sub-account of nobody', [account(sub, '1', { subOf: carol })], 'must be another account'],
  ['a sub-account of itself', [account(sub, '1', { subOf: sub })], 'must be another account'],
  [
    'a sub-account of a sub-account',
    [account(alice, '1'), account(bob, '1', { subOf: alice }), account(sub, '1', { subOf: bob })],
    'has an owner itself',
  ],
  [
    'a sub-account with an agent',
    [account(alice, '1'), account(sub, '1', { subOf: alice, agents: [carol] })],
    'no agents of its own',
  ],
  [
    'a sub-account and a vault',
    [account(alice, '1'), account(sub, '1', { subOf: alice, vaultOf: alice })],
    'not both',
  ],
])('a reset refuses %s', (_, accounts, why) => {
  const done = testVenue().reset(testConfig({ accounts }))
  expect(done.ok ? '' : done.error).toContain(why)
})

describe('transfers', () => {
  const move = (venue: Venue, isDeposit: boolean, usdc: string, who = alice, to = sub) =>
    venue.apply(who, { type: 'subAccountTransfer', subAccount: to, isDeposit, usdc: d(usdc) })

  test('move USDC both ways, and both ledgers say so', () => {
    const venue = testVenue(family)
    expect(move(venue, true, '50')).toMatchObject({ status: 'ok' })
    expect([value(venue, alice), value(venue, sub)]).toEqual(['9950', '550'])
    expect(move(venue, false, '150')).toMatchObject({ status: 'ok' })
    expect([value(venue, alice), value(venue, sub)]).toEqual(['10100', '400'])
    const rows = [alice, sub].map((who) => venue.ledger(who).map(({ delta }) => delta))
    expect(rows[0]).toEqual(rows[1])
    expect(rows[1]).toMatchObject([
      { type: 'subAccountTransfer', user: alice, destination: sub },
      { type: 'subAccountTransfer', user: sub, destination: alice },
    ])
    expect(venue.audit().held.toString()).toBe(venue.audit().deposited.toString())
  })

  test('are refused for a stranger, for too much and for a unified account', () => {
    const venue = testVenue([...family, account(carol, '1', { mode: 'unifiedAccount' })])
    expect(text(move(venue, true, '1', bob))).toBe(
      `Invalid sub-account transfer from ${bob} to ${sub}`,
    )
    expect(text(move(venue, false, '501'))).toBe('Insufficient balance for withdrawal')
    expect(text(move(venue, false, '0'))).toBe('Invalid send')
    venue.setMode(sub, 'unifiedAccount')
    expect(text(move(venue, true, '1'))).toBe('Action disabled when unified account is active')
  })

  test('of tokens show as spot transfers', () => {
    const venue = testVenue(family)
    const parts = { subAccount: sub, isDeposit: true, token: 'HYPE', amount: d('4') } as const
    expect(venue.apply(alice, { type: 'subAccountSpotTransfer', ...parts })).toMatchObject({
      status: 'ok',
    })
    expect(venue.spotState(sub).tokens.get('HYPE')?.toString()).toBe('4')
    expect(venue.ledger(sub).at(-1)?.delta.type).toBe('spotTransfer')
    expect(text(venue.apply(bob, { type: 'subAccountSpotTransfer', ...parts }))).toContain(
      'Invalid sub-account transfer',
    )
  })
})

describe('new ones', () => {
  const create = (venue: Venue, name = 'grid') =>
    venue.apply(alice, { type: 'createSubAccount', name })
  const traded = (sub_max = 10): Venue => {
    const venue = testVenue([account(alice, '1000000')], { sub_max })
    send(venue, alice, [limit('buy', '60', '2100', { tif: 'Ioc' })])
    return venue
  }

  test('need volume, a name and room', () => {
    expect(text(create(testVenue(family)))).toBe(
      'Cannot create sub-accounts until enough volume traded. Required: $100000. Traded: $0.',
    )
    const venue = traded(1)
    expect(text(create(venue, ''))).toBe('Invalid sub-account name.')
    expect(text(create(venue, 'x'.repeat(17)))).toBe('Invalid sub-account name.')
    const made = create(venue) as { response: { type: string; data: string } }
    expect(made.response.type).toBe('createSubAccount')
    expect(venue.role(address(made.response.data))).toEqual({ role: 'subAccount', master: alice })
    expect(text(create(venue))).toBe('Too many sub-accounts.')
  })

  test('are renamed by their master alone', () => {
    const venue = testVenue(family)
    const rename = (who: typeof alice, name: string) =>
      venue.apply(who, { type: 'subAccountModify', subAccount: sub, name })
    expect(rename(alice, 'grid2')).toMatchObject({ status: 'ok' })
    expect(venue.subAccounts(alice)[0]?.name).toBe('grid2')
    expect(text(rename(alice, ''))).toBe('Invalid sub-account name.')
    expect(text(rename(bob, 'x'))).toBe(`Sub-account ${sub} is not registered to ${bob}`)
  })
})

test('its mode is set by its master, and its own class transfer names it', () => {
  const venue = testVenue(family)
  const half = { type: 'usdClassTransfer', amount: d('100'), toPerp: false } as const
  expect(venue.apply(alice, { ...half, subAccount: sub })).toMatchObject({ status: 'ok' })
  expect([value(venue, alice), value(venue, sub)]).toEqual(['10000', '400'])
  expect(text(venue.apply(bob, { ...half, subAccount: sub }))).toContain('not registered')
  const mode = { type: 'setAbstraction', mode: 'unifiedAccount' } as const
  expect(venue.apply(alice, { ...mode, user: sub })).toMatchObject({ status: 'ok' })
  expect([venue.mode(alice), venue.mode(sub)]).toEqual(['disabled', 'unifiedAccount'])
  expect(text(venue.apply(bob, { ...mode, user: sub }))).toContain('not registered')
})
