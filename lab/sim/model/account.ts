import { done, failed } from './actions.ts'
import { Exact } from './exact.ts'
import { endAll } from './life.ts'
import {
  crossInitial,
  crossProfit,
  crossValue,
  isolatedEquity,
  leverageOf,
  orderMargin,
  positionIn,
  tierIndex,
  usedByCross,
  worth,
} from './margin.ts'
import { addTo, balanceIn, inPool, marketOf, onDex, poolOf } from './pools.ts'
import { endTwaps } from './twaps.ts'
import { wholeAction } from './texts.ts'
import type { ModelAccount, ModelState } from './state.ts'

/** Actions of an account that are not about one order. */

const dayMs = 86_400_000

export function updateLeverage(
  state: ModelState,
  account: ModelAccount,
  asset: number,
  isCross: boolean,
  value: number,
): unknown {
  const market = marketOf(state, asset)
  if (market === undefined) return failed('Invalid asset.')
  if (value < 1 || value > market.maxLeverage) return failed(wholeAction.leverage)
  if (isCross && market.onlyIsolated) return failed(wholeAction.crossNotAllowed)
  const pool = poolOf(account, market)
  const within = inPool(account, pool)
  const position = positionIn(account, market)
  if (position !== null) {
    if (position.isIsolated === isCross) return failed(wholeAction.switchMode)
    const tier = market.tiers[tierIndex(market, worth(position))]
    if (tier !== undefined && tier.leverage < value) return failed(wholeAction.leverage)
    const isLower = value < leverageOf(account, market).value
    const needed = worth(position).over(Exact.of(value))
    if (position.isIsolated) {
      if (isLower && isolatedEquity(position).isBelow(needed)) {
        return failed(wholeAction.isolatedShort)
      }
    } else {
      const others = crossInitial(account, within).minus(usedByCross(position))
      if (isLower && crossValue(account, pool).isBelow(others.plus(needed))) {
        return failed(wholeAction.crossShort)
      }
    }
  }
  const before = leverageOf(account, market)
  const orders = state.open.filter((each) => each.owner === account && each.market === market)
  const isSwitch = position === null && before.isCross !== isCross
  if (isSwitch && orders.length > 0 && !state.rules.switchWithOrders) {
    return failed(wholeAction.switchMode)
  }
  account.leverage.set(market.coin, { isCross, value })
  const opened = position?.opened ?? Exact.zero
  if (position !== null && (value < before.value || state.rules.raiseFreesMargin)) {
    position.opened = position.size.abs().over(Exact.of(value))
  }
  const isOverspent = orderMargin(state, account, within).isAbove(
    crossValue(account, pool).minus(crossInitial(account, within)),
  )
  const rests = orders.some((each) => each.where === 'book' && !each.isReduceOnly)
  const isRefused = state.rules.lowerBelowOrders === 'refuse' && rests && value < before.value
  if (isRefused && isOverspent) {
    account.leverage.set(market.coin, before)
    if (position !== null) position.opened = opened
    return failed(isCross ? wholeAction.crossShort : wholeAction.isolatedShort)
  }
  return done
}

export function schedule(state: ModelState, account: ModelAccount, time: number | null): unknown {
  const { scheduleVolume } = state.rules
  if (account.volume.isBelow(scheduleVolume)) {
    const traded = account.volume.cut(2).toString()
    return failed(
      `Cannot set scheduled cancel time until enough volume traded. Required: $${scheduleVolume.toString()}. Traded: $${traded}.`,
    )
  }
  if (time === null) {
    account.scheduled = null
    return done
  }
  if (time < state.now + 5000) return failed(wholeAction.scheduleSoon)
  const isToday = account.scheduleDay === Math.floor(state.now / dayMs)
  if (isToday && account.scheduleCount >= 10) return failed(wholeAction.scheduleOften)
  account.scheduled = time
  return done
}

/** Which of the account's schedules came due: counts it for the day. */
export function takeSchedule(state: ModelState, account: ModelAccount): boolean {
  if (account.scheduled === null || account.scheduled > state.now) return false
  const today = Math.floor(state.now / dayMs)
  account.scheduleCount = account.scheduleDay === today ? account.scheduleCount + 1 : 1
  account.scheduleDay = today
  account.scheduled = null
  return true
}

/** An agent is removed; none has to be there. */
export function removeAgent(state: ModelState, account: ModelAccount): unknown {
  if (state.now < account.agentsUntil) return failed(wholeAction.agentPending)
  account.agentsUntil = state.now + 5000
  if (state.rules.agentRemovalEndsOrders) {
    const own = state.open.filter(({ owner }) => owner === account)
    endAll(state, own, 'canceled')
  }
  endTwaps(state, account, 'agentRemoval')
  return done
}

/** Standard or unified, by the account's owner. */
export function setMode(state: ModelState, account: ModelAccount, mode: string): unknown {
  const isUnified = mode === 'unifiedAccount'
  if (account.isUnified !== isUnified) {
    if (!isUnified && !state.rules.backToStandard) return failed(wholeAction.transition)
    const orders = state.open.filter(({ owner }) => owner === account)
    const isInUse = account.positions.length + orders.length > 0
    if (isInUse && !state.rules.modeMayChangeInUse) return failed(wholeAction.modeInUse)
  }
  account.isUnified = isUnified
  account.isModeSet = true
  cutPools(state, account)
  return done
}

/** What lies apart is put together, or every dex gets the margin of its cross positions. */
function cutPools(state: ModelState, account: ModelAccount): void {
  const { isUnified, sharesPools } = account
  if (isUnified === sharesPools) return
  account.sharesPools = isUnified
  const dexes = new Set(state.markets.map(({ dex }) => dex).filter((dex) => dex !== ''))
  for (const dex of dexes) {
    const there = balanceIn(account, dex)
    const needed = crossInitial(account, onDex(dex))
    const whole = needed.cut(6).isBelow(needed) ? needed.cut(6).plus(millionth) : needed
    const wanted = isUnified ? Exact.zero : whole.minus(crossProfit(account, onDex(dex)))
    addTo(account, dex, wanted.minus(there))
    addTo(account, '', there.minus(wanted))
  }
}

const millionth = Exact.of('0.000001')

/** The hourly payment at a rate without premium: an eighth of 0.01% of the value at the oracle. */
export function payFunding(state: ModelState): void {
  const rate = Exact.of('0.0001').over(Exact.of(8))
  for (const account of state.accounts) {
    for (const position of account.positions) {
      if (position.market.isDelisted) continue
      const exact = position.size.times(position.market.oracle).times(rate).negated()
      const paid = state.rules.fundingCut === 'down' ? exact.cut(6) : exact.nearest(6)
      if (position.isIsolated) position.put = position.put.plus(paid)
      else addTo(account, poolOf(account, position.market), paid)
      position.funding = position.funding.minus(paid)
    }
  }
}
