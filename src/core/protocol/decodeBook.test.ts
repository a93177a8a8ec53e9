import { expect, test } from 'vitest'
import { decodeBook } from './decodeBook.ts'

const level = (px: string, sz: string) => ({ px, sz, n: 1 })

test('a book has prices and sizes on both sides', () => {
  const levels = [[level('399.9', '3')], [level('400.1', '2'), level('401', '5')]]
  const read = decodeBook({ coin: 'xyz:TSLA', time: 1_700_000_000_000, levels })
  expect(JSON.parse(JSON.stringify(read))).toEqual({
    ok: true,
    value: {
      coin: 'xyz:TSLA',
      bids: [{ price: '399.9', size: '3' }],
      asks: [
        { price: '400.1', size: '2' },
        { price: '401', size: '5' },
      ],
    },
  })
})

test.each([
  ['nothing', null],
  ['one side', { coin: 'xyz:TSLA', time: 1, levels: [[]] }],
  ['a price that is none', { coin: 'xyz:TSLA', time: 1, levels: [[{ px: 'x', sz: '1' }], []] }],
])('%s is no book', (_, json) => {
  expect(decodeBook(json).ok).toBe(false)
})
