import type { TwapCancelAction } from '../../protocol/action.ts'
import type { Decision } from '../decision.ts'
import { passed } from '../passed.ts'

/** What has filled stays as it is, with its stop: less of it can only be less risk. */
export function judgeTwapCancel(action: TwapCancelAction): Decision {
  const { twapId } = action
  return passed(action, [{ kind: 'twap_cancel', twapId }], 'cancel', `TWAP ${twapId} is cancelled`)
}
