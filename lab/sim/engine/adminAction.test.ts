import { describe, expect, test } from 'vitest'
import { address } from '../../../src/core/values/address.ts'
import type { Json } from '../../../src/core/protocol/action.ts'
import type { Venue } from './venue.ts'
import type { VenueAction } from './venueAction.ts'
import type { VenueEvent } from './venueEvent.ts'
import {
  account,
  alice,
  bob,
  carol,
  d,
  eth,
  limit,
  oidOf,
  send,
  startMs,
  statuses,
  testVenue,
} from './venue.fixture.ts'

const ok = { status: 'ok', response: { type: 'default' } }
const refused = (response: string): Json => ({ status: 'err', response })
const builder = address(`0x${'65'.repeat(20)}`)
const nobody = address(`0x${'00'.repeat(20)}`)
const agent = (n: number) => address(`0x${(n + 1000).toString(16).padStart(40, '0')}`)

describe('agents', () => {
  const approve = (venue: Venue, n: number, agentName: string | null): Json =>
    venue.apply(alice, { type: 'approveAgent', agentAddress: agent(n), agentName })

  test('two more for each sub-account', () => {
    const sub = address(`0x${'5b'.repeat(20)}`)
    const venue = testVenue([account(alice, '10000'), account(sub, '1', { subOf: alice })])
    for (const n of [1, 2, 3, 4, 5]) expect(approve(venue, n, `bot${n}`)).toEqual(ok)
    expect(approve(venue, 6, 'bot6')).toEqual(
      refused('Too many extra agents for cumulative volume traded. Current limit is 5'),
    )
  })

  test('one unnamed and three named; the same name replaces', () => {
    const venue = testVenue()
    expect(approve(venue, 0, null)).toEqual(ok)
    for (const n of [1, 2, 3]) expect(approve(venue, n, `bot${n}`)).toEqual(ok)
    expect(approve(venue, 4, 'bot4')).toEqual(
      refused('Too many extra agents for cumulative volume traded. Current limit is 3'),
    )
    expect(approve(venue, 5, 'bot3')).toEqual(ok)
    expect(venue.role(agent(3))).toEqual({ role: 'missing' })
    expect(venue.role(agent(5))).toEqual({ role: 'agent', user: alice })
    expect(approve(venue, 5, 'bot2')).toEqual(refused('Extra agent already used.'))
    expect(venue.agents(alice).map(({ name }) => name)).toEqual(['', 'bot1', 'bot2', 'bot3'])
  })

  test('the end of life is in the name', () => {
    const venue = testVenue()
    const until = startMs + 86_400_000
    expect(approve(venue, 1, `bot valid_until ${until}`)).toEqual(ok)
    expect(venue.agents(alice)).toEqual([{ address: agent(1), name: 'bot', validUntil: until }])
    const expired = refused('Agent valid_until already expired.')
    expect(approve(venue, 2, `b valid_until ${startMs}`)).toEqual(expired)
    expect(approve(venue, 2, `b valid_until ${startMs + 181 * 86_400_000}`)).toEqual(expired)
  })

  test('address zero removes, and for five seconds nothing is approved', () => {
    const venue = testVenue()
    approve(venue, 1, 'bot')
    expect(
      venue.apply(alice, { type: 'approveAgent', agentAddress: nobody, agentName: 'bot' }),
    ).toEqual(ok)
    expect(venue.role(agent(1))).toEqual({ role: 'missing' })
    expect(approve(venue, 2, 'bot')).toEqual(refused('User has pending agent removal'))
    venue.advanceTo(startMs + 5000)
    expect(approve(venue, 2, 'bot')).toEqual(ok)
  })
})

