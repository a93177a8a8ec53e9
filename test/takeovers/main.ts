import { until } from '../../src/fleet/fleet.fixture.ts'
import { TwoHosts } from './twoHosts.ts'
import type { HomeName, Running } from './twoHosts.ts'

interface Wishes {
  readonly count: number
  readonly seed: number
  /** Wait the lease out instead of moving the store's time. */
  readonly real: boolean
  /** Begin no further one after so many seconds. */
  readonly seconds: number
}

/** What one takeover came to. */
interface Outcome {
  /** From the kill until the standby has the right, and until it serves, by the store's time. */
  readonly actsMs: number
  readonly servesMs: number
  readonly isLatched: boolean
  readonly wrong: readonly string[]
}

/** How much of the lease is skipped: its rest and the seven seconds are 17 at most. */
const skippedS = 9
const boundMs = 20_000

/** Kills the Guard that acts, again and again, at moments that the seed draws; 0 where all went well. */
export async function takeovers({ count, seed, real, seconds }: Wishes): Promise<number> {
  const draw = drawing(seed)
  const hosts = await TwoHosts.open()
  const outcomes: Outcome[] = []
  let standing: Running | null = null
  try {
    let acting = await hosts.start('first')
    standing = await hosts.start('second', '--standby')
    await hosts.opens(acting)
    const endMs = performance.now() + seconds * 1_000
    for (let turn = 1; turn <= count && performance.now() < endMs; turn += 1) {
      await hosts.standsBy(standing)
      await hosts.handedOver()
      const outcome = await takenOver(hosts, acting, standing, draw, real)
      outcomes.push(outcome)
      tell(turn, outcome)
      const dead: HomeName = acting.home
      acting = standing
      standing = await hosts.start(dead, '--standby')
      if (outcome.isLatched) break
    }
    acting.run.signal('SIGKILL')
    await acting.run.ended
  } finally {
    standing?.run.signal('SIGKILL')
    await standing?.run.ended
    await hosts.close()
  }
  return summed(outcomes, seed)
}

async function takenOver(
  hosts: TwoHosts,
  acting: Running,
  standing: Running,
  draw: () => number,
  real: boolean,
): Promise<Outcome> {
  await trade(hosts, acting, draw)
  acting.run.signal('SIGKILL')
  const killedMs = performance.now()
  await acting.run.ended
  const isBare = draw() < 0.3
  if (isBare) await hosts.takeStops()
  const skippedMs = real ? 0 : skippedS * 1_000
  if (!real) await hosts.skip(`${skippedS} seconds`)
  await hosts.acts(standing)
  const actsMs = performance.now() - killedMs + skippedMs
  await until(() => hosts.isReady(standing))
  const servesMs = performance.now() - killedMs + skippedMs
  await hosts.opens(standing)
  const { kill, positions, fleet } = await hosts.statusOf(standing.url)
  const bare = positions.filter(({ covered }) => !covered).map(({ coin }) => coin)
  const twice = await hosts.sentTwice()
  await until(async () => (await hosts.statusOf(standing.url)).fleet?.outbox_lag === 0)
  const wrong = [
    ...(servesMs > boundMs ? [`served after ${Math.round(servesMs)} ms`] : []),
    ...bare.map((coin) => `${coin} is bare`),
    ...twice.map((name) => `sent twice: ${name}`),
    ...((await hosts.areNumbersOnce()) ? [] : ['a number of a journal is there twice, or forked']),
    ...(fleet?.writer?.held === true ? [] : ['it does not hold the right to act']),
  ]
  return { actsMs, servesMs, isLatched: kill.latched, wrong }
}

/** Entries and exits at once; the kill comes in the middle of them. */
async function trade(hosts: TwoHosts, acting: Running, draw: () => number): Promise<void> {
  const bot = hosts.botOf(acting)
  const requests = 1 + Math.floor(draw() * 4)
  for (let each = 0; each < requests; each += 1) {
    const isExit = draw() < 0.4
    const [p, s] = isExit ? ['2400', '0.04'] : ['2500', '0.02']
    const order = { a: 1, b: !isExit, p, s, r: isExit, t: { limit: { tif: 'Ioc' as const } } }
    bot.order({ orders: [order], grouping: 'na' }).catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, draw() * 20))
  }
  await new Promise((resolve) => setTimeout(resolve, draw() * 30))
}

function tell(turn: number, { actsMs, servesMs, isLatched, wrong }: Outcome): void {
  const times = `acts after ${(actsMs / 1_000).toFixed(1)} s, serves after ${(servesMs / 1_000).toFixed(1)} s`
  const how = `${isLatched ? ', latched' : ''}${wrong.length === 0 ? '' : `: ${wrong.join('; ')}`}`
  console.log(`takeover ${turn}: ${times}${how}`)
}

function summed(outcomes: readonly Outcome[], seed: number): number {
  const wrong = outcomes.filter((each) => each.wrong.length > 0 || each.isLatched)
  const slowest = Math.max(0, ...outcomes.map(({ servesMs }) => servesMs))
  console.log(
    `${outcomes.length} takeovers with seed ${seed}, each after kill -9 in the middle of requests: ${outcomes.length - wrong.length} well, ${wrong.length} not; the slowest served after ${(slowest / 1_000).toFixed(1)} s by the store's time. Checked each time: it serves within 20 s, is not latched, no nonce and no order id came to the venue twice, every position is covered (in three of ten its stops had been taken away), each number of a journal is in the store once and none forked`,
  )
  return wrong.length === 0 && outcomes.length > 0 ? 0 : 1
}

/** Numbers from 0 to 1 by a seed. */
function drawing(seed: number): () => number {
  let state = (seed + 0x9e37_79b9) >>> 0
  return () => {
    state = (state + 0x6d2b_79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
