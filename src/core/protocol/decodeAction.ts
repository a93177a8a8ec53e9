import { Decimal } from '../values/decimal.ts'
import { limits } from '../values/limits.ts'
import { err, ok } from '../values/result.ts'
import type { Result } from '../values/result.ts'
import { parseCloid } from '../values/cloid.ts'
import type {
  Action,
  Builder,
  Grouping,
  Json,
  JsonObject,
  Modify,
  Order,
  OrderRef,
  OrderType,
  TwapDetails,
} from './action.ts'
import { Fields, isObject, shownJson } from './fields.ts'

/**
 * Reads an action that Guard forwards, strictly: every field known, present and of its type, or the
 * list of everything that is not. What decodes here is all that the venue can read in it.
 */
export function decodeAction(action: Json): Result<Action, string[]> {
  const type = isObject(action) ? action['type'] : undefined
  const decode = typeof type === 'string' && Object.hasOwn(decoders, type) ? decoders[type] : null
  if (decode === null || decode === undefined) {
    const known = Object.keys(decoders).join(', ')
    return err([
      `type must be one of the actions Guard forwards (${known}), not ${shownJson(type)}`,
    ])
  }
  const fields = new Fields()
  const decoded = decode(fields, action as JsonObject)
  return fields.problems.length > 0 ? err(fields.listed()) : ok(decoded)
}

const whole32 = 0xffff_ffff
const safe = Number.MAX_SAFE_INTEGER
const root = 'the action'

const decoders: { readonly [type: string]: (fields: Fields, from: JsonObject) => Action } = {
  order(fields, from) {
    fields.object(from, root, ['type', 'orders', 'grouping'], ['builder'])
    const orders = fields
      .list(from, 'orders', '', limits.ordersPerActionMax)
      .map((each, at) => decodeOrder(fields, each, `orders[${at}]`))
    const builder = from['builder'] === undefined ? null : decodeBuilder(fields, from['builder'])
    const grouping = from['grouping']
    if (isObject(grouping)) {
      fields.object(grouping, 'grouping', ['p'])
      const priorityFee = fields.whole(grouping, 'p', 'grouping', 0, safe)
      return { type: 'order', orders, grouping: 'na', builder, priorityFee }
    }
    const name = fields.word<Grouping>(from, 'grouping', '', ['na', 'normalTpsl', 'positionTpsl'])
    return { type: 'order', orders, grouping: name, builder }
  },

  cancel(fields, from) {
    const cancels = cancelsIn(fields, from, ['a', 'o'], (cancel, path) => ({
      asset: fields.whole(cancel, 'a', path, 0, whole32),
      oid: fields.whole(cancel, 'o', path, 0, safe),
    }))
    const action = { type: 'cancel', cancels } as const
    return hasFlag(fields, from, 'f') ? { ...action, isFast: true } : action
  },

  cancelByCloid(fields, from) {
    const cancels = cancelsIn(fields, from, ['asset', 'cloid'], (cancel, path) => ({
      asset: fields.whole(cancel, 'asset', path, 0, whole32),
      cloid: fields.cloid(cancel, 'cloid', path),
    }))
    const action = { type: 'cancelByCloid', cancels } as const
    return hasFlag(fields, from, 'f') ? { ...action, isFast: true } : action
  },

  modify(fields, from) {
    fields.object(from, root, ['type', 'oid', 'order'], ['a'])
    const action = { type: 'modify', modify: decodeModify(fields, from, '') } as const
    return hasFlag(fields, from, 'a') ? { ...action, alwaysPlace: true } : action
  },

  batchModify(fields, from) {
    fields.object(from, root, ['type', 'modifies'], ['a'])
    const modifies = fields
      .list(from, 'modifies', '', limits.ordersPerActionMax)
      .map((each, at) => {
        const path = `modifies[${at}]`
        return decodeModify(fields, fields.object(each, path, ['oid', 'order']) ?? {}, path)
      })
    const action = { type: 'batchModify', modifies } as const
    return hasFlag(fields, from, 'a') ? { ...action, alwaysPlace: true } : action
  },

  updateLeverage(fields, from) {
    fields.object(from, root, ['type', 'asset', 'isCross', 'leverage'])
    return {
      type: 'updateLeverage',
      asset: fields.whole(from, 'asset', '', 0, whole32),
      isCross: fields.boolean(from, 'isCross', ''),
      leverage: fields.whole(from, 'leverage', '', 1, whole32),
    }
  },

  updateIsolatedMargin(fields, from) {
    fields.object(from, root, ['type', 'asset', 'isBuy', 'ntli'])
    return {
      type: 'updateIsolatedMargin',
      asset: fields.whole(from, 'asset', '', 0, whole32),
      isBuy: fields.boolean(from, 'isBuy', ''),
      ntli: fields.whole(from, 'ntli', '', -safe, safe),
    }
  },

  scheduleCancel(fields, from) {
    fields.object(from, root, ['type'], ['time'])
    const isClear = from['time'] === undefined || from['time'] === null
    const time = isClear ? null : fields.whole(from, 'time', '', 0, safe)
    return { type: 'scheduleCancel', time }
  },

  twapOrder(fields, from) {
    fields.object(from, root, ['type', 'twap'], ['details'])
    const twap = fields.object(from['twap'], 'twap', ['a', 'b', 's', 'r', 'm', 't']) ?? {}
    return {
      type: 'twapOrder',
      asset: fields.whole(twap, 'a', 'twap', 0, whole32),
      isBuy: fields.boolean(twap, 'b', 'twap'),
      size: fields.decimal(twap, 's', 'twap'),
      isReduceOnly: fields.boolean(twap, 'r', 'twap'),
      minutes: fields.whole(twap, 'm', 'twap', 0, whole32),
      isRandomized: fields.boolean(twap, 't', 'twap'),
      details: from['details'] === undefined ? null : decodeDetails(fields, from['details']),
    }
  },

  twapCancel(fields, from) {
    fields.object(from, root, ['type', 'a', 't'])
    return {
      type: 'twapCancel',
      asset: fields.whole(from, 'a', '', 0, whole32),
      twapId: fields.whole(from, 't', '', 0, safe),
    }
  },
}

