import type { Json } from './action.ts'

const cheap = new Set([
  'l2Book',
  'allMids',
  'clearinghouseState',
  'orderStatus',
  'spotClearinghouseState',
  'exchangeStatus',
])

/** What a read costs of the venue's 1,200 a minute, before rows (venue's rate-limit page). */
export function infoWeight(request: Json): number {
  const type =
    typeof request === 'object' && request !== null && 'type' in request ? request['type'] : null
  if (type === 'userRole') return 60
  return typeof type === 'string' && cheap.has(type) ? 2 : 20
}

/** What an action costs: one, and one more for every 40 entries. */
export function actionWeight(entries: number): number {
  return 1 + Math.floor(entries / 40)
}
