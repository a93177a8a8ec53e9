import { expect, test } from 'vitest'
import { openOrder, botCloid, entryInFlight, fixtureNow, inFlight } from './account.fixture.ts'
import { OrderRecords } from './orderRecords.ts'

const ids = { cloid: botCloid(1), stopCloid: botCloid(2) }
const items = inFlight(entryInFlight({ price: '2400', stop: '2300', ...ids }))

test('orders that were sent together know each other, and one made elsewhere knows nobody', () => {
  const records = new OrderRecords()
  const [entry, stop] = items.map((item) => records.expect('a', item, fixtureNow))
  if (entry === undefined || stop === undefined) throw new Error('no orders')
  const shown = openOrder({ coin: 'ETH', oid: 9, isBuy: true, price: '2400', size: '2' })
  const other = records.elsewhere(shown, fixtureNow)
  const { groups } = records
  expect(groups.parentOf(stop)).toBe(entry)
  expect(groups.parentOf(entry)).toBeNull()
  expect(groups.childrenOf(entry)).toEqual([stop])
  expect(groups.childrenOf(stop)).toEqual([])
  expect(groups.pairsOf(entry)).toEqual([{ parent: entry, child: stop }])
  expect(groups.pairsOf(stop)).toEqual([{ parent: entry, child: stop }])
  expect([groups.parentOf(other), groups.childrenOf(other)]).toEqual([null, []])
})

test('an action is remembered for as long as one of its orders is followed', () => {
  const records = new OrderRecords()
  const [entry, stop] = items.map((item) => records.expect('a', item, fixtureNow))
  if (entry === undefined || stop === undefined) throw new Error('no orders')
  records.forget(entry)
  expect(records.groups.of('a')).toEqual([entry, stop])
  records.forget(stop)
  expect(records.groups.of('a')).toEqual([])
})
