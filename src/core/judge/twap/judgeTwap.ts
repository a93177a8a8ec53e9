import type { PositionView } from '../../account/accountView.ts'
import type { ReservedTwap } from '../../account/reservation.ts'
import type { Order, TwapOrderAction } from '../../protocol/action.ts'
import type { Rules } from '../../rules/rules.ts'
import type { Coin } from '../../values/coin.ts'
import { Decimal } from '../../values/decimal.ts'
import { limits } from '../../values/limits.ts'
import { err } from '../../values/result.ts'
import { AccountWithRequest } from '../accountWithRequest.ts'
import { change } from '../changes.ts'
import type { Change } from '../changes.ts'
import { isAccountFresh, marketOf } from '../context.ts'
import type { Decision, EntryDecision, JudgeInput } from '../decision.ts'
import { sizeWorth } from '../entry/checkMinimum.ts'
import { checkThrottle } from '../entry/checkThrottle.ts'
import type { EntryGroup, EntryTrace } from '../entry/entryGroup.ts'
import { measureEntry, sizeChange } from '../entry/judgeEntry.ts'
import type { MeasuredEntry } from '../entry/judgeEntry.ts'
import { leverageSteps } from '../orders/judgeOrders.ts'
import { checkExitMarket, flips, positionOf } from '../orders/sortOrders.ts'
import { decided, step, vetoed } from '../plan.ts'
import type { Refusal } from '../refusal.ts'
import { sideName, usd } from '../text.ts'
import { twapPrice } from './twapPrice.ts'
import type { TwapPrice } from './twapPrice.ts'

/**
 * A TWAP. What can only reduce passes whatever the rules say; what may open is judged as an entry of
 * all of its size at the worst price that any of its slices may have.
 */
export function judgeTwap(input: JudgeInput, action: TwapOrderAction): Decision {
  const { asset, isBuy, isReduceOnly } = action
  if (isReduceOnly) {
    const refusal = checkExitMarket(asset, 'twap')
    return refusal === null ? reducing(input, action, action, []) : vetoed(refusal)
  }
  const coin = marketOf(input, asset)?.coin ?? null
  if (input.rulesFor(input.client, coin).twap !== 'watched') return vetoed(refusedByRule)
  const position = positionOf(input, action)
  return position === null || position.size.isPositive() === isBuy
    ? opening(input, action)
    : closing(input, action, position)
}

const refusedByRule: Refusal = {
  code: 'unsupported_action',
  text: 'a TWAP that is not reduce-only would open a position, slice by slice; Guard forwards none (twap = "refuse"); if it is to close a position, its reduce-only flag is missing',
}

/** Against a position: cut to it, and reduce-only from now on. */
function closing(input: JudgeInput, action: TwapOrderAction, position: PositionView): Decision {
  const refusal = flips(input, position, action, 'twap')
  if (refusal !== null) return vetoed(refusal)
  const held = position.size.abs()
  const size = Decimal.min(action.size, held)
  const { coin } = position
  const text = `the TWAP closes the ${coin} position and goes as reduce-only`
  const changes = [change(text, 'twap.r', 'false', 'true', 'closing')]
  if (!size.eq(action.size)) {
    const cut = `the TWAP cut from ${action.size.toString()} to ${size.toString()}, the size of the ${coin} position`
    changes.push(change(cut, 'size', action.size, size, 'flip'))
  }
  return reducing(input, action, { ...action, isReduceOnly: true, size }, changes)
}

function reducing(
  input: JudgeInput,
  asked: TwapOrderAction,
  action: TwapOrderAction,
  changes: readonly Change[],
): Decision {
  const coin = marketOf(input, action.asset)?.coin ?? null
  const isFresh = isAccountFresh(input)
  const what = 'a TWAP that can only reduce: forwarded as sent'
  return decided({
    pre: [],
    // On a market that Guard does not follow there is nothing to hold.
    main: [step(action, coin === null ? [] : [reservedTwap(coin, action, null)])],
    post: [],
    lane: 'exit',
    changes,
    entries: [],
    exits: [{ at: 0, requestedSize: asked.size, size: action.size, code: 'allowed' }],
    slots: [],
    reply: { kind: 'pass', responseType: 'default' },
    stripCloids: [],
    text: isFresh ? what : `${what}, though the account could not be read recently enough`,
    isUnjudged: !isFresh,
  })
}

function opening(input: JudgeInput, action: TwapOrderAction): Decision {
  const numbers = checkNumbers(action)
  if (numbers !== null) return vetoed(numbers)
  const draft = new AccountWithRequest(input.account)
  const trace: EntryTrace = { worstPrice: null, stop: null, leverage: null }
  let endPrice: TwapPrice['endPrice'] | null = null
  const measured = measureEntry(input, draft, groupOf(action), trace, (market, rules, seen) => {
    const tooLong = checkMinutes(rules, action)
    if (tooLong !== null) return err(tooLong)
    const mark = input.account.mark(market.coin) ?? seen.mid
    const found = twapPrice(market, action, { ...seen, mark })
    if (!found.ok) return found
    endPrice = found.value.endPrice
    return { ok: true, value: found.value.worst }
  })
  const refused = (why: Refusal): Decision => vetoed(why, [vetoedEntry(input, action, trace, why)])
  if (!measured.ok) return refused(measured.error)
  const last = checkLast(input, draft, measured.value)
  if (last !== null) return refused(last)
  return forwarded(action, measured.value, endPrice)
}

