import type { JudgeInput } from '../decision.ts'
import type { Refusal } from '../refusal.ts'

/** Nothing opens while the latch is on or the risk engine has stopped trading. */
export function checkHalts(input: JudgeInput): Refusal | null {
  if (input.latched) {
    return {
      code: 'kill_switch',
      text: 'the kill switch is latched: nothing opens until a person releases it at the machine; exits and cancels pass',
    }
  }
  switch (input.risk.state) {
    case 'active':
      return null
    case 'halted_for_day':
      return {
        code: 'daily_loss_stop',
        text: 'the daily loss stop was reached: nothing opens until 00:00 UTC; exits and cancels pass',
      }
    case 'stopped':
      return {
        code: 'drawdown_halt',
        text: 'the drawdown halt was reached: nothing opens until a person reviews it and runs `guard resume`; exits and cancels pass',
      }
  }
}