describe('builders and referrers', () => {
  const order = (venue: Venue, fee: number): Json =>
    venue.apply(alice, {
      type: 'order',
      orders: [limit('buy', '1', '2100', { tif: 'Ioc' })],
      grouping: 'na',
      builder: { address: builder, fee },
    })

  test('a builder needs an approval, and its fee is part of the fee', () => {
    const venue = testVenue()
    expect(order(venue, 10)).toMatchObject({ status: 'err' })
    venue.apply(alice, { type: 'approveBuilderFee', builder, maxFeeRate: '0.01%' })
    expect(venue.maxBuilderFee(alice, builder)).toBe(10)
    expect(order(venue, 11)).toMatchObject({ status: 'err' })
    expect(order(venue, 10)).toMatchObject({ status: 'ok' })
    // 2000.1 * 0.00045 = 0.900045; 2000.1 * 0.0001 = 0.20001.
    const [fill] = venue.fills(alice)
    expect(fill?.fee.toString()).toBe('1.100055')
    expect(fill?.builderFee?.toString()).toBe('0.20001')
  })

  test.each(['0.11%', '1%', '0.0001%', 'x', '0.01'])('a rate of %s is refused', (maxFeeRate) => {
    const action = { type: 'approveBuilderFee', builder, maxFeeRate } as const
    expect(testVenue().apply(alice, action)).toMatchObject({ status: 'err' })
  })

  test('a referred account pays 4% less', () => {
    const venue = testVenue()
    expect(venue.apply(alice, { type: 'setReferrer', code: 'CCXT1' })).toEqual(ok)
    expect(venue.apply(alice, { type: 'setReferrer', code: 'B' })).toMatchObject({ status: 'err' })
    send(venue, alice, [limit('buy', '1', '2100', { tif: 'Ioc' })])
    expect(venue.fills(alice)[0]?.fee.toString()).toBe('0.864043')
    expect(venue.feeRates(alice).referralDiscount.toString()).toBe('0.04')
  })
})

describe('money', () => {
  test('flows move the value at once and the ledger when it is due', () => {
    const venue = testVenue()
    expect(venue.flow(alice, d('500'), 4000)).toMatchObject({ ok: true })
    expect(venue.perpState(alice).margin.accountValue.toString()).toBe('10500')
    expect(venue.ledger(alice)).toEqual([])
    venue.advanceTo(startMs + 3999)
    expect(venue.ledger(alice)).toEqual([])
    const seen: VenueEvent[] = []
    venue.onEvent((events) => seen.push(...events))
    venue.advanceTo(startMs + 4000)
    expect(venue.ledger(alice)).toMatchObject([{ time: startMs, delta: { type: 'deposit' } }])
    expect(seen.map(({ kind }) => kind)).toEqual(['ledger'])
    venue.flow(alice, d('-10500'))
    expect(venue.ledger(alice)[1]?.delta).toMatchObject({ type: 'withdraw' })
    expect(venue.flow(alice, d('-1'))).toMatchObject({ ok: false })
  })

  test('a deposit makes an account', () => {
    const venue = testVenue()
    expect(venue.role(carol)).toEqual({ role: 'missing' })
    venue.flow(carol, d('20'))
    expect(venue.role(carol)).toEqual({ role: 'user' })
  })

  test('between the perp and the spot side', () => {
    const venue = testVenue()
    const move = (amount: string, toPerp: boolean): Json =>
      venue.apply(alice, { type: 'usdClassTransfer', amount: d(amount), toPerp })
    expect(move('400', false)).toEqual(ok)
    expect(venue.spotState(alice).usdcTotal.toString()).toBe('400')
    expect(venue.perpState(alice).margin.accountValue.toString()).toBe('9600')
    expect(move('401', true)).toEqual(refused('Insufficient balance for token transfer'))
    expect(move('400', true)).toEqual(ok)
    const unified = testVenue([account(alice, '10', { mode: 'unifiedAccount' })])
    const action = { type: 'usdClassTransfer', amount: d('1'), toPerp: true } as const
    expect(unified.apply(alice, action)).toEqual(
      refused('Action disabled when unified account is active'),
    )
  })

  test('to another account and out', () => {
    const venue = testVenue()
    expect(venue.apply(alice, { type: 'usdSend', destination: carol, amount: d('100') })).toEqual(
      ok,
    )
    expect(venue.perpState(carol).margin.accountValue.toString()).toBe('100')
    const out = { type: 'withdraw3', destination: alice, amount: d('50'), nonce: 5 } as const
    expect(venue.apply(alice, out)).toEqual(ok)
    expect(venue.perpState(alice).margin.accountValue.toString()).toBe('9850')
    expect(venue.ledger(alice).map(({ delta }) => delta.type)).toEqual([
      'internalTransfer',
      'withdraw',
    ])
    const { held, deposited } = venue.audit()
    expect(held.eq(deposited)).toBe(true)
  })
})