function forwarded(
  action: TwapOrderAction,
  measured: MeasuredEntry,
  endPrice: Decimal | null,
): Decision {
  const { market, worst, stop, sized, leverage } = measured
  const { size } = sized
  const details = { trigger: action.details?.trigger ?? null, endPrice }
  const sent: TwapOrderAction = { ...action, size, details }
  const opens = { price: worst.price, stop: stop.trigger, worth: worst.worth }
  const changes = [...worst.changes, ...stop.changes, ...sizeChange(market, orderOf(action), sized)]
  const pre = leverageSteps([{ market, leverage }])
  const update = pre.get(market.coin)
  const held = [reservedTwap(market.coin, sent, opens)]
  return decided({
    pre: [...pre.values()],
    main: [step(sent, held, update === undefined ? [] : [update])],
    post: [],
    lane: 'entry',
    changes,
    entries: [passedEntry(action, measured, changes)],
    exits: [],
    slots: [],
    reply: { kind: 'pass', responseType: 'default' },
    stripCloids: [],
    text: 'the TWAP is within every rule',
    isUnjudged: false,
  })
}

/** The TWAP as it is held from the tick of its decision on. */
function reservedTwap(
  coin: Coin,
  { isBuy, size, minutes, isRandomized, details }: TwapOrderAction,
  opens: ReservedTwap['opens'],
): ReservedTwap {
  const triggerPrice = details?.trigger?.price ?? null
  const endPrice = details?.endPrice ?? null
  return {
    ...{ kind: 'twap', coin, isBuy, size, minutes, isRandomized },
    ...{ triggerPrice, endPrice, opens },
  }
}

/** As the checks of an entry see it; its price is found by its own rule. */
function orderOf({ asset, isBuy, size }: TwapOrderAction): Order {
  const type = { kind: 'limit', tif: 'Ioc' } as const
  return { asset, isBuy, size, price: Decimal.zero, isReduceOnly: false, type, cloid: null }
}

function groupOf(action: TwapOrderAction): EntryGroup {
  const entry = { at: 0, order: orderOf(action) }
  return { entry, stop: null, children: [], builderFee: 0, carriedStop: null }
}

function checkNumbers({ size, details }: TwapOrderAction): Refusal | null {
  const prices = [details?.trigger?.price ?? null, details?.endPrice ?? null]
  const arePositive = [size, ...prices].every((each) => each === null || each.isPositive())
  if (arePositive) return null
  return { code: 'invalid', text: "a TWAP's size and prices must be above 0" }
}

function checkMinutes(rules: Rules, { minutes }: TwapOrderAction): Refusal | null {
  if (minutes > rules.twapMaxMinutes) {
    const text = `a TWAP of ${minutes} minutes is longer than ${rules.twapMaxMinutes} (twap_max_minutes)`
    return { code: 'invalid', text }
  }
  if (minutes >= limits.twapMinutesMin) return null
  const text = `a TWAP of ${minutes} minutes is shorter than the ${limits.twapMinutesMin} that the venue takes`
  return { code: 'invalid', text }
}

const leastValue = Decimal.whole(limits.minTwapValueUsd)

/** What is asked once its size is known. */
function checkLast(
  input: JudgeInput,
  draft: AccountWithRequest,
  { market, rules, mid, worst, sized }: MeasuredEntry,
): Refusal | null {
  const lower = Decimal.min(worst.price, mid)
  const value = sized.size.times(lower)
  if (value.lt(leastValue)) {
    const why = sized.bound === null ? '' : `, bound by ${sized.bound.text()},`
    const text = `a TWAP of ${sized.size.toString()} ${market.coin}${why} is worth ${usd(value)} at the lower of its worst price and the mid; the venue takes ${usd(leastValue)} or more${sizeWorth(leastValue, lower, market)}`
    return { code: 'below_minimum', text }
  }
  const { twapCount } = input.account
  if (twapCount >= rules.maxTwaps) {
    const text = `${twapCount} TWAPs run, wait or are on their way; max_twaps is ${rules.maxTwaps}`
    return { code: 'too_many_orders', text }
  }
  // It takes no place among the open orders, and its stop will.
  return checkThrottle(input, rules, draft, 1) ?? input.withheld ?? null
}

function passedEntry(
  action: TwapOrderAction,
  { market, worst, stop, sized, leverage }: MeasuredEntry,
  changes: readonly Change[],
): EntryDecision {
  return {
    ...{ at: 0, coin: market.coin, side: sideName(action.isBuy), requestedSize: action.size },
    ...{ size: sized.size, worstPrice: worst.price, stop: stop.trigger },
    ...{ leverage: leverage.leverage, risk: sized.size.times(sized.lossPerUnit) },
    ...{ verdict: 'resize', code: 'resized', text: changes.map(({ text }) => text).join('; ') },
  }
}

function vetoedEntry(
  input: JudgeInput,
  { asset, isBuy, size }: TwapOrderAction,
  { worstPrice, stop, leverage }: EntryTrace,
  { code, text }: Refusal,
): EntryDecision {
  const coin = marketOf(input, asset)?.coin ?? `asset ${asset}`
  return {
    ...{ at: 0, coin, side: sideName(isBuy), requestedSize: size, size: Decimal.zero },
    ...{ worstPrice, stop, leverage, risk: null, verdict: 'veto', code, text },
  }
}
