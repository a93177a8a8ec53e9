import type { Decision, JudgeInput } from './decision.ts'
import { judgeCancel } from './cancel/judgeCancel.ts'
import { judgeLeverage } from './judgeLeverage.ts'
import { judgeMargin } from './judgeMargin.ts'
import { judgeModify } from './modify/judgeModify.ts'
import { judgeOrders } from './orders/judgeOrders.ts'
import { judgeSchedule } from './judgeSchedule.ts'
import { judgeTwap } from './twap/judgeTwap.ts'
import { judgeTwapCancel } from './twap/judgeTwapCancel.ts'

/**
 * Turns a state and a request into a decision: pure, synchronous, exact. The same input gives the
 * same decision, and no state and request make it throw.
 */
export function judge(input: JudgeInput): Decision {
  const { action } = input
  switch (action.type) {
    case 'order':
      return judgeOrders(input, action)
    case 'cancel':
    case 'cancelByCloid':
      return judgeCancel(input, action)
    case 'modify':
      return judgeModify(input, action, [action.modify])
    case 'batchModify':
      return judgeModify(input, action, action.modifies)
    case 'updateLeverage':
      return judgeLeverage(input, action)
    case 'updateIsolatedMargin':
      return judgeMargin(input, action)
    case 'scheduleCancel':
      return judgeSchedule(action)
    case 'twapOrder':
      return judgeTwap(input, action)
    case 'twapCancel':
      return judgeTwapCancel(input, action)
  }
}
