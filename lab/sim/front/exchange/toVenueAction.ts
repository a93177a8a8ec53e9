import type { Json, Order, OrderRef } from '../../../../src/core/protocol/action.ts'
import type { Grouping, Tif, Tpsl } from '../../../../src/core/protocol/action.ts'
import type { Address } from '../../../../src/core/values/address.ts'
import { parseAddress } from '../../../../src/core/values/address.ts'
import type { Cloid } from '../../../../src/core/values/cloid.ts'
import { Decimal } from '../../../../src/core/values/decimal.ts'
import type { SettableMode, VenueAction } from '../../engine/venueAction.ts'
import { ownedActions } from './toOwnedAction.ts'
import { tokenActions } from './toTokenAction.ts'

/** An action's JSON after its schema read it: every field is there and of its type. */
type Fields = { readonly [key: string]: Json }

interface WireOrder {
  readonly a: number
  readonly b: boolean
  readonly p: string
  readonly s: string
  readonly r: boolean
  readonly t:
    | { readonly limit: { readonly tif: Tif } }
    | { readonly trigger: { isMarket: boolean; triggerPx: string; tpsl: Tpsl } }
  readonly c?: Cloid
}

/** A decoded order; the JSON was read by its schema before. */
export function toOrder(json: Json): Order {
  const wire = json as unknown as WireOrder
  return {
    asset: wire.a,
    isBuy: wire.b,
    price: Decimal.of(wire.p),
    size: Decimal.of(wire.s),
    isReduceOnly: wire.r,
    type:
      'limit' in wire.t
        ? { kind: 'limit', tif: wire.t.limit.tif }
        : {
            kind: 'trigger',
            isMarket: wire.t.trigger.isMarket,
            triggerPrice: Decimal.of(wire.t.trigger.triggerPx),
            tpsl: wire.t.trigger.tpsl,
          },
    cloid: wire.c ?? null,
  }
}

function toRef(json: Json): OrderRef {
  return typeof json === 'number' ? { oid: json } : { cloid: json as Cloid }
}

/** A group with a priority fee is plain orders beside the fee. */
function toGrouping(json: Json): { readonly grouping: Grouping; readonly priorityFee?: number } {
  if (typeof json === 'string') return { grouping: json as Grouping }
  return { grouping: 'na', priorityFee: (json as { readonly p: number }).p }
}

function toBuilder(json: Json | undefined): { address: Address; fee: number } | null {
  if (json === undefined) return null
  const wire = json as { readonly b: Address; readonly f: number }
  return { address: wire.b, fee: wire.f }
}

const modes: { readonly [code: string]: SettableMode } = {
  i: 'disabled',
  u: 'unifiedAccount',
  p: 'portfolioMargin',
  disabled: 'disabled',
  unifiedAccount: 'unifiedAccount',
  portfolioMargin: 'portfolioMargin',
}

type Convert = (fields: Fields) => VenueAction | 'unfit'

const trading: { readonly [type: string]: Convert } = {
  order: (fields) => ({
    type: 'order',
    orders: (fields['orders'] as readonly Json[]).map(toOrder),
    ...toGrouping(fields['grouping'] as Json),
    builder: toBuilder(fields['builder']),
  }),
  cancel: (fields) => ({
    type: 'cancel',
    cancels: (fields['cancels'] as unknown as readonly { a: number; o: number }[]).map((each) => ({
      asset: each.a,
      oid: each.o,
    })),
    fast: fields['f'] === true,
  }),
  cancelByCloid: (fields) => ({
    type: 'cancelByCloid',
    cancels: fields['cancels'] as unknown as readonly { asset: number; cloid: Cloid }[],
    fast: fields['f'] === true,
  }),
  modify: (fields) => ({
    type: 'modify',
    modify: { ref: toRef(fields['oid'] as Json), order: toOrder(fields['order'] as Json) },
    alwaysPlace: fields['a'] === true,
  }),
  batchModify: (fields) => ({
    type: 'batchModify',
    modifies: (fields['modifies'] as unknown as readonly { oid: Json; order: Json }[]).map(
      (each) => ({ ref: toRef(each.oid), order: toOrder(each.order) }),
    ),
    alwaysPlace: fields['a'] === true,
  }),
  updateLeverage: (fields) => ({
    type: 'updateLeverage',
    asset: fields['asset'] as number,
    isCross: fields['isCross'] as boolean,
    leverage: fields['leverage'] as number,
  }),
  updateIsolatedMargin: (fields) => ({
    type: 'updateIsolatedMargin',
    asset: fields['asset'] as number,
    isBuy: fields['isBuy'] as boolean,
    ntli: fields['ntli'] as number,
  }),
  scheduleCancel: (fields) => ({
    type: 'scheduleCancel',
    time: typeof fields['time'] === 'number' ? fields['time'] : null,
  }),
  noop: () => ({ type: 'noop' }),
  twapOrder: toTwapOrder,
  twapCancel: (fields) => ({
    type: 'twapCancel',
    asset: fields['a'] as number,
    twapId: fields['t'] as number,
  }),
  topUpIsolatedOnlyMargin: (fields) => ({
    type: 'topUpIsolatedOnlyMargin',
    asset: fields['asset'] as number,
    leverage: Decimal.of(fields['leverage'] as string),
  }),
}

