import { address } from '../../../src/core/values/address.ts'
import type { Address } from '../../../src/core/values/address.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Grouping, Order, Tif } from '../../../src/core/protocol/action.ts'
import type { VenueOptions } from '../engine/options.ts'
import type { VenueAction } from '../engine/venueAction.ts'
import type { Step } from './steps.ts'

/** Steps that are written by hand, to lead to where a reading decides. */

/**
 * Where each reading decides what happens: after so many random steps of a seed or, where chance
 * rarely leads there, after a few written ones.
 */
export type Way =
  | { readonly seed: number; readonly steps: number }
  | {
      readonly written: readonly Step[]
      readonly isOnDex?: true
      /** With a vault. */
      readonly hasVault?: true
      readonly beside?: Partial<VenueOptions>
    }

export const [rich, fresh, poor, unified] = ['a1', 'b0', 'ca', 'd4'].map((byte) =>
  address(`0x${byte.repeat(20)}`),
) as [Address, Address, Address, Address]
export const [eth, hype, tsla] = [0, 1, 110_000]

export const act = (who: Address, action: VenueAction): Step => ({ kind: 'action', who, action })
export const send = (who: Address, orders: readonly Order[], grouping: Grouping = 'na'): Step =>
  act(who, { type: 'order', orders, grouping, builder: null })
export const wait = (ms: number): Step => ({ kind: 'wait', ms })
export const price = (asset: number, mid: string, mark = mid): Step => ({
  ...{ kind: 'price', asset, mid, mark, oracle: mid },
})
export const lever = (who: Address, asset: number, leverage: number, isCross = true): Step =>
  act(who, { type: 'updateLeverage', asset, isCross, leverage })

/** A size above zero buys, one below sells. */
export function limit(asset: number, size: string, at: string, tif: Tif = 'Gtc'): Order {
  const isBuy = !size.startsWith('-')
  return {
    ...{ asset, isBuy, price: Decimal.of(at), size: Decimal.of(size.replace('-', '')) },
    ...{ isReduceOnly: false, type: { kind: 'limit', tif }, cloid: null },
  }
}

export function stop(
  asset: number,
  size: string,
  at: string,
  worst: string,
  isReduceOnly: boolean,
): Order {
  const triggerPrice = Decimal.of(at)
  const type = { kind: 'trigger', isMarket: true, triggerPrice, tpsl: 'sl' } as const
  return { ...limit(asset, size, worst), isReduceOnly, type }
}

/** The address that stands for none: an agent is removed. */
export const removeAgent: VenueAction = {
  ...{ type: 'approveAgent', agentName: null, agentAddress: address(`0x${'0'.repeat(40)}`) },
}

export const buyEth = send(rich, [limit(eth, '1', '2100', 'Ioc')])
/** 1,500 USDC carry 11,976 of HYPE at 10x; below 38.56 they do not. */
export const leveraged = [lever(poor, hype, 10), send(poor, [limit(hype, '286', '42.5', 'Ioc')])]
export const fall = price(hype, '38.4')
