import { Decimal } from '../../../src/core/values/decimal.ts'
import type { VenueAction } from '../engine/venueAction.ts'
import { act, buyEth, eth, fall, hype, leveraged, limit, poor, price } from './written.ts'
import { removeAgent, rich, send, tsla, wait } from './written.ts'
import type { Way } from './written.ts'

/** Where each reading of the options about TWAPs decides what happens. */

type TwapOrder = Extract<VenueAction, { readonly type: 'twapOrder' }>

/** Over five minutes; a size above zero buys, one below sells. */
function twap(asset: number, size: string, more: Partial<TwapOrder> = {}): TwapOrder {
  return {
    ...{ type: 'twapOrder', asset, isBuy: !size.startsWith('-') },
    ...{ size: Decimal.of(size.replace('-', '')), minutes: 5, isReduceOnly: false },
    ...{ randomize: false, trigger: null, stopPrice: null, ...more },
  }
}

const running = act(rich, twap(eth, '0.2'))
const inFiveSeconds = Date.UTC(2026, 8, 7, 12, 5) + 5000
const scheduled: Way = {
  written: [running, act(rich, { type: 'scheduleCancel', time: inFiveSeconds }), wait(5000)],
  beside: { scheduleCancelVolume: Decimal.zero },
}
const agentGone: Way = { written: [running, act(rich, removeAgent)] }
const liquidated: Way = { written: [...leveraged, act(poor, twap(hype, '-5')), fall] }
/** Each slice is worth 19,000, and 1,500 carry 7,500. */
const tooLarge: Way = { written: [act(poor, twap(hype, '5000'))] }
const flat: Way = {
  written: [
    buyEth,
    act(rich, twap(eth, '-1', { isReduceOnly: true })),
    send(rich, [limit(eth, '-1', '1900', 'Ioc')]),
    wait(30_000),
  ],
}
/** Three percent below the mark nobody buys. */
const farMark = [price(eth, '2000', '2200'), act(rich, twap(eth, '-0.2'))]
const onTsla = act(rich, twap(tsla, '1'))

/** For each reading beside the first, in the order of the table. */
export const twapWays = {
  twap_min_slice_usd: [{ written: [running] }],
  twap_ro_flat: [flat],
  twap_waiting_listed: [
    {
      written: [
        act(rich, twap(eth, '0.2', { trigger: { price: Decimal.of('2100'), isAbove: true } })),
      ],
    },
  ],
  twap_ref: [{ written: farMark }],
  twapMinuteMs: [{ written: [running, wait(300)] }],
  twap_survives: [scheduled, agentGone, liquidated, agentGone],
  twap_error_on: [
    tooLarge,
    {
      written: [onTsla, { kind: 'builder', asset: tsla, change: { isHalted: true } }],
      isOnDex: true,
    },
    flat,
    { written: farMark, beside: { twap_ref: 'mark' } },
    flat,
    tooLarge,
  ],
  webData2_twaps: [{ written: [onTsla], isOnDex: true }],
} satisfies { readonly [name: string]: readonly Way[] }
