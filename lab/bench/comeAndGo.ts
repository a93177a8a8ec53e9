import type { Bot } from './bot.ts'
import type { HttpLine } from './httpLine.ts'
import { allowedOrder } from './orders.ts'
import { unexpected } from './unexpected.ts'

/** Whose orders go where. */
export interface OrderWay {
  readonly bot: Bot
  readonly line: HttpLine
}

/** An order that rests with its stop: how long its answer took, and what cancels it. */
interface Placed {
  readonly took: number
  readonly undo: () => Promise<void>
}

export async function place({ bot, line }: OrderWay): Promise<Placed> {
  const order = allowedOrder()
  const body = bot.sign(order.action)
  const begun = performance.now()
  const answer = await line.post('/exchange', body)
  const took = performance.now() - begun
  if (!answer.includes('"resting"')) throw unexpected('an order that rests', answer)
  const undo = async (): Promise<void> => {
    if (order.undo !== null) await line.post('/exchange', bot.sign(order.undo))
  }
  return { took, undo }
}

/** How long an order took; it is gone afterwards. */
export async function comeAndGo(way: OrderWay): Promise<number> {
  const { took, undo } = await place(way)
  await undo()
  return took
}
