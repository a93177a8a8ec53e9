import { accountWith, fixtureNow } from '../account/account.fixture.ts'
import { decodeAction } from '../protocol/decodeAction.ts'
import { encodeAction } from '../protocol/encodeAction.ts'
import type { Action, Json, WireAction } from '../protocol/action.ts'
import { makeGuardCloid } from '../protocol/guardCloid.ts'
import type { CloidMint } from '../protocol/guardCloid.ts'
import { defaultRules } from '../rules/rules.ts'
import type { Rules } from '../rules/rules.ts'
import { address } from '../values/address.ts'
import type { Decision, JudgeInput } from './decision.ts'
import { judge } from './judge.ts'

const fixtureClient = address(`0x${'c1'.repeat(20)}`)

/** Ids that count up, so that a decision can be compared with another. */
function countingMint(): CloidMint {
  let count = 0
  return (kind) => {
    count += 1
    const tail = new Uint8Array(11)
    tail[10] = count & 255
    tail[9] = count >> 8
    return makeGuardCloid(kind, tail)
  }
}

export interface JudgeSpec extends Partial<Omit<JudgeInput, 'action' | 'rulesFor'>> {
  readonly rules?: Partial<Rules>
}

/** A judge's input around an action: a flat, fresh account and the default rules unless others. */
export function judgeInput(action: Action, spec: JudgeSpec = {}): JudgeInput {
  const { rules, ...given } = spec
  const all: Rules = { ...defaultRules, ...rules }
  return {
    account: accountWith(),
    rulesFor: () => all,
    risk: { state: 'active', holding: false, lastEquity: null },
    latched: false,
    builders: new Set(),
    now: fixtureNow,
    client: fixtureClient,
    mint: countingMint(),
    entriesLastMinute: 0,
    ...given,
    action,
  }
}

/** The action a bot would send, from its JSON. */
export function actionOf(json: Json): Action {
  const decoded = decodeAction(json)
  if (!decoded.ok) throw new Error(decoded.error.join('; '))
  return decoded.value
}

export function judged(json: Json, spec: JudgeSpec = {}): Decision {
  return judge(judgeInput(actionOf(json), spec))
}

/** An action as JSON without client order ids, which are not part of what is compared. */
export function wire(action: Action): WireAction {
  return JSON.parse(
    JSON.stringify(encodeAction(action), (key, value: unknown) =>
      key === 'c' ? undefined : value,
    ),
  ) as WireAction
}

interface OrderText {
  readonly a: number
  readonly b: boolean
  readonly p: string
  readonly s: string
  readonly r: boolean
  readonly t: Json
  readonly c?: string
}

/** A limit order as a bot sends it. */
export function limitOrder(
  a: number,
  b: boolean,
  s: string,
  p: string,
  tif = 'Gtc',
  r = false,
): OrderText & { readonly [key: string]: Json } {
  return { a, b, p, s, r, t: { limit: { tif } } }
}

/** A reduce-only trigger as a bot sends it: a market stop with 10% of room unless told otherwise. */
export function triggerOrder(
  a: number,
  b: boolean,
  s: string,
  triggerPx: string,
  p: string,
  tpsl: 'tp' | 'sl' = 'sl',
  isMarket = true,
): OrderText & { readonly [key: string]: Json } {
  return { a, b, p, s, r: true, t: { trigger: { isMarket, triggerPx, tpsl } } }
}

export function orderAction(orders: readonly Json[], grouping: Json = 'na'): Json {
  return { type: 'order', orders, grouping }
}
