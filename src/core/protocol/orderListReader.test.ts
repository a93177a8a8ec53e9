import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { address } from '../values/address.ts'
import type { Json } from './action.ts'
import { decodeFrame } from './decodeFrame.ts'
import { OrderListReader } from './orderListReader.ts'
import type { OpenOrder } from './venueState.ts'

const user = address('0x00000000000000000000000000000000000000aa')
const other = '0x00000000000000000000000000000000000000bb'

type Raw = { readonly [key: string]: Json }

/** An order with the venue's field set. */
function raw(oid: number, more: Raw = {}): Raw {
  return {
    ...{ coin: 'BTC', side: 'B', limitPx: '99500.0', sz: '0.5', oid, timestamp: 1_700_000_000_000 },
    ...{ triggerCondition: 'N/A', isTrigger: false, triggerPx: '0.0', children: [] },
    ...{ isPositionTpsl: false, reduceOnly: false, orderType: 'Limit', origSz: '0.5', tif: 'Gtc' },
    cloid: null,
    ...more,
  }
}

function frame(orders: readonly Raw[], data: Raw = { dex: '', user }): string {
  return JSON.stringify({ channel: 'openOrders', data: { ...data, orders } })
}

/** What the frame says when it is read in full; null when it cannot be. */
function inFull(text: string): readonly OpenOrder[] | null {
  let json: Json
  try {
    json = JSON.parse(text) as Json
  } catch {
    return null
  }
  const read = decodeFrame(json)
  if (!read.ok || read.value.channel !== 'openOrders') return null
  const { user: of, dex, orders } = read.value
  return of === user && dex === '' ? orders : null
}

const order = fc
  .record({
    oid: fc.integer({ min: 1, max: 9 }),
    sz: fc.constantFrom('0.5', '0.25', '12'),
    side: fc.constantFrom('A', 'B'),
    tif: fc.constantFrom('Gtc', 'Alo', '}', '{', '],', null),
    children: fc.uniqueArray(fc.integer({ min: 10, max: 14 }), { maxLength: 2 }),
  })
  .map(({ oid, children, ...more }) =>
    raw(oid, { ...more, children: children.map((child) => raw(child)) }),
  )
const list = fc.uniqueArray(order, { maxLength: 9, selector: ({ oid }) => oid })

describe('a list of the stream', () => {
  test('says the same as when it is read in full, whatever was told before', () => {
    fc.assert(
      fc.property(fc.array(list, { minLength: 1, maxLength: 6 }), fc.boolean(), (lists, swaps) => {
        const reader = new OrderListReader(user)
        for (const orders of lists) {
          const text = frame(orders, swaps ? { user, dex: '' } : { dex: '', user })
          const read = reader.read(text)
          expect(read).not.toBeNull()
          expect(read).toEqual(inFull(text))
        }
      }),
      { numRuns: 1_000 },
    )
  })

  test('however it is damaged, is left to be read in full or says just that', () => {
    const damage = fc.record({
      at: fc.nat(),
      cut: fc.integer({ min: 0, max: 3 }),
      put: fc.constantFrom('', '{', '}', '[', ']', '"', ',', ':', '\\', ' ', '0', '},{', ']}}'),
    })
    fc.assert(
      fc.property(list, list, fc.array(damage, { minLength: 1, maxLength: 3 }), (a, b, damages) => {
        const reader = new OrderListReader(user)
        reader.read(frame(a))
        let text = frame(b)
        for (const { at, cut, put } of damages) {
          const place = at % text.length
          text = text.slice(0, place) + put + text.slice(place + cut)
        }
        const read = reader.read(text)
        if (read !== null) expect(read).toEqual(inFull(text))
        const after = frame(b)
        expect(reader.read(after)).toEqual(inFull(after))
      }),
      { numRuns: 5_000 },
    )
  })

  test('reads again only what is written anew', () => {
    const reader = new OrderListReader(user)
    const orders = Array.from({ length: 40 }, (_, oid) => raw(oid))
    const first = reader.read(frame(orders)) ?? []
    const next = [raw(99), ...orders.filter((_, place) => place !== 7 && place !== 8)]
    next[20] = raw(21, { sz: '0.1' })
    const second = reader.read(frame(next)) ?? []
    const fresh = second.filter((each) => !first.includes(each))
    expect(fresh.map(({ oid }) => oid)).toEqual([99, 21])
    // Of many that have gone at once the rest is read anew, and kept from then on.
    const few = reader.read(frame(next.slice(30))) ?? []
    expect(reader.read(frame(next.slice(30)))?.every((each, at) => each === few[at])).toBe(true)
  })

  test.each([
    ['of another account', frame([raw(1)], { dex: '', user: other })],
    ['of another dex', frame([raw(1)], { dex: 'x', user })],
    ['with more fields', frame([raw(1)], { dex: '', user, more: 1 })],
    ['with spaces', JSON.stringify(JSON.parse(frame([raw(1)])), null, 1)],
    ['with an escape', frame([raw(1, { tif: '"' })])],
    ['with an order that cannot be read', frame([raw(1, { sz: 'much' })])],
    ['with something that is no order', frame([1 as never])],
    ['that ends with a comma', frame([raw(1)]).replace(']}}', ',]}}')],
    ['that is another channel', frame([raw(1)]).replace('openOrders', 'webData2')],
    ['that is no JSON', 'Websocket connection established.'],
  ])('%s is left to be read in full', (_, text) => {
    expect(new OrderListReader(user).read(text)).toBeNull()
  })

  test('an empty one is one', () => {
    expect(new OrderListReader(user).read(frame([]))).toEqual([])
  })
})
