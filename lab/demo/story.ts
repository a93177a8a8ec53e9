import type { DemoBot } from './demoBot.ts'
import type { SimControl } from './simControl.ts'

/** One scene: what a person is told first, then what happens. */
interface Scene {
  readonly title: string
  readonly play: () => Promise<string | null>
}

interface StoryParts {
  readonly bot: DemoBot
  readonly control: SimControl
  readonly account: string
  readonly wait: (ms: number) => Promise<void>
}

/** Asset ids of the demo's markets. */
const assets = { btc: 0, eth: 1, sol: 2, doge: 4 } as const

/** Allow, resize and veto, a protected outside position, and a daily loss stop with its flatten. */
export function storyOf({ bot, control, account, wait }: StoryParts): readonly Scene[] {
  return [
    {
      title: 'The bot buys 5 ETH at market, far beyond the mid, without a stop.',
      play: () => bot.marketBuy(assets.eth, '2610.7', '5'),
    },
    {
      title: 'The bot places a small limit buy on BTC with a sound stop of its own.',
      play: () => bot.limitBuyWithStop(assets.btc, '83900', '0.01', '82500', '74000'),
    },
    {
      title: 'The bot tries DOGE, which the owner did not allow.',
      play: () => bot.marketBuy(assets.doge, '0.18', '1000'),
    },
    {
      title: 'The bot tries to withdraw 1,000 USDC.',
      play: () => bot.withdraw('1000'),
    },
    {
      title: 'The bot tries to cancel the stop under its ETH position.',
      play: () => bot.cancelAStop(account, 'ETH', assets.eth),
    },
    {
      title: 'Somebody opens a SOL position by hand, past Guard, without a stop.',
      play: async () => {
        await control.act(account, {
          type: 'order',
          orders: [
            { a: assets.sol, b: true, p: '140', s: '30', r: false, t: { limit: { tif: 'Ioc' } } },
          ],
          grouping: 'na',
        })
        return null
      },
    },
    {
      title: 'The bot goes mad: ten market buys of BTC at once.',
      play: () => bot.rush(assets.btc, '88000', '0.05', 10),
    },
    {
      title: 'The market falls, step by step, toward the daily loss stop of 3%.',
      play: async () => {
        await fall(control, wait)
        return null
      },
    },
    {
      title: 'The bot tries to buy again on the same day.',
      play: () => bot.marketBuy(assets.eth, '2500', '0.1'),
    },
  ]
}

/** Slowly enough that the stops stay untouched: the loss of the day is what ends it. */
async function fall(control: SimControl, wait: (ms: number) => Promise<void>): Promise<void> {
  const path = [
    ['84000', '2479', '137.1'],
    ['83800', '2470', '136.6'],
    ['83500', '2461', '136.1'],
    ['83200', '2453', '135.6'],
    ['83000', '2446', '135.2'],
    ['82900', '2441', '134.9'],
  ] as const
  for (const [btc, eth, sol] of path) {
    await control.price('BTC', btc)
    await control.price('ETH', eth)
    await control.price('SOL', sol)
    await wait(1_200)
  }
}
