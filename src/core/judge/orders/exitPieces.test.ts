import { expect, test } from 'vitest'
import { accountWith, fixtureNow, markets } from '../../account/account.fixture.ts'
import { coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import { actionsOf } from '../decision.ts'
import type { Decision } from '../decision.ts'
import { judged, orderAction } from '../judge.fixture.ts'

// A market with a maximum leverage below 10: at most 500,000 USDC in one market order.
const small = { coin: 'NEW', asset: 0, sizeDecimals: 2, maxLeverage: 5 }

const exit = (size: string, decision: { tif?: string; mids?: boolean } = {}): Decision => {
  const { tif = 'Ioc', mids = true } = decision
  const account = accountWith({
    ...{ markets: markets([small]), mids: mids ? { NEW: '100' } : {} },
    positions: { NEW: { size: '80000' } },
  })
  const order = { a: 0, b: false, p: '95', s: size, r: true, t: { limit: { tif } } }
  return judged(orderAction([order]), { account })
}

const sizes = (decision: Decision): readonly string[] => {
  const [action] = actionsOf(decision)
  return action?.type === 'order' ? action.orders.map(({ size }) => size.toString()) : []
}

test('an exit that fits goes as it was sent', () => {
  const decision = exit('5000')
  expect(sizes(decision)).toEqual(['5000'])
  expect(decision).toMatchObject({ verdict: 'allow', changes: [] })
  expect(decision.reply.slots).toEqual([{ kind: 'status', action: 0, index: 0 }])
})

test('one that is too large goes in even pieces, each under an id of its own', () => {
  const decision = exit('12000')
  expect(sizes(decision)).toEqual(['4000', '4000', '4000'])
  expect(decision).toMatchObject({ verdict: 'resize', code: 'resized', lane: 'exit' })
  expect(decision.changes).toEqual([
    'orders[0] goes as 3 orders: the venue takes at most 500000 USDC of NEW in one market order',
  ])
  expect(decision.reply.slots).toEqual([{ kind: 'status', action: 0, index: 0, pieces: 3 }])
  const [action] = actionsOf(decision)
  const ids = action?.type === 'order' ? action.orders.map(({ cloid }) => cloid) : []
  expect(new Set(ids).size).toBe(3)
  expect(decision.exits[0]?.size.toString()).toBe('12000')
  expect(decision.reservations[0]).toHaveLength(3)
})

test('what ten pieces do not hold is told', () => {
  const decision = exit('60000')
  expect(sizes(decision)).toHaveLength(10)
  expect(decision.exits[0]?.size.toString()).toBe('50000')
  expect(decision.text).toContain('orders[0] cut from 60000 to 50000')
})

test('without a price the order is valued at its own', () => {
  expect(sizes(exit('12000', { mids: false }))).toEqual(['4000', '4000', '4000'])
})

test('what may rest keeps its one number', () => {
  expect(sizes(exit('12000', { tif: 'Gtc' }))).toEqual(['12000'])
})

test.each([
  // Worth 484,500 at its own limit, 510,000 at the mid.
  { what: 'the mid', size: '5100', mark: null, is: ['2550', '2550'] },
  { what: 'the mark, where that is dearer', size: '4600', mark: '110', is: ['2300', '2300'] },
  { what: 'the mid, where the mark is not', size: '5100', mark: '90', is: ['2550', '2550'] },
  { what: 'less than one order', size: '4600', mark: null, is: ['4600'] },
])('it is valued at $what', ({ size, mark, is }) => {
  const account = accountWith({
    ...{ markets: markets([small]), mids: { NEW: '100' } },
    positions: { NEW: { size: '80000' } },
  })
  if (mark !== null) {
    account.apply({ kind: 'mark', coin: coin('NEW'), mark: Decimal.of(mark), at: fixtureNow })
  }
  const order = { a: 0, b: false, p: '95', s: size, r: true, t: { limit: { tif: 'Ioc' } } }
  const decision = judged(orderAction([order]), { account })
  expect(sizes(decision)).toEqual(is)
  const isSplit = is.length > 1
  expect(decision.exits[0]?.code).toBe(isSplit ? 'resized' : 'allowed')
  expect(decision.changeRecords).toEqual(
    isSplit ? [{ field: 'orders', from: '1', to: '2', rule: 'largest_order' }] : [],
  )
  const slot = { kind: 'status', action: 0, index: 0 }
  expect(decision.reply.slots).toEqual([isSplit ? { ...slot, pieces: 2 } : slot])
})
