import { describe, expect, test } from 'vitest'
import { address } from '../../../src/core/values/address.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { validator } from './staking.ts'
import type { Venue } from './venue.ts'
import type { VenueAction } from './venueAction.ts'
import {
  account,
  alice,
  bob,
  carol,
  d,
  limit,
  startMs,
  statuses,
  testVenue,
} from './venue.fixture.ts'

const ok = { status: 'ok', response: { type: 'default' } }
const refused = (response: string) => ({ status: 'err', response })
const dayMs = 86_400_000

const toSpot: VenueAction = { type: 'usdClassTransfer', amount: d('1000'), toPerp: false }
const send = (token: 'USDC' | 'HYPE', amount: string, destination = bob): VenueAction => ({
  ...{ type: 'spotSend', token, amount: d(amount), destination, nonce: startMs },
})

/** A venue where alice has 700 USDC and 10 HYPE less the fee on her spot side. */
function withTokens(): Venue {
  const venue = testVenue()
  expect(venue.apply(alice, toSpot)).toEqual(ok)
  const trade = { coin: '@1' as never, isBuy: true, price: d('30'), size: d('10') }
  expect(venue.tradeElsewhere(alice, { ...trade, closedPnl: Decimal.zero }).ok).toBe(true)
  return venue
}

const hypeOf = (venue: Venue, who = alice) => venue.spotState(who).tokens.get('HYPE')?.toString()
const usdcOf = (venue: Venue, who = alice) => venue.spotState(who).usdcTotal.toString()
const lastDelta = (venue: Venue, who = alice) => venue.ledger(who).at(-1)?.delta

/** Money is neither made nor lost, whatever was sent. */
function expectBalanced(venue: Venue): void {
  const { held, feesCollected, deposited } = venue.audit()
  expect(held.plus(feesCollected).toString()).toBe(deposited.toString())
}

describe('sending tokens', () => {
  test('moves them, and both ledgers say so', () => {
    const venue = withTokens()
    expect(venue.apply(alice, send('HYPE', '2.5'))).toEqual(ok)
    expect([hypeOf(venue), hypeOf(venue, bob)]).toEqual(['7.493', '2.5'])
    const delta = { type: 'spotTransfer', token: 'HYPE', usdcValue: d('75.0') }
    expect(lastDelta(venue)).toMatchObject(delta)
    expect(lastDelta(venue, bob)).toMatchObject(delta)
    expect(venue.apply(alice, send('USDC', '100', carol))).toEqual(ok)
    expect([usdcOf(venue), usdcOf(venue, carol)]).toEqual(['600', '100'])
    expectBalanced(venue)
  })

  test.each([
    ['more than there is', send('HYPE', '11'), 'Insufficient balance for token transfer'],
    ['nothing', send('HYPE', '0'), 'Invalid send'],
    ['finer than a wei', send('HYPE', '0.000000001'), 'Invalid send'],
  ])('%s is refused', (_, action, text) => {
    expect(withTokens().apply(alice, action)).toEqual(refused(text))
  })

  test('a unified account sends by sendAsset alone', () => {
    const venue = testVenue([account(alice, '1000', { mode: 'unifiedAccount' })])
    expect(venue.apply(alice, send('USDC', '1'))).toEqual(
      refused('Action disabled when unified account is active'),
    )
    expect(venue.apply(alice, asset('spot', 'spot', '5', bob))).toEqual(ok)
    expect(usdcOf(venue, bob)).toBe('5')
    expectBalanced(venue)
  })
})

const asset = (
  from: '' | 'spot',
  to: '' | 'spot',
  amount: string,
  destination = alice,
  isByAgent = false,
): VenueAction => ({
  ...{ type: 'sendAsset', token: 'USDC', amount: d(amount), destination, from, to },
  ...{ nonce: startMs, isByAgent, subAccount: null },
})

describe('sendAsset', () => {
  test.each([
    ['to one’s own spot side', asset('', 'spot', '10'), '9990', '10'],
    ['to another’s spot side', asset('', 'spot', '10', bob), '9990', '0'],
    ['to another’s perps', asset('', '', '10', bob), '9990', '0'],
  ])('%s', (_, action, perps, spot) => {
    const venue = testVenue()
    expect(venue.apply(alice, action)).toEqual(ok)
    expect(venue.perpState(alice).margin.accountValue.toString()).toBe(perps)
    expect(usdcOf(venue)).toBe(spot)
    expect(lastDelta(venue)).toMatchObject({ type: 'send', sourceDex: '' })
    expectBalanced(venue)
  })

  test.each([
    ['to where it is', asset('', '', '10'), 'Invalid send'],
    ['too much', asset('spot', '', '10'), 'Insufficient balance for token transfer'],
    [
      'by an agent to somebody else',
      asset('', '', '10', bob, true),
      'Agent can only send asset to same user or their sub-accounts.',
    ],
  ])('%s is refused', (_, action, text) => {
    expect(testVenue().apply(alice, action)).toEqual(refused(text))
  })
})

test('what goes to the other chain is gone from this one', () => {
  const venue = withTokens()
  const action = {
    type: 'sendToEvm',
    token: 'USDC',
    amount: d('50'),
    from: 'spot',
    nonce: 1,
  } as const
  expect(venue.apply(alice, action)).toEqual(ok)
  expect(usdcOf(venue)).toBe('650')
  expectBalanced(venue)
})

