import type { ReasonCode } from '../../../src/core/judge/codes.ts'
import type { Bot } from '../bot.ts'
import type { HttpLine } from '../httpLine.ts'
import { allowedOrder } from '../orders.ts'

/** What became of honest requests: how long each took that was taken, in milliseconds, and why others were not. */
export interface TradeTimes {
  readonly orders: number[]
  readonly cancels: number[]
  /** How many were refused, by Guard's code or what else the answer was. */
  readonly refused: { [code: string]: number }
}

export const noTimes = (): TradeTimes => ({ orders: [], cancels: [], refused: {} })

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
    const placed = await this.#timed(this.#bot.sign(action), '"resting"', times)
    if (placed === null) return
    times.orders.push(placed)
    if (undo === null) return
    const taken = await this.#timed(this.#bot.sign(undo), '"success"', times)
    if (taken !== null) times.cancels.push(taken)
  }

  /** How long it took; null when it was refused, which is counted. */
  async #timed(body: string, wanted: string, times: TradeTimes): Promise<number | null> {
    await new Promise((resolve) => setTimeout(resolve, everyMs))
    const begun = performance.now()
    const answer = await this.#line.post('/exchange', body).catch(() => null)
    const took = performance.now() - begun
    if (answer?.includes(wanted) === true) return took
    const why = answer === null ? 'no answer' : refusalIn(answer, this.#line.status)
    times.refused[why] = (times.refused[why] ?? 0) + 1
    return null
  }
}

/** Guard's code where there is one; else the HTTP status, or how the venue's answer begins. */
export function refusalIn(answer: string, status: number): string {
  if (status !== 200) return `HTTP ${status}`
  const code = /"code":"([a-z_]+)"/.exec(answer)?.[1]
  if (code !== undefined && code !== 'allowed') return code
  const error = /"error":"([^"]{1,60})/.exec(answer)?.[1]
  return `the venue: ${error ?? answer.slice(0, 60)}`
}

/**
 * What no client can cause and no honest bot can help: the disk stood still, or the machine was so
 * busy that prices and account came too late. Guard then has to refuse what opens.
 */
const machineTrouble: ReadonlySet<string> = new Set<ReasonCode>([
  'journal',
  'no_price',
  'account_stale',
])

/** How many honest requests were refused for whatever reason. */
export function refusedCount({ refused }: Pick<TradeTimes, 'refused'>): number {
  return Object.values(refused).reduce((sum, count) => sum + count, 0)
}

/** How many honest requests were refused although nothing but hostile requests had happened. */
export function unexplained({ refused }: Pick<TradeTimes, 'refused'>): number {
  return Object.entries(refused).reduce(
    (sum, [code, count]) => sum + (machineTrouble.has(code) ? 0 : count),
    0,
  )
}