function decodeDetails(fields: Fields, json: Json): TwapDetails {
  const from = fields.object(json, 'details', ['t', 's']) ?? { t: null, s: null }
  const endPrice = from['s'] === null ? null : fields.decimal(from, 's', 'details')
  if (from['t'] === null || from['t'] === undefined) return { trigger: null, endPrice }
  const start = fields.object(from['t'], 'details.t', ['p', 'a']) ?? {}
  const price = fields.decimal(start, 'p', 'details.t')
  const isAbove = fields.boolean(start, 'a', 'details.t')
  return { trigger: { price, isAbove }, endPrice }
}

function decodeOrder(fields: Fields, json: Json | undefined, path: string): Order {
  const from = fields.object(json, path, ['a', 'b', 'p', 's', 'r', 't'], ['c']) ?? {}
  return {
    asset: fields.whole(from, 'a', path, 0, whole32),
    isBuy: fields.boolean(from, 'b', path),
    price: fields.decimal(from, 'p', path),
    size: fields.decimal(from, 's', path),
    isReduceOnly: fields.boolean(from, 'r', path),
    type: decodeType(fields, from['t'], `${path}.t`),
    cloid: from['c'] === undefined ? null : fields.cloid(from, 'c', path),
  }
}

const noType: OrderType = { kind: 'limit', tif: 'Gtc' }

function decodeType(fields: Fields, json: Json | undefined, path: string): OrderType {
  if (json === undefined) return noType
  if (isObject(json) && json['trigger'] !== undefined) {
    fields.object(json, path, ['trigger'])
    const inner = `${path}.trigger`
    const from = fields.object(json['trigger'], inner, ['isMarket', 'triggerPx', 'tpsl']) ?? {}
    return {
      kind: 'trigger',
      isMarket: fields.boolean(from, 'isMarket', inner),
      triggerPrice: fields.decimal(from, 'triggerPx', inner),
      tpsl: fields.word(from, 'tpsl', inner, ['tp', 'sl']),
    }
  }
  const outer = fields.object(json, path, ['limit'])
  if (outer?.['limit'] === undefined) return noType
  const inner = `${path}.limit`
  const from = fields.object(outer['limit'], inner, ['tif']) ?? {}
  return {
    kind: 'limit',
    tif: fields.word(from, 'tif', inner, ['Gtc', 'Ioc', 'Alo', 'FrontendMarket']),
  }
}

function decodeModify(fields: Fields, from: JsonObject, path: string): Modify {
  const order = path === '' ? 'order' : `${path}.order`
  return {
    ref: decodeRef(fields, from, path),
    order: from['order'] === undefined ? noOrder : decodeOrder(fields, from['order'], order),
  }
}

const noOrder: Order = {
  asset: 0,
  isBuy: false,
  price: Decimal.zero,
  size: Decimal.zero,
  isReduceOnly: false,
  type: noType,
  cloid: null,
}

function decodeRef(fields: Fields, from: JsonObject, path: string): OrderRef {
  const value = from['oid']
  if (typeof value !== 'string') return { oid: fields.whole(from, 'oid', path, 0, safe) }
  const parsed = parseCloid(value)
  if (parsed.ok) return { cloid: parsed.value }
  fields.problem(path, 'oid', 'an order id, or a client order id of 0x and 32 hex digits', value)
  return { oid: 0 }
}

function decodeBuilder(fields: Fields, json: Json): Builder {
  const from = fields.object(json, 'builder', ['b', 'f']) ?? {}
  return {
    address: fields.address(from, 'b', 'builder'),
    fee: fields.whole(from, 'f', 'builder', 0, whole32),
  }
}

/** The entries of a cancel, each read from an object with exactly these keys. */
function cancelsIn<T>(
  fields: Fields,
  from: JsonObject,
  keys: readonly string[],
  read: (cancel: JsonObject, path: string) => T,
): T[] {
  fields.object(from, root, ['type', 'cancels'], ['f'])
  return fields.list(from, 'cancels', '', limits.ordersPerActionMax).map((each, at) => {
    const path = `cancels[${at}]`
    return read(fields.object(each, path, keys) ?? {}, path)
  })
}

/** The venue refuses these flags unless they are absent or true, and so does Guard. */
function hasFlag(fields: Fields, from: JsonObject, key: 'a' | 'f'): boolean {
  const value = from[key]
  if (value !== undefined && value !== true) fields.problem('', key, 'true, or absent', value)
  return value === true
}
