import type { TwapCancelAction } from '../../protocol/action.ts'
import type { Decision, JudgeInput } from '../decision.ts'
import { passed } from '../passed.ts'
import { vetoed } from '../plan.ts'

/**
 * What has filled stays as it is, with its stop: less of it can only be less risk. One that is known
 * goes by the coin that it is on: with another the venue says that there is no such TWAP.
 */
export function judgeTwapCancel({ account }: JudgeInput, action: TwapCancelAction): Decision {
  const { twapId, asset } = action
  const coin = account.twapCoin(twapId)
  const market = coin === null ? null : account.market(coin)
  if (market !== null && market.asset !== asset) {
    const text = `TWAP ${twapId} is on ${market.coin}, and not on the market of asset ${asset}`
    return vetoed({ code: 'invalid', text })
  }
  // What is known to run goes with what gets out; of made-up numbers nothing is kept back for.
  const lane = coin === null ? 'cancel' : 'exit'
  return passed(action, [{ kind: 'twap_cancel', twapId }], lane, `TWAP ${twapId} is cancelled`)
}
