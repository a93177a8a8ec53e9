import type { JsonObject } from '../core/protocol/action.ts'
import { Decimal } from '../core/values/decimal.ts'
import type { Status } from './guardPort.ts'

/** How far the account is from each limit, in USD; null where Guard does not know. */
interface MoneyView {
  readonly equity: string | null
  readonly day_loss: string | null
  readonly day_loss_left: string | null
  readonly drawdown: string | null
  readonly drawdown_left: string | null
  readonly open_risk: string | null
  readonly open_risk_left: string | null
}

export function moneyView({ risk, rules_decoded: rules }: Status): MoneyView {
  const cap = Decimal.parse((rules as JsonObject)['equity_cap'])
  const capped = (base: Decimal): Decimal => (cap.ok ? Decimal.min(base, cap.value) : base)
  const fall = (from: string | null, limit: string) => {
    const [base, now, share] = [from, risk.equity, limit].map((each) => Decimal.parse(each))
    if (base?.ok !== true || now?.ok !== true || share?.ok !== true) return [null, null] as const
    const lost = base.value.minus(now.value)
    const left = capped(base.value).times(share.value).minus(lost)
    return [usd(lost), usd(left.isNegative() ? Decimal.zero : left)] as const
  }
  const [dayLoss, dayLeft] = fall(risk.day_start_equity, risk.daily_loss_limit)
  const [drawdown, drawdownLeft] = fall(risk.peak_equity, risk.drawdown_limit)
  const [used, most] = [risk.open_risk, risk.open_risk_limit].map((each) => Decimal.parse(each))
  const left = used?.ok === true && most?.ok === true ? most.value.minus(used.value) : null
  return {
    equity: rounded(risk.equity),
    day_loss: dayLoss,
    day_loss_left: dayLeft,
    drawdown,
    drawdown_left: drawdownLeft,
    open_risk: rounded(risk.open_risk),
    open_risk_left: left === null ? null : usd(left.isNegative() ? Decimal.zero : left),
  }
}

/** A share of an amount in USD; null where either is not known. */
export function shareOf(amount: string | null, share: string): string | null {
  const [whole, part] = [Decimal.parse(amount), Decimal.parse(share)]
  return whole.ok && part.ok ? usd(whole.value.times(part.value)) : null
}

export function rounded(text: string | null): string | null {
  const value = Decimal.parse(text)
  return value.ok ? usd(value.value) : null
}

const usd = (value: Decimal): string => value.rounded(2, 'half-even').toString()