describe('unified accounts', () => {
  const position = {
    positions: [{ coin: eth, size: d('1'), leverage: { type: 'cross' as const, value: 10 } }],
  }

  test.each([
    ['equity', '10100'],
    ['cash', '10000'],
  ] as const)('the total %s after a profit of 100 is %s', (unified_total, total) => {
    const parts = { ...position, mode: 'unifiedAccount' as const }
    const venue = testVenue([account(alice, '10000', parts)], { unified_total })
    venue.setPrice(eth, { mid: d('2100') })
    expect(venue.spotState(alice).usdcTotal.toString()).toBe(total)
    expect(venue.spotState(alice).usdcHold.toString()).toBe('210')
    expect(venue.perpState(alice).margin.accountValue.toString()).toBe('210')
    expect(venue.perpState(alice).positions[0]?.unrealisedPnl.toString()).toBe('100')
  })

  test('a flat account changes its mode', () => {
    const venue = testVenue()
    const action: VenueAction = { type: 'setAbstraction', mode: 'unifiedAccount' }
    expect(venue.apply(alice, action)).toEqual(ok)
    expect(venue.mode(alice)).toBe('unifiedAccount')
    expect(venue.spotState(alice).usdcTotal.toString()).toBe('10000')
  })
})

describe('scheduled cancels', () => {
  const enough = { scheduleCancelVolume: d('0') }

  test('end every order at their time, and no position', () => {
    const venue = testVenue(undefined, enough)
    send(venue, alice, [limit('buy', '1', '2100', { tif: 'Ioc' })])
    const oid = oidOf(send(venue, alice, [limit('buy', '1', '1900')]))
    const other = oidOf(send(venue, bob, [limit('buy', '1', '1900')]))
    const at = (time: number | null): Json => venue.apply(alice, { type: 'scheduleCancel', time })
    expect(at(startMs + 4999)).toMatchObject({ status: 'err' })
    expect(at(startMs + 5000)).toEqual(ok)
    venue.advanceTo(startMs + 4999)
    expect(venue.orderStatus(alice, oid)?.status).toBe('open')
    venue.advanceTo(startMs + 5000)
    expect(venue.orderStatus(alice, oid)?.status).toBe('scheduledCancel')
    expect(venue.orderStatus(bob, other)?.status).toBe('open')
    expect(venue.perpState(alice).positions).toHaveLength(1)
    expect(venue.scheduledCancel(alice)).toBeNull()
  })

  test('can be cleared, and fire ten times a day', () => {
    const venue = testVenue(undefined, enough)
    venue.apply(alice, { type: 'scheduleCancel', time: startMs + 6000 })
    expect(venue.apply(alice, { type: 'scheduleCancel', time: null })).toEqual(ok)
    expect(venue.scheduledCancel(alice)).toBeNull()
    const again = (): Json => {
      const reply = venue.apply(alice, { type: 'scheduleCancel', time: venue.nowMs + 5000 })
      venue.advanceTo(venue.nowMs + 5000)
      return reply
    }
    for (let n = 0; n < 10; n++) expect(again()).toEqual(ok)
    expect(again()).toMatchObject({ status: 'err' })
  })
})

test('an action the simulator does not know is refused by name', () => {
  expect(testVenue().apply(alice, { type: 'other', name: 'somethingNew' })).toEqual(
    refused('Action somethingNew is not supported by the simulator.'),
  )
  expect(testVenue().apply(alice, { type: 'noop' })).toEqual(ok)
})

test('a fault refuses all orders, and other actions whole', () => {
  const venue = testVenue()
  const refuse = { text: 'no', only: 'all' } as const
  const orders = [limit('buy', '1', '1900'), limit('buy', '1', '1901')]
  const action = { type: 'order', orders, grouping: 'na', builder: null } as const
  expect(statuses(venue.apply(alice, action, { refuse }))).toEqual([
    { error: 'no' },
    { error: 'no' },
  ])
  expect(venue.apply(alice, { type: 'noop' }, { refuse })).toEqual(refused('no'))
  expect(venue.openOrders(alice)).toEqual([])
})
