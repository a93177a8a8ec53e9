import type { OpenOrder, OpenTrigger } from '../protocol/venueState.ts'

/** Whether the venue says the same of an order as before, in every point. */
export function isSameOrder(one: OpenOrder, other: OpenOrder): boolean {
  return (
    one === other ||
    (one.coin === other.coin &&
      one.isBuy === other.isBuy &&
      one.price.eq(other.price) &&
      one.size.eq(other.size) &&
      one.originalSize.eq(other.originalSize) &&
      one.oid === other.oid &&
      one.cloid === other.cloid &&
      one.at === other.at &&
      one.isReduceOnly === other.isReduceOnly &&
      one.isPositionTpsl === other.isPositionTpsl &&
      isSameTrigger(one.trigger, other.trigger) &&
      one.children.length === other.children.length &&
      one.children.every((child, place) => child === other.children[place]))
  )
}

function isSameTrigger(one: OpenTrigger | null, other: OpenTrigger | null): boolean {
  if (one === null || other === null) return one === other
  return one.price.eq(other.price) && one.isMarket === other.isMarket && one.tpsl === other.tpsl
}