function toTwapOrder(fields: Fields): VenueAction {
  const twap = fields['twap'] as Fields
  const details = (fields['details'] ?? {}) as Fields
  const trigger = (details['t'] ?? null) as Fields | null
  const stop = (details['s'] ?? null) as string | null
  return {
    type: 'twapOrder',
    asset: twap['a'] as number,
    isBuy: twap['b'] as boolean,
    size: Decimal.of(twap['s'] as string),
    isReduceOnly: twap['r'] as boolean,
    minutes: twap['m'] as number,
    randomize: twap['t'] as boolean,
    trigger:
      trigger === null
        ? null
        : { price: Decimal.of(trigger['p'] as string), isAbove: trigger['a'] as boolean },
    stopPrice: stop === null ? null : Decimal.of(stop),
  }
}

const admin: { readonly [type: string]: Convert } = {
  setReferrer: (fields) => ({ type: 'setReferrer', code: fields['code'] as string }),
  registerReferrer: (fields) => ({ type: 'registerReferrer', code: fields['code'] as string }),
  setDisplayName: (fields) => ({
    type: 'setDisplayName',
    displayName: fields['displayName'] as string,
  }),
  evmUserModify: (fields) => ({
    type: 'evmUserModify',
    usingBigBlocks: fields['usingBigBlocks'] as boolean,
  }),
  ...ownedActions,
  reserveRequestWeight: (fields) => ({
    type: 'reserveRequestWeight',
    weight: fields['weight'] as number,
  }),
  agentSetAbstraction: (fields) => setMode(fields['abstraction'], null, true),
  userSetAbstraction: (fields) => setMode(fields['abstraction'], fields['user']),
  userPortfolioMargin: (fields) =>
    setMode(fields['enabled'] === true ? 'portfolioMargin' : 'disabled', fields['user']),
  agentEnableDexAbstraction: () => ({ type: 'setDexAbstraction', user: null }),
  userDexAbstraction: (fields) => {
    const user = parseAddress(fields['user'])
    return user.ok ? { type: 'setDexAbstraction', user: user.value } : 'unfit'
  },
  approveAgent: (fields) => {
    const agent = parseAddress(fields['agentAddress'])
    const name = fields['agentName'] ?? null
    if (!agent.ok || (name !== null && typeof name !== 'string')) return 'unfit'
    return { type: 'approveAgent', agentAddress: agent.value, agentName: name }
  },
  approveBuilderFee: (fields) => {
    const builder = parseAddress(fields['builder'])
    const rate = fields['maxFeeRate']
    if (!builder.ok || typeof rate !== 'string') return 'unfit'
    return { type: 'approveBuilderFee', builder: builder.value, maxFeeRate: rate }
  },
  usdSend: (fields) => {
    const sent = transferOf(fields)
    return sent === null ? 'unfit' : { type: 'usdSend', ...sent }
  },
  withdraw3: (fields) => {
    const sent = transferOf(fields)
    return sent === null ? 'unfit' : { type: 'withdraw3', ...sent, nonce: fields['time'] as number }
  },
}

/** `whom` is the account or one of its sub-accounts; an agent means the account it acts for. */
function setMode(
  json: Json | undefined,
  whom: Json | undefined,
  isByAgent = false,
): VenueAction | 'unfit' {
  const mode = typeof json === 'string' ? modes[json] : undefined
  const user = isByAgent ? null : parseAddress(whom)
  if (mode === undefined || user?.ok === false) return 'unfit'
  return { type: 'setAbstraction', mode, isByAgent, user: user?.value ?? null }
}

function transferOf(fields: Fields): { destination: Address; amount: Decimal } | null {
  const destination = parseAddress(fields['destination'])
  const amount = Decimal.parse(fields['amount'])
  if (!destination.ok || !amount.ok) return null
  return { destination: destination.value, amount: amount.value }
}

/** What the engine executes; `unfit` where a user-signed action's fields do not fit. */
export function toVenueAction(type: string, canonical: Json): VenueAction | 'unfit' {
  const convert = trading[type] ?? admin[type] ?? tokenActions[type]
  return convert === undefined
    ? { type: 'other', name: type, action: canonical }
    : convert(canonical as Fields)
}
