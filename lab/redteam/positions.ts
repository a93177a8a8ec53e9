import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { NotHere, breach } from './breach.ts'
import type { Attacker } from './attacker.ts'
import { priceAt } from './ground.ts'
import { eventually, fieldsOf } from './held.ts'
import { cancel, order, orders } from './orders.ts'

/** The account as the venue shows it, and whether it is within the rules. */

export interface Held {
  readonly coin: string
  readonly size: Decimal
  readonly entry: Decimal
  readonly value: Decimal
}

export async function held(attacker: Attacker): Promise<Held[]> {
  const { assetPositions } = await attacker.venueState()
  const list = Array.isArray(assetPositions) ? (assetPositions as readonly JsonObject[]) : []
  return list.map((each) => {
    const position = fieldsOf(each['position'] ?? null)
    return {
      coin: String(position['coin']),
      size: decimal(position['szi']),
      entry: decimal(position['entryPx']),
      value: decimal(position['positionValue']),
    }
  })
}

const decimal = (value: Json | undefined): Decimal => {
  const parsed = Decimal.parse(value)
  return parsed.ok ? parsed.value : Decimal.zero
}

/** Stops that close this position, with the venue's ids. */
export interface Stop {
  readonly oid: number
  readonly size: Decimal
  readonly trigger: Decimal
  readonly isMarket: boolean
  readonly cloid: string | null
}

export async function stopsOf(attacker: Attacker, position: Held): Promise<Stop[]> {
  const closing = position.size.isPositive() ? 'A' : 'B'
  return (await attacker.venueOrders())
    .filter(
      (each) =>
        each['coin'] === position.coin &&
        each['isTrigger'] === true &&
        each['reduceOnly'] === true &&
        each['side'] === closing &&
        String(each['orderType']).startsWith('Stop'),
    )
    .map((each) => ({
      oid: Number(each['oid']),
      size: decimal(each['sz']).isZero() ? position.size.abs() : decimal(each['sz']),
      trigger: decimal(each['triggerPx']),
      isMarket: each['orderType'] === 'Stop Market',
      cloid: typeof each['cloid'] === 'string' ? each['cloid'] : null,
    }))
}

/** Null when every position is covered in full and all are within the rules; else what is not. */
async function excess(attacker: Attacker): Promise<string | null> {
  const { rules, equity } = attacker
  let risk = Decimal.zero
  let value = Decimal.zero
  for (const position of await held(attacker)) {
    value = value.plus(position.value)
    if (position.value.gt(equity.times(rules.maxPosition).times(tolerance))) {
      return `${position.coin} is worth ${position.value.toString()} USD`
    }
    const stops = (await stopsOf(attacker, position)).filter(({ isMarket }) => isMarket)
    const covered = stops.reduce((sum, { size }) => sum.plus(size), Decimal.zero)
    if (covered.lt(position.size.abs())) {
      return `${position.size.toString()} ${position.coin} has stops for ${covered.toString()}`
    }
    const far = stops.map(({ trigger }) => trigger.minus(position.entry).abs())
    const [first = Decimal.zero, ...rest] = far
    risk = risk.plus(position.size.abs().times(Decimal.max(first, ...rest)))
  }
  if (risk.gt(equity.times(rules.openRisk).times(tolerance))) {
    return `${risk.toString()} USD are at risk, of ${equity.toString()} USD`
  }
  return value.gt(equity.times(rules.maxLeverage).times(tolerance))
    ? `positions are worth ${value.toString()} USD`
    : null
}

/** Prices move while one looks. */
const tolerance = Decimal.of('1.05')

/** Every position covered and within the rules, once Guard had a moment to see it. */
export async function withinRules(attacker: Attacker): Promise<string> {
  if (!(await eventually(async () => (await excess(attacker)) === null, attacker.patienceMs))) {
    breach((await excess(attacker)) ?? 'the account was beyond the rules for too long')
  }
  const positions = await held(attacker)
  const sizes = positions.map(({ coin, size }) => `${size.toString()} ${coin}`)
  return sizes.length === 0 ? 'no position' : `${sizes.join(', ')}, covered and within the rules`
}

/** Cancels and closes everything on the way out, as a bot may. */
export async function flat(attacker: Attacker): Promise<void> {
  const isFlat = async (): Promise<boolean> => {
    const [positions, open] = [await held(attacker), await attacker.venueOrders()]
    if (positions.length === 0 && open.length === 0) {
      const { positions: seen, open_orders, in_flight } = await attacker.status()
      return Array.isArray(seen) && seen.length === 0 && open_orders === 0 && in_flight === 0
    }
    await goFlat(attacker, positions, open)
    return false
  }
  if (!(await eventually(isFlat, 15_000))) {
    throw new Error('the account could not be made flat before the attack')
  }
}

async function goFlat(
  attacker: Attacker,
  positions: readonly Held[],
  open: readonly JsonObject[],
): Promise<void> {
  for (const field of attacker.fields) {
    const position = positions.find(({ coin }) => coin === field.coin)
    const resting = open
      .filter(({ coin }) => coin === field.coin)
      .filter(({ reduceOnly }) => position === undefined || reduceOnly !== true)
      .map(({ oid }) => Number(oid))
    if (resting.length > 0) await attacker.send(cancel(field.asset, ...resting.slice(0, 64)))
    if (position === undefined) continue
    const isLong = position.size.isPositive()
    const price = priceAt(field, isLong ? '-4' : '4')
    const size = position.size.abs().toString()
    await attacker.send(orders([order(field.asset, !isLong, price, size, { r: true })]))
  }
}

/** Opens a small position through Guard and waits for its stop; the attack then works on it. */
export async function enter(
  attacker: Attacker,
  share = '0.2',
  more: readonly JsonObject[] = [],
): Promise<Held> {
  const field = attacker.ground()
  const size = sizeFor(attacker, share)
  const list = [order(field.asset, true, priceAt(field, '0.4'), size), ...more]
  const action = orders(list, more.length > 0 ? 'normalTpsl' : 'na')
  const refusals: string[] = []
  // A Guard that has just been attacked may have used up what a minute allows.
  await eventually(async () => {
    const { verdict, code } = fieldsOf((await attacker.send(action)).json)
    const refusal = verdict === 'veto' ? String(code) : ''
    refusals.push(refusal)
    return refusal !== 'order_rate' && refusal !== 'rate_limited'
  }, 15 * attacker.patienceMs)
  const last = refusals.at(-1) ?? ''
  if (last !== '') throw new NotHere(`Guard refuses the entry this needs: ${last}`)
  let position: Held | undefined
  const isOpen = async (): Promise<boolean> => {
    position = (await held(attacker)).find(({ coin }) => coin === field.coin)
    const { positions } = await attacker.status()
    const isSeen = Array.isArray(positions) && positions.length > 0
    return position !== undefined && isSeen && (await stopsOf(attacker, position)).length > 0
  }
  await eventually(isOpen, attacker.patienceMs)
  return position ?? breach('a position could not be opened, or has no stop')
}

/** A size worth this share of the account. */
export function sizeFor(attacker: Attacker, share: string): string {
  const field = attacker.ground()
  const size = attacker.equity.times(Decimal.of(share)).over(field.mid, field.sizeDecimals, 'down')
  return size.isPositive() ? size.toString() : new Decimal(1n, field.sizeDecimals).toString()
}
