import { describe, expect, test } from 'vitest'
import { defaultOptions } from '../options.ts'
import { account, alice, bob, d, limit, send, statuses, testConfig } from '../venue.fixture.ts'
import { Venue } from '../venue.ts'
import { dexVenue, goldAsset, oilAsset, take, tsla, tslaAsset } from './dex.fixture.ts'

const fresh = account(alice, '10000', { spot: [{ token: 'USDT0', total: d('500') }] })
const told = (venue: Venue, dex: string): string =>
  venue.perpState(alice, dex).cross.accountValue.toString()
const shared = (accounts = [fresh, account(bob, '10000')]): Venue =>
  dexVenue(accounts, { neverSetPools: 'shared' })
const isBalanced = (venue: Venue): void => {
  const { held, feesCollected, deposited } = venue.audit()
  expect(held.plus(feesCollected).eq(deposited)).toBe(true)
}

describe('an account that has never set its mode', () => {
  test('by one reading needs money on each dex', () => {
    const venue = dexVenue([fresh], { neverSetPools: 'separate' })
    const [status] = statuses(send(venue, alice, [take('buy', tslaAsset, '5', '401')])) as never[]
    expect(status).toEqual({ error: `Insufficient margin to place order. asset=${tslaAsset}` })
    expect(told(venue, 'xyz')).toBe('0')
  })

  test('by the other leans on the USDC of the main dex, and each dex shows its part', () => {
    const venue = shared()
    send(venue, alice, [take('buy', tslaAsset, '5', '401')])
    send(venue, alice, [limit('buy', '1', '3000', { asset: goldAsset })])
    // 2,000 at 20x; an order of 3,000 at 20x with its hundredth; the fee and half a tick are gone.
    expect(told(venue, 'xyz')).toBe('100')
    expect(told(venue, 'para')).toBe('151.5')
    expect(Number(told(venue, ''))).toBeCloseTo(10_000 - 0.18 - 0.05 - 251.5, 3)
    expect(venue.spotState(alice).usdcTotal.toString()).toBe('0')
    expect(venue.spotState(alice).usdcAvailableAfterMaintenance).toBeNull()
    expect(venue.abstraction(alice)).toBe('default')
    isBalanced(venue)
  })

  test('and where the collateral is another token, on its spot balance', () => {
    const venue = shared()
    send(venue, alice, [take('buy', oilAsset, '50', '60.1')])
    expect(venue.perpState(alice, 'alt').positions[0]?.size.toString()).toBe('50')
    expect(told(venue, 'alt')).toBe('300')
    const spot = venue.spotState(alice)
    expect(Number(spot.tokens.get('USDT0')?.toString())).toBeCloseTo(500, -1)
    expect(spot.holds.get('USDT0')?.toString()).toBe('300')
    const free = d('300')
    const nonce = 1
    const sent = { destination: bob, token: 'USDT0', amount: free, nonce } as const
    expect(venue.apply(alice, { type: 'spotSend', ...sent })).toMatchObject({ status: 'err' })
  })

  test('all that it has on the main dex carries what it holds elsewhere', () => {
    const held = { coin: tsla, size: d('45'), leverage: { type: 'cross', value: 20 } } as const
    const venue = shared([account(alice, '1000', { positions: [held] })])
    venue.setPrice(tsla, { mid: d('380') })
    // 1,000 less 900 is no maintenance margin of 17,100 at 40x.
    expect(venue.perpState(alice, 'xyz').positions).toEqual([])
    expect(Number(told(venue, ''))).toBeLessThan(101)
    isBalanced(venue)
  })

  test.each(['disabled', 'unifiedAccount'] as const)(
    'that sets it to %s has its pools cut anew',
    (mode) => {
      const venue = shared()
      send(venue, alice, [take('buy', tslaAsset, '5', '401')])
      const before = venue.perpState(alice, 'xyz').positions[0]?.size
      expect(venue.apply(alice, { type: 'setAbstraction', mode })).toMatchObject({ status: 'ok' })
      expect(venue.abstraction(alice)).toBe(mode)
      expect(venue.perpState(alice, 'xyz').positions[0]?.size).toEqual(before)
      expect(told(venue, 'xyz')).toBe('100')
      const [status] = statuses(
        send(venue, alice, [take('buy', tslaAsset, '10', '401')]),
      ) as never[]
      const isShared = mode === 'unifiedAccount'
      expect(JSON.stringify(status).includes('error')).toBe(!isShared)
      isBalanced(venue)
    },
  )

  test('follows the reading that is chosen while it runs', () => {
    const options = { ...defaultOptions }
    const dexes = [
      {
        name: 'xyz',
        markets: [{ coin: tsla, sizeDecimals: 3, maxLeverage: 20, mid: d('400') }],
      },
    ]
    const dexEquity = new Map([['xyz', d('1000')]])
    const venue = new Venue(
      testConfig({ options, dexes, accounts: [account(alice, '10000', { dexEquity })] }),
    )
    send(venue, alice, [take('buy', tslaAsset, '5', '401')])
    const whole = Number(told(venue, '')) + Number(told(venue, 'xyz'))
    expect(told(venue, '')).toBe('10000')
    Object.assign(options, { neverSetPools: 'shared' })
    venue.followOptions()
    expect(told(venue, 'xyz')).toBe('100')
    Object.assign(options, { neverSetPools: 'separate' })
    venue.followOptions()
    expect(told(venue, 'xyz')).toBe('100')
    expect(Number(told(venue, '')) + Number(told(venue, 'xyz'))).toBeCloseTo(whole, 6)
    isBalanced(venue)
  })
})
