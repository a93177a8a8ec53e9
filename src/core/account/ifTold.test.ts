import { expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { accountWith, fill, fixtureNow, later, venueState } from './account.fixture.ts'
import type { Account } from './account.ts'
import type { SightEvent } from './ifTold.ts'

const eth = coin('ETH')
const state = (equity: string, size: string, ms: number): SightEvent => ({
  kind: 'state',
  state: venueState({ equity, positions: { ETH: { size, entry: '2400' } } }, fixtureNow + ms),
  source: 'read',
  at: later(9),
})
const spot: SightEvent = {
  kind: 'spot',
  spot: { usdcTotal: Decimal.of('6000'), usdcHold: Decimal.zero },
  source: 'read',
  at: later(9),
}
const mode = (to: 'default' | 'unifiedAccount' | 'portfolioMargin'): SightEvent => {
  return { kind: 'mode', mode: to, at: later(9) }
}

/** Equity, cash, unrealised profit, whether they are a unified account's, and the size of ETH. */
function shown(account: Pick<Account, 'cash' | 'positions'>): readonly (string | boolean)[] {
  const { cash, positions } = account
  const size = positions.get(eth)?.size.toString() ?? 'none'
  if (cash === null) return ['unknown', size]
  const { equity, unrealised, isUnified } = cash
  return [equity.toString(), cash.cash.toString(), unrealised.toString(), isUnified, size]
}

const held = { equity: '5000', positions: { ETH: { size: '2', entry: '2400' } } }
const perps = ['5000', '4827.3', '172.7', false, '2']
const unified = ['5000', '4827.3', '172.7', true, '2']

const rows: {
  what: string
  before: 'default' | 'unifiedAccount'
  told: SightEvent
  is: readonly (string | boolean)[]
}[] = [
  {
    what: 'a state',
    ...{ before: 'default', told: state('7000', '1', 5) },
    is: ['7000', '6913.65', '86.35', false, '1'],
  },
  { what: 'an older state', before: 'default', told: state('7000', '1', -5), is: perps },
  { what: 'a balance, of no account that has one', before: 'default', told: spot, is: perps },
  {
    what: 'a balance',
    ...{ before: 'unifiedAccount', told: spot, is: ['6000', '5827.3', '172.7', true, '2'] },
  },
  {
    what: 'a state of a unified account',
    ...{ before: 'unifiedAccount', told: state('7000', '1', 5) },
    is: ['5000', '4913.65', '86.35', true, '1'],
  },
  { what: 'the mode that it has', before: 'default', told: mode('default'), is: perps },
  {
    what: 'a mode that Guard cannot size for',
    ...{ before: 'default', told: mode('portfolioMargin'), is: ['unknown', '2'] },
  },
  {
    what: 'a unified account, of which no balance was seen',
    ...{ before: 'default', told: mode('unifiedAccount'), is: ['unknown', '2'] },
  },
  {
    what: 'a unified account no more',
    ...{ before: 'unifiedAccount', told: mode('default'), is: perps },
  },
]
test.each(rows)('$what', ({ before, told, is }) => {
  const account = accountWith({ ...held, mode: before })
  expect(shown(account.ifTold(told))).toEqual(is)
  // Asking what it would show has changed nothing that it shows.
  expect(shown(account)).toEqual(before === 'default' ? perps : unified)
})

test('what fills have done since the last state is in it', () => {
  const account = accountWith(held)
  const paid = { price: '2486.35', size: '2', start: '2', oid: 1, tid: 1, fee: '1.5' }
  const fills = [fill({ coin: 'ETH', isBuy: true, ...paid, at: fixtureNow + 3 })]
  account.apply({ kind: 'fills', fills, isSnapshot: false, at: later(3) })
  const told = shown(account.ifTold(mode('default')))
  expect(told).toEqual(['4998.5', '4825.8', '172.7', false, '4'])
  // Played again on a state that is older than they are.
  const again = shown(account.ifTold(state('7000', '2', 2)))
  expect(again).toEqual(['6998.5', '6825.8', '172.7', false, '4'])
})
