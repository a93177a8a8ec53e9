import { describe, expect, test } from 'vitest'
import { makeGuardCloid } from '../core/protocol/guardCloid.ts'
import { shownInFrame, shownInRead } from './shownToBots.ts'

const tail = new Uint8Array(11).fill(0xa7)
const given = makeGuardCloid('order', tail)
const stop = makeGuardCloid('stop', tail)
const close = makeGuardCloid('close', tail)
const bots = '0x00000000000000000000000000000001'

const called = makeGuardCloid('order', new Uint8Array(11).fill(0xb8))
const names = { nameOf: (id: string) => (id === called ? bots : null) }
const read = (type: string, text: string): string =>
  shownInRead(type, Buffer.from(text), names).toString()

describe('an id that Guard gave', () => {
  test.each([
    ['the last member', `[{"oid":1,"cloid":"${given}"}]`, '[{"oid":1}]'],
    ['the first', `[{"cloid":"${given}","oid":1}]`, '[{"oid":1}]'],
    ['one in the middle', `[{"a":1,"cloid":"${given}","oid":1}]`, '[{"a":1,"oid":1}]'],
    ['the only one', `[{"cloid":"${given}"},{"x":2}]`, '[{},{"x":2}]'],
    [
      'with spaces',
      `[ { "a": 1.0 , "cloid" : "${given}" , "o": 1 } ]`,
      '[ { "a": 1.0 , "o": 1 } ]',
    ],
    ['twice', `[{"o":1,"cloid":"${given}"},{"o":2,"cloid":"${given}"}]`, '[{"o":1},{"o":2}]'],
  ])('%s is taken out, and the rest is as the venue wrote it', (_, text, shown) => {
    expect(read('openOrders', text)).toBe(shown)
    expect(shownInFrame('orderUpdates', text, names)).toBe(shown)
    expect(JSON.parse(shown)).toBeDefined()
  })

  test.each(['frontendOpenOrders', 'orderStatus', 'historicalOrders', 'webData2'])(
    'is null in %s, as it is where an order has none',
    (type) => {
      expect(read(type, `{"tif":"Gtc","cloid":"${given}"}`)).toBe('{"tif":"Gtc","cloid":null}')
      expect(read(type, `{"cloid":"${given}","tif":"Gtc"}`)).toBe('{"cloid":null,"tif":"Gtc"}')
    },
  )

  test.each(['openOrders', 'userHistoricalOrders', 'webData2', 'webData3'])(
    'is null on the channel %s',
    (channel) => {
      expect(shownInFrame(channel, `[{"a":1,"cloid":"${given}","b":2}]`, names)).toBe(
        '[{"a":1,"cloid":null,"b":2}]',
      )
    },
  )
})

test('an id that stands for the bot’s own is shown as that, whatever has none beside it', () => {
  const text = `[{"o":1,"cloid":"${called}","b":2},{"cloid" : "${given}","o":2},{"cloid":"${called}"}]`
  expect(read('openOrders', text)).toBe(
    `[{"o":1,"cloid":"${bots}","b":2},{"o":2},{"cloid":"${bots}"}]`,
  )
  expect(shownInFrame('openOrders', text, names)).toBe(
    `[{"o":1,"cloid":"${bots}","b":2},{"cloid":null,"o":2},{"cloid":"${bots}"}]`,
  )
})

test.each([
  ["Guard's own stop", `[{"cloid":"${stop}"}]`],
  ["Guard's own close", `[{"cloid":"${close}"}]`],
  ["the bot's own", `[{"cloid":"${bots}"}]`],
  ['none', '[{"cloid":null,"px":1.50,"big":18446744073709551615}]'],
  ['a text that only looks like it', JSON.stringify({ note: `,"cloid":"${given}"` })],
  ['another member with such a text', `{"reference":"${given}"}`],
])('%s stays, byte for byte', (_, text) => {
  expect(read('openOrders', text)).toBe(text)
  expect(shownInFrame('userFills', text, names)).toBe(text)
})

test('without such an id nothing is copied', () => {
  const bytes = Buffer.from(`[{"cloid":"${bots}"}]`)
  expect(shownInRead('openOrders', bytes, names)).toBe(bytes)
})
