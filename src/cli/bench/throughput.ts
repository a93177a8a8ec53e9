import type { Bot } from './bot.ts'
import { HttpLine } from './httpLine.ts'
import { passingOrder } from './orders.ts'
import { spreadOf } from './quantiles.ts'
import type { Spread } from './quantiles.ts'

export interface Sustained {
  readonly inFlight: number
  readonly orders: number
  readonly ordersPerSecond: number
  readonly ms: Spread
}

/** Keeps so many orders of two bots in flight until all are answered; each answer is durable. */
export async function sustain(
  url: string,
  bots: readonly Bot[],
  inFlight: number,
  orders: number,
): Promise<Sustained> {
  const lines = await Promise.all(Array.from({ length: inFlight }, () => HttpLine.open(url)))
  const perBot = Math.ceil(orders / bots.length)
  const signed = bots.map((bot) => bot.signAll(Array.from({ length: perBot }, passingOrder)))
  const bodies = Array.from({ length: perBot }, (_, n) =>
    signed.flatMap((own) => own.slice(n, n + 1)),
  ).flat()
  const times: number[] = []
  let next = 0
  const begun = performance.now()
  await Promise.all(
    lines.map(async (line) => {
      for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) {
        const sent = performance.now()
        const reply = await line.post('/exchange', body)
        times.push(performance.now() - sent)
        if (!reply.includes('could not immediately match')) {
          throw new Error(`an order of the benchmark was answered with ${reply}`)
        }
      }
    }),
  )
  const seconds = (performance.now() - begun) / 1_000
  for (const line of lines) line.close()
  return {
    inFlight,
    orders: times.length,
    ordersPerSecond: times.length / seconds,
    ms: spreadOf(times),
  }
}
