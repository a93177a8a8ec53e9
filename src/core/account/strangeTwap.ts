import type { Twap } from '../protocol/venueState.ts'
import type { TwapView } from './accountView.ts'

/** A TWAP that did not go through Guard. */
export function strangerView(twap: Twap): TwapView {
  const { id, coin, isBuy, size, executedSize: executed, minutes, isReduceOnly } = twap
  return {
    ...{ id, coin, isBuy, size, executed, minutes, hasStarted: executed.isPositive() },
    ...{ isIdle: false, isOver: false, mayOpen: !isReduceOnly, judged: null, owner: 'elsewhere' },
  }
}

/** The same for people. */
export function strangerText({ id, isBuy, size, executedSize, isReduceOnly }: Twap): string {
  const what = `${isBuy ? 'buys' : 'sells'} ${size.toString()}, ${executedSize.toString()} of it done`
  const kind = isReduceOnly ? 'a reduce-only TWAP' : 'a TWAP'
  return `${kind} that was started elsewhere (${id}) ${what}`
}
