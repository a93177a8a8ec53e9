import type { Bot } from '../bot.ts'
import type { HttpLine } from '../httpLine.ts'
import { allowedOrder } from '../orders.ts'
import { unexpected } from '../unexpected.ts'

/** How long each order and each cancel took, in milliseconds. */
export interface TradeTimes {
  readonly orders: number[]
  readonly cancels: number[]
}

export const noTimes = (): TradeTimes => ({ orders: [], cancels: [] })

/** A bot's pace: an order or a cancel so often, of which the venue takes twenty orders a second. */
const everyMs = 25

/** Places orders that rest and cancels each again, at the pace of a bot and not of its answers. */
export class HonestBot {
  readonly #bot: Bot
  readonly #line: HttpLine

  constructor(bot: Bot, line: HttpLine) {
    this.#bot = bot
    this.#line = line
  }

  async trade(count: number, times: TradeTimes): Promise<void> {
    for (let n = 0; n < count; n += 1) await this.#comeAndGo(times)
  }

  /** Trades until something else is done; tells what that came to, and how many orders it were. */
  async tradeDuring<T>(
    other: Promise<T>,
    times: TradeTimes,
  ): Promise<{ readonly outcome: T; readonly orders: number }> {
    let isDone = false
    const end = (): void => {
      isDone = true
    }
    other.then(end, end)
    let orders = 0
    do {
      await this.#comeAndGo(times)
      orders += 1
    } while (!isDone)
    return { outcome: await other, orders }
  }

  close(): void {
    this.#line.close()
  }

  async #comeAndGo(times: TradeTimes): Promise<void> {
    const { action, undo } = allowedOrder()
    times.orders.push(await this.#timed(this.#bot.sign(action), '"resting"'))
    if (undo !== null) times.cancels.push(await this.#timed(this.#bot.sign(undo), '"success"'))
  }

  async #timed(body: string, wanted: string): Promise<number> {
    await new Promise((resolve) => setTimeout(resolve, everyMs))
    const begun = performance.now()
    const answer = await this.#line.post('/exchange', body)
    const took = performance.now() - begun
    if (!answer.includes(wanted)) throw unexpected('an honest request amid hostile ones', answer)
    return took
  }
}
