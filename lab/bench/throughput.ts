import type { Json } from '../../src/core/protocol/action.ts'
import { startTraffic } from './traffic.ts'
import { failed } from '../../src/cli/cliError.ts'
import type { Bot } from './bot.ts'
import type { Counts } from './counts.ts'
import { HttpLine } from './httpLine.ts'
import { passingOrder } from './orders.ts'
import { spreadOf } from './quantiles.ts'
import type { Spread } from './quantiles.ts'
import { bar, ms, times, whole } from './report.ts'
import type { PartReport } from './report.ts'
import type { Role } from './roles/role.ts'
import { unexpected } from './unexpected.ts'
import type { BenchWorld } from './world.ts'

interface Sustained {
  readonly name: string
  readonly inFlight: number
  readonly ordersPerSecond: number
  readonly ms: Spread
  /** Orders that the venue refused because a hundred newer ones came before them; not counted. */
  readonly overtaken: number
  /** Microseconds of processor time for each order, by process. */
  readonly cpu: { readonly guard: number; readonly venue: number; readonly bots: number }
}

const levels = [1, 8, 32, 128]

/** Orders a second that are on disk, of two bots, while readers read and the account changes. */
export async function measureThroughput(world: BenchWorld, counts: Counts): Promise<PartReport> {
  const [live, wasm] = world.accounts
  if (!live || !wasm) throw new Error('too few accounts')
  const guards = [
    { name: 'usual curve', of: live, guard: await world.startGuard(live) },
    { name: 'WASM', of: wasm, guard: await world.startGuard(wasm, { curve: 'wasm' }) },
  ]
  const found: Sustained[] = []
  const [first] = guards
  if (first) await sustain(world, first.guard, first.of.bots, 8, counts.sustainedOrders, 'warm-up')
  for (const inFlight of levels) {
    for (const { name, of, guard } of guards) {
      const stop = await startTraffic(guard.url, world.control, of.account.address)
      try {
        // One order at a time says little about the most there can be: a quarter is enough.
        const orders = Math.ceil(counts.sustainedOrders / (inFlight === 1 ? 4 : 1))
        found.push(await sustain(world, guard, of.bots, inFlight, orders, name))
      } finally {
        stop()
      }
    }
  }
  const curve = String(await first?.guard.ask('curve'))
  for (const { guard } of guards) await guard.stop()
  return throughputReport(found, curve)
}

/** Signed so many at once: a nonce must not be too old when its order is sent. */
const segmentOrders = 1_000

/** A burst that opens connections costs a few; more would be orders that Guard loses. */
const overtakenShareMax = 0.01

/** Keeps so many orders in flight until all are answered; each answer is durable. */
export async function sustain(
  world: BenchWorld,
  guard: Role,
  bots: readonly Bot[],
  inFlight: number,
  orders: number,
  name: string,
): Promise<Sustained> {
  const lines = await Promise.all(Array.from({ length: inFlight }, () => HttpLine.open(guard.url)))
  const taken: number[] = []
  let overtaken = 0
  const cpu = { guard: 0, venue: 0, bots: 0 }
  let seconds = 0
  for (let left = orders; left > 0; left -= segmentOrders) {
    const bodies = signedOrders(bots, Math.min(left, segmentOrders))
    const before = await processorTimes(world, guard)
    const begun = performance.now()
    overtaken += await sendAll(lines, bodies, taken)
    seconds += (performance.now() - begun) / 1_000
    const after = await processorTimes(world, guard)
    for (const who of ['guard', 'venue', 'bots'] as const) cpu[who] += after[who] - before[who]
  }
  for (const line of lines) line.close()
  if (overtaken > orders * overtakenShareMax) {
    throw failed(`${overtaken} of ${orders} orders were overtaken by a hundred newer ones`)
  }
  const { length } = taken
  return {
    ...{ name, inFlight, ordersPerSecond: length / seconds, ms: spreadOf(taken), overtaken },
    cpu: { guard: cpu.guard / length, venue: cpu.venue / length, bots: cpu.bots / length },
  }
}

/** The bots take turns. */
function signedOrders(bots: readonly Bot[], orders: number): readonly string[] {
  const perBot = Math.ceil(orders / bots.length)
  const signed = bots.map((bot) => bot.signAll(Array.from({ length: perBot }, passingOrder)))
  return Array.from({ length: perBot }, (_, n) => signed.flatMap((own) => own[n] ?? [])).flat()
}

/** Tells how many were overtaken. */
async function sendAll(
  lines: readonly HttpLine[],
  bodies: readonly string[],
  taken: number[],
): Promise<number> {
  let next = 0
  let overtaken = 0
  await Promise.all(
    lines.map(async (line) => {
      for (let body = bodies[next++]; body !== undefined; body = bodies[next++]) {
        const sent = performance.now()
        const reply = await line.post('/exchange', body)
        if (reply.includes('could not immediately match')) taken.push(performance.now() - sent)
        else if (reply.includes('nonce too low')) overtaken += 1
        else throw unexpected('an order of the benchmark', reply)
      }
    }),
  )
  return overtaken
}

async function processorTimes(world: BenchWorld, guard: Role): Promise<Sustained['cpu']> {
  const { user, system } = process.cpuUsage()
  return {
    guard: Number(await guard.ask('cpu')),
    venue: Number(await world.venue.ask('cpu')),
    bots: user + system,
  }
}

function throughputReport(found: readonly Sustained[], curve: string): PartReport {
  const best = (name: string): number =>
    Math.max(...found.filter((each) => each.name === name).map((each) => each.ordersPerSecond))
  const eight = found.find(({ name, inFlight }) => name === 'usual curve' && inFlight === 8)
  const tail = eight === undefined ? NaN : eight.ms.p99 / eight.ms.p50
  const least = curve === 'native' ? 1_000 : 700
  return {
    name: 'throughput',
    title: 'Sustained orders a second',
    notes: [
      `Two bots; meanwhile eight SSE readers, status and /info polls, and a deposit ` +
        `every 100 ms. The usual curve here is ${curve}. The orders pass ` +
        'every rule, are on disk, signed and sent; the venue finds no match for them, so that no ' +
        'book grows. The processor times say what caps it: bots, Guard and the venue share the cores.',
      'Overtaken are orders that the venue refused because a hundred with higher nonces had come ' +
        'first; they do not count. Guard sends in order, but when a burst opens new connections, a ' +
        'busy venue answers on the old ones before it has accepted the new.',
    ],
    tables: [
      {
        title: '',
        columns: [
          ...['curve', 'in flight', 'orders/s', 'p50', 'p90', 'p99'],
          ...['overtaken', 'Guard CPU', 'venue CPU', 'bots CPU'],
        ],
        rows: found.map((each) => [
          ...[each.name, String(each.inFlight), whole(each.ordersPerSecond)],
          ...[each.ms.p50, each.ms.p90, each.ms.p99].map(ms),
          String(each.overtaken),
          ...[each.cpu.guard, each.cpu.venue, each.cpu.bots].map((us) => `${whole(us)} us`),
        ]),
      },
    ],
    bars: [
      bar(
        `durable orders a second, ${curve}`,
        `at least ${whole(least)}`,
        whole(best('usual curve')),
        best('usual curve') >= least,
      ),
      bar(
        'durable orders a second, WASM',
        'at least 700',
        whole(best('WASM')),
        best('WASM') >= 700,
      ),
      bar('p99 at 8 in flight', 'at most 10x p50', times(tail), tail <= 10),
    ],
    figures: found as unknown as Json,
  }
}
