import { Exact } from './exact.ts'
import type { ModelAccount, ModelMarket, ModelOrder, ModelState } from './state.ts'

/** An order as it was sent: its fields before the venue gave it a number. */
type Asked = Pick<ModelOrder, 'isBuy' | 'price' | 'isReduceOnly' | 'tif' | 'trigger' | 'cloid'> & {
  readonly size: Exact
}

/** An order that has just come, before anything of it has happened; its number -1 stands for none. */
export function arriving(
  { now: time }: ModelState,
  owner: ModelAccount,
  market: ModelMarket,
  { isBuy, price, size, isReduceOnly, tif, trigger, cloid }: Asked,
): ModelOrder {
  return {
    id: -1,
    owner,
    market,
    isBuy,
    price,
    wanted: size,
    left: size,
    filled: Exact.zero,
    isReduceOnly,
    tif,
    trigger,
    isPositionTpsl: false,
    cloid,
    builderFee: null,
    time,
    where: 'arriving',
    place: 0,
    story: [],
    group: null,
    isParent: false,
    twap: null,
    liquidation: null,
  }
}
