/** The markets of the demo; the bot may trade the first three. */
export const demoMarkets = [
  { name: 'BTC', szDecimals: 5, maxLeverage: 40, mid: '84213.5' },
  { name: 'ETH', szDecimals: 4, maxLeverage: 25, mid: '2486.35' },
  { name: 'SOL', szDecimals: 2, maxLeverage: 20, mid: '137.42' },
  { name: 'HYPE', szDecimals: 2, maxLeverage: 10, mid: '41.873' },
  { name: 'DOGE', szDecimals: 0, maxLeverage: 10, mid: '0.17342' },
] as const
