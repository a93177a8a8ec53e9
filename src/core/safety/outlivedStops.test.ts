import { expect, test } from 'vitest'
import {
  fill,
  fixtureNow,
  later,
  stopInFlight,
  stopOrder,
  venueState,
} from '../account/account.fixture.ts'
import type { Account } from '../account/account.ts'
import { dexAccount } from '../account/builders.fixture.ts'
import { coin } from '../values/coin.ts'
import { guardId } from './mint.fixture.ts'
import { plan } from './planProtect.fixture.ts'

const tesla = 'xyz:TSLA'
const held = { positions: { [tesla]: { size: '2', entry: '400' } }, mids: { [tesla]: '400' } }
const own = (oid: number, trigger: string, size = '2') => {
  return { ...stopOrder({ coin: tesla, oid, size, trigger, cloid: guardId('stop', oid) }) }
}

/** Guard decides on a stop for what is held, and somebody opens another position in its place. */
function outlived(): Account {
  const account = dexAccount(held)
  const stop = { size: '2', trigger: '392', cloid: guardId('stop', 9) }
  account.reserve('a', [{ ...stopInFlight(stop), coin: coin(tesla) }], fixtureNow)
  account.sent('a')
  expect(plan(account).steps).toEqual([])
  const anew = { coin: tesla, isBuy: true, size: '2', price: '400', start: '0' }
  const fills = [fill({ ...anew, oid: 70, tid: 70, at: fixtureNow + 5 })]
  account.apply({ kind: 'fills', fills, isSnapshot: false, at: later(6) })
  return account
}

function list(account: Account, ms: number, ...orders: ReturnType<typeof own>[]): void {
  const at = later(ms)
  account.apply({ kind: 'orders', dex: 'xyz', orders, source: 'read', askedAt: at, at })
}

const steps = (account: Account) =>
  plan(account).steps.map((step) => [step.kind, 'oids' in step ? step.oids : step.why])

test('a stop that was decided on for a position which has ended is nothing to the next one', () => {
  const account = outlived()
  expect(account.ownStopsInFlight(coin(tesla), true).list()).toEqual([])
  const wanted = [['stop', 'not covered in full']]
  expect(steps(account)).toEqual(wanted)
  list(account, 8, own(9, '392'))
  account.followCover()
  expect(account.promise(coin(tesla))?.stops).toEqual([])
  // It stays until the new one has a stop of its own, and is cancelled once.
  expect(steps(account)).toEqual(wanted)
  list(account, 10, own(9, '392'), { ...own(10, '390'), at: later(8) })
  account.followCover()
  expect(account.promise(coin(tesla))?.stops[0]?.trigger.toString()).toBe('390')
  expect(steps(account)).toEqual([['remove_outlived', [9]]])
  const cancel = { kind: 'cancel', coin: coin(tesla), oid: 9, cloid: null } as const
  account.reserve('b', [cancel], later(11))
  expect(steps(account)).toEqual([])
})

test('nor is a close, and what either closes of the next one is told', () => {
  const account = dexAccount(held)
  const cloid = guardId('close', 8)
  const close = { kind: 'reduce', trigger: null, index: 0, parent: null, mayRest: false } as const
  const stop = stopInFlight({ size: '2', trigger: '392', cloid })
  account.reserve('a', [{ ...stop, ...close, coin: coin(tesla) }], fixtureNow)
  account.sent('a')
  account.numbered('a', 0, 88)
  expect(account.closingSince(coin(tesla))).toBe(fixtureNow)
  const of = { coin: tesla, price: '400' }
  const fills = [
    fill({ ...of, isBuy: true, size: '3', start: '0', oid: 70, tid: 70, at: fixtureNow + 5 }),
    fill({ ...of, isBuy: false, size: '2', start: '3', oid: 88, tid: 88, at: fixtureNow + 6 }),
  ]
  account.apply({ kind: 'fills', fills: [fills[0]!], isSnapshot: false, at: later(6) })
  expect([account.closingSince(coin(tesla)), account.takeStruck()]).toEqual([null, []])
  account.apply({ kind: 'fills', fills: [fills[1]!], isSnapshot: false, at: later(7) })
  const struck = account
    .takeStruck()
    .map(({ what, held: was, closed }) => [what, `${was} ${closed}`])
  expect(struck).toEqual([['close', '3 2']])
  expect(account.takeStruck()).toEqual([])
})

test.each([
  { what: 'before its position had ended', ms: 6, struck: 0 },
  { what: 'as the end of its position', ms: 8, struck: 0 },
  { what: 'after its position had ended', ms: 9, struck: 1 },
])('what a stop closed $what, and is told later: $struck of another', ({ ms, struck }) => {
  const account = dexAccount(held)
  const stop = { size: '2', trigger: '392', cloid: guardId('stop', 9) }
  account.reserve('a', [{ ...stopInFlight(stop), coin: coin(tesla) }], fixtureNow)
  account.sent('a')
  list(account, 3, own(9, '392'))
  const state = venueState({ mids: held.mids }, fixtureNow + 8)
  account.apply({ kind: 'state', state, source: 'read', at: later(8) })
  expect(account.outlivedStops(coin(tesla))).toEqual([9])
  const closed = { coin: tesla, isBuy: false, size: '2', price: '392', start: '2', oid: 9, tid: 9 }
  const fills = [fill({ ...closed, at: fixtureNow + ms })]
  account.apply({ kind: 'fills', fills, isSnapshot: false, at: later(10) })
  expect(account.takeStruck()).toHaveLength(struck)
})
