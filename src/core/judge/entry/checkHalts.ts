import { Decimal } from '../../values/decimal.ts'
import type { JudgeInput } from '../decision.ts'
import type { Refusal } from '../refusal.ts'
import { percent, usd } from '../text.ts'

/** Nothing opens while the latch is on or the risk engine has stopped trading. */
export function checkHalts(input: Pick<JudgeInput, 'latched' | 'risk'>): Refusal | null {
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
        text: `the daily loss stop was reached${figures(input)}: nothing opens until 00:00 UTC; exits and cancels pass`,
      }
    case 'stopped':
      return {
        code: 'drawdown_halt',
        text: `the drawdown halt was reached${figures(input)}: nothing opens until a person reviews it and runs \`guard resume\`; exits and cancels pass`,
      }
  }
}

/** How deep the fall was that halted, and what it is measured from. */
function figures({ risk }: Pick<JudgeInput, 'risk'>): string {
  const { detail = null } = risk
  if (detail === null) return ''
  const isDay = 'day_start' in detail
  const base = usd(Decimal.of(isDay ? detail.day_start : detail.peak))
  const limit = `${isDay ? 'daily_loss_stop' : 'drawdown_halt'} ${percent(Decimal.of(detail.limit))}`
  return ` at ${usd(Decimal.of(detail.equity))}, from a ${isDay ? 'day start' : 'peak'} of ${base} (${limit})`
}
