import type { Json } from '../../../src/core/protocol/action.ts'
import type { VenueReads } from '../engine/venueReads.ts'
import type { FaultSubject } from './faults.ts'
import { isObject } from './exchange/schema.ts'
import { dexIn } from './stream/oneDex.ts'

/** An action's type and the coins it names, read loosely: a fault may meet a malformed request. */
export function actionSubject(venue: VenueReads, action: Json | undefined): FaultSubject {
  if (!isObject(action)) return { types: [], coins: [] }
  const coins = assetsOf(action).flatMap((asset) =>
    typeof asset === 'number' ? (venue.marketById(asset)?.coin ?? []) : [],
  )
  return { types: typeof action['type'] === 'string' ? [action['type']] : [], coins }
}

function assetsOf(action: { readonly [key: string]: Json }): (Json | undefined)[] {
  const direct = [action['asset'], action['a']]
  const lists = ['orders', 'cancels', 'modifies'].flatMap((name) => {
    const list = action[name]
    return Array.isArray(list) ? (list as readonly Json[]) : []
  })
  const nested = [...lists, action['order'], action['twap']].flatMap((entry) => {
    if (!isObject(entry)) return []
    const order = entry['order']
    return [entry['a'], entry['asset'], isObject(order) ? order['a'] : undefined]
  })
  return [...direct, ...nested]
}

/** Whether an action carries orders that wait for a trigger. */
export function carriesTriggers(action: Json | undefined): boolean {
  if (!isObject(action) || !Array.isArray(action['orders'])) return false
  return (action['orders'] as readonly Json[]).some((order) => {
    const type = isObject(order) ? order['t'] : undefined
    return isObject(type) && isObject(type['trigger'])
  })
}

/** A question's type, coin and dex: what names neither is about the main one. */
export function questionSubject(request: Json): FaultSubject {
  if (!isObject(request)) return { types: [], coins: [] }
  const req = request['req']
  const coin = isObject(req) ? req['coin'] : request['coin']
  return {
    types: typeof request['type'] === 'string' ? [request['type']] : [],
    coins: typeof coin === 'string' ? [coin] : [],
    dex: typeof request['dex'] === 'string' ? request['dex'] : dexIn(coin),
  }
}
