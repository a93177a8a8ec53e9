import type { Json } from '../../src/core/protocol/action.ts'

/** What the venue of every world lists. */
export const markets: Json = [
  { name: 'BTC', szDecimals: 5, maxLeverage: 40, mid: '100000' },
  { name: 'ETH', szDecimals: 4, maxLeverage: 25, mid: '4000' },
  { name: 'SOL', szDecimals: 2, maxLeverage: 20, mid: '200' },
  { name: 'DOGE', szDecimals: 0, maxLeverage: 10, mid: '0.21' },
]
