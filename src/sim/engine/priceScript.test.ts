import { expect, test } from 'vitest'
import { readPriceScript } from './priceScript.ts'

test('a script is read', () => {
  const read = readPriceScript([
    { after_ms: 1000, coin: 'ETH', mid: '2100' },
    { after_ms: 2000, coin: 'BTC', mid: '80000', mark: '80001.5', oracle: '79990' },
  ])
  expect(JSON.stringify(read)).toBe(
    '{"ok":true,"value":[{"afterMs":1000,"coin":"ETH","mid":"2100"},{"afterMs":2000,"coin":"BTC","mid":"80000","mark":"80001.5","oracle":"79990"}]}',
  )
})

test.each([
  [{}, 'must hold an array'],
  [[5], '[0].must be an object'],
  [[{ after_ms: -1, coin: 'ETH', mid: '1' }], '[0].after_ms'],
  [[{ after_ms: 1, coin: 'E TH', mid: '1' }], '[0].coin'],
  [[{ after_ms: 1, coin: 'ETH', mid: 1 }], '[0].mid'],
  [[{ after_ms: 1, coin: 'ETH', mid: '0' }], '[0].mid'],
  [[{ after_ms: 1, coin: 'ETH', mid: '1', mark: 'x' }], '[0].mark'],
  [[{ after_ms: 1, coin: 'ETH', mid: '1', price: '2' }], '[0].price'],
])('%j is refused', (json, text) => {
  expect(readPriceScript(json)).toMatchObject({
    ok: false,
    error: expect.stringContaining(text) as string,
  })
})