describe('staking', () => {
  const wei = 500_000_000

  test('goes in, to a validator, back after a day, and out after a week', () => {
    const venue = withTokens()
    expect(venue.apply(alice, { type: 'cDeposit', wei })).toEqual(ok)
    expect(hypeOf(venue)).toBe('4.993')
    const delegate = (isUndelegate: boolean): VenueAction => ({
      ...{ type: 'tokenDelegate', validator, wei, isUndelegate },
    })
    expect(venue.apply(alice, delegate(false))).toEqual(ok)
    expect(venue.totalStake().toString()).toBe('5')
    expect(venue.apply(alice, delegate(true))).toEqual(refused('Delegation is locked up'))
    expect(venue.apply(alice, { type: 'cWithdraw', wei })).toEqual(
      refused('Insufficient staking balance'),
    )
    venue.advanceTo(startMs + dayMs)
    expect(venue.apply(alice, delegate(true))).toEqual(ok)
    expect(venue.apply(alice, { type: 'cWithdraw', wei })).toEqual(ok)
    expect(venue.staking(alice).delegations).toEqual([])
    expect(venue.staking(alice).free.isZero()).toBe(true)
    expect(venue.staking(alice).leaving.map(String)).toEqual(['5'])
    venue.advanceTo(startMs + 8 * dayMs)
    expect(hypeOf(venue)).toBe('9.993')
    expect(venue.staking(alice).history.map(({ what }) => what.kind)).toEqual([
      ...['withdrawal', 'withdrawal', 'delegate', 'delegate', 'deposit'],
    ])
  })

  test('a validator nobody knows is refused', () => {
    const action: VenueAction = {
      ...{ type: 'tokenDelegate', validator: address(bob), wei: 1, isUndelegate: false },
    }
    expect(testVenue().apply(alice, action)).toEqual(refused('Unknown validator'))
  })

  test('pays for priority, and without it there is none', () => {
    const venue = withTokens()
    const orders = [limit('buy', '1', '2100', { tif: 'Ioc' })]
    const order: VenueAction = {
      ...{ type: 'order', orders, grouping: 'na', builder: null, priorityFee: 10_000 },
    }
    const unpaid = { error: 'Insufficient delegatable balance for priority order' }
    expect(statuses(venue.apply(alice, order))).toEqual([unpaid])
    expect(venue.perpState(alice).positions).toEqual([])
    venue.apply(alice, { type: 'cDeposit', wei })
    expect(statuses(venue.apply(alice, order))).toMatchObject([{ filled: { totalSz: '1.0' } }])
    // A basis point of the 2000.1 that it filled at, and HYPE costs 30.
    expect(venue.staking(alice).free.toString()).toBe('4.993333')
    const resting = { ...order, orders: [limit('buy', '1', '1900')] }
    expect(statuses(venue.apply(alice, resting))).toMatchObject([
      { error: 'Priority orders must be all IOC or all non-reduce-only ALO' },
    ])
  })
})

test('what is lent is in no balance until it is taken back', () => {
  const venue = withTokens()
  const lend = (
    operation: 'supply' | 'withdraw' | 'borrow',
    amount: string | null,
  ): VenueAction => ({
    ...{ type: 'borrowLend', operation, token: 0, amount: amount === null ? null : d(amount) },
  })
  expect(venue.apply(alice, lend('supply', '30'))).toEqual(ok)
  expect(usdcOf(venue)).toBe('670')
  expect(venue.spotState(alice).lent.get('USDC')?.toString()).toBe('30')
  expectBalanced(venue)
  expect(venue.apply(alice, lend('withdraw', '31'))).toEqual(
    refused('Insufficient balance for token transfer'),
  )
  expect(venue.apply(alice, lend('withdraw', null))).toEqual(ok)
  expect(usdcOf(venue)).toBe('700')
  expect(venue.apply(alice, lend('borrow', '1'))).toEqual(refused('Borrowing is not available'))
})

describe('refusals', () => {
  const other = (name: string, action = {}): VenueAction => ({ type: 'other', name, action })
  test.each([
    ['CSignerAction', {}, 'Signer invalid or inactive for current epoch'],
    ['validatorL1Stream', {}, 'Unknown validator'],
    ['claimRewards', {}, 'No rewards to claim'],
    [
      'hip3LiquidatorTransfer',
      { ntl: 20_000_000_000, isDeposit: true },
      'Insufficient funds available to deposit.',
    ],
  ])('%s', (name, action, text) => {
    expect(testVenue().apply(alice, other(name, action))).toEqual(refused(text))
  })

  test.each([
    [
      { type: 'registerReferrer', code: 'ME' },
      /^Cannot generate referral code until enough volume/,
    ],
    [{ type: 'setDexAbstraction', user: null }, /^Abstraction transition not allowed$/],
    [
      { type: 'setDexAbstraction', user: bob },
      /^Sub-account 0x(b0)+ is not registered to 0x(a1)+$/,
    ],
    [{ type: 'setAbstraction', mode: 'disabled', isByAgent: true }, /^Abstraction transition/],
    [{ type: 'setAbstraction', mode: 'unifiedAccount', user: bob }, /^Sub-account 0x(b0)+ is not/],
    [
      { type: 'setAbstraction', mode: 'portfolioMargin', user: alice },
      /^Portfolio margin requires account value of \$10000 or total volume of \$5000000\.$/,
    ],
    [
      { type: 'usdClassTransfer', amount: d('1'), toPerp: false, subAccount: bob },
      /^Sub-account 0x(b0)+ is not registered to 0x(a1)+$/,
    ],
  ] satisfies [VenueAction, RegExp][])('%j', (action, text) => {
    const venue = testVenue([account(alice, '9999')])
    expect(venue.apply(alice, action)).toEqual({
      status: 'err',
      response: expect.stringMatching(text),
    })
  })
})
