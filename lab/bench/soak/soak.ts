import { join } from 'node:path'
import { utcDay } from '../../../src/core/values/millis.ts'
import type { Millis } from '../../../src/core/values/millis.ts'
import type { Counts } from '../counts.ts'
import { HttpLine } from '../httpLine.ts'
import { spreadOf } from '../quantiles.ts'
import { whole } from '../report.ts'
import type { PartReport } from '../report.ts'
import type { Role } from '../roles/role.ts'
import type { BenchAccount, BenchWorld } from '../world.ts'
import { HonestBot, noTimes, refusedCount } from './honestBot.ts'
import type { Tally } from './hostileCrowd.ts'
import { allowedBytes, filesBytes, recordBytes } from './recordBytes.ts'
import { mebibytes, soakReport } from './soakReport.ts'
import type { Sample, Soaked } from './soakReport.ts'
import { Situation } from './situation.ts'

/** Hostile requests of one turn at most, so that honest orders alone and amid take turns often. */
const turnMax = 20_000
const samplesWanted = 20
/** Honest orders alone behind each turn, at most. */
const aloneMax = 40
/** Orders before those that count: code that has not run yet is slower than it will be. */
const warmUpOrders = 200

/** Of the hostile requests that Guard gets, another Guard beside it gets so many in a turn of their own. */
const besideShare = 0.25

/**
 * Hostile requests of every kind for as long as it takes, in turns with honest orders alone and with
 * the same hostile requests to another Guard beside: that one takes the same of the machine, so that
 * what is more than it is Guard's own. Honest orders go on meanwhile. What all that costs them, and
 * what Guard holds in memory and on disk.
 */
export async function measureSoak(
  world: BenchWorld,
  counts: Counts,
  progress: (text: string) => void,
): Promise<PartReport> {
  const [of, other] = world.accounts
  if (of === undefined || other === undefined) throw new Error('too few accounts')
  const home = world.newHome()
  const begunAt = Date.now()
  const guard = await world.startGuard(of, { home })
  const besides = await world.startGuard(other)
  const hostile = await startHostile(world, guard, of)
  const hostileBeside = await startHostile(world, besides, other)
  const honest = new HonestBot(of.bots[0], await HttpLine.open(guard.url))
  const diskStart = filesBytes(home)
  const { now: residentStart } = await residentOf(guard)
  await honest.trade(Math.min(warmUpOrders, counts.soakRequests / 100), noTimes())
  await guard.ask('watch_loop')
  const soaked = await takeTurns({ guard, hostile, hostileBeside, honest }, counts, progress)
  honest.close()
  await Promise.all([hostile.stop(), hostileBeside.stop()])
  const { now: residentEnd, peak } = await residentOf(guard)
  await Promise.all([guard.stop(), besides.stop()])
  const days = daysTouched(begunAt, Date.now())
  const again = await world.startGuard(of, { home })
  const restarted = await residentOf(again)
  await again.stop()
  return soakReport(soaked, {
    startBytes: residentStart,
    peakBytes: peak,
    endBytes: residentEnd,
    restartedBytes: restarted.now,
    records: await recordBytes(join(home, 'state', 'journal')),
    grownBytes: filesBytes(home) - diskStart,
    allowedBytes: allowedBytes(days, of.bots.length),
  })
}

async function startHostile(world: BenchWorld, guard: Role, of: BenchAccount): Promise<Role> {
  const clientKey = of.bots[1].text
  return await world.startRole('hostile', { guardUrl: guard.url, clientKey })
}

interface Parts {
  readonly guard: Role
  readonly hostile: Role
  readonly hostileBeside: Role
  readonly honest: HonestBot
}

async function takeTurns(
  { guard, hostile, hostileBeside, honest }: Parts,
  { soakRequests: requests, soakPerSecond: perSecond }: Counts,
  progress: (text: string) => void,
): Promise<Soaked> {
  const perTurn = Math.min(turnMax, Math.ceil(requests / samplesWanted))
  const [alone, beside, amid] = [new Situation(), new Situation(), new Situation()]
  const tally: Tally = { sent: {}, shed: 0, cutOff: 0, breaches: [] }
  const samples: Sample[] = []
  let [sent, hostileSent, hostileSeconds] = [0, 0, 0]
  while (sent < requests) {
    const begun = performance.now()
    const { outcome, orders } = await amid.turn(guard, (times) =>
      honest.tradeDuring(hostile.ask('attack', { requests: perTurn, perSecond }), times),
    )
    hostileSeconds += (performance.now() - begun) / 1_000
    hostileSent += add(tally, outcome as unknown as Tally)
    const elsewhere = { requests: Math.ceil(perTurn * besideShare), perSecond }
    await beside.turn(guard, (times) =>
      honest.tradeDuring(hostileBeside.ask('attack', elsewhere), times),
    )
    await alone.turn(guard, (times) => honest.trade(Math.min(aloneMax, orders), times))
    sent = hostileSent + honestCount([alone, beside, amid])
    // Only so often, since asking for what is held has everything collected that nobody holds.
    if (sent < ((samples.length + 1) * requests) / samplesWanted) continue
    const { now } = await residentOf(guard)
    const held = Number(await guard.ask('heap'))
    samples.push({ requests: sent, resident: now, held })
    const slower = (than: Situation): string =>
      (spreadOf(amid.times.orders).p99 / spreadOf(than.times.orders).p99).toFixed(2)
    progress(
      `  ${whole(sent)} of ${whole(requests)} requests, ` +
        `${whole(hostileSent / hostileSeconds)} hostile ones a second, ${mebibytes(now)} resident, ` +
        `${mebibytes(held)} held, honest p99 ${slower(alone)} times that alone, ` +
        `${slower(beside)} times that beside`,
    )
  }
  return {
    ...{ wanted: requests, sent, hostileSent, hostileSeconds, perSecond },
    ...{ alone, beside, amid, tally, samples },
  }
}

function honestCount(situations: readonly Situation[]): number {
  return situations.reduce(
    (sum, { times }) => sum + times.orders.length + times.cancels.length + refusedCount(times),
    0,
  )
}

async function residentOf(guard: Role): Promise<{ readonly now: number; readonly peak: number }> {
  return (await guard.ask('resident')) as { readonly now: number; readonly peak: number }
}

/** Adds up what became of the attacks; tells how many requests the latest one sent. */
function add(tally: Tally, more: Tally): number {
  let count = 0
  for (const [kind, sent] of Object.entries(more.sent)) {
    tally.sent[kind] = (tally.sent[kind] ?? 0) + sent
    count += sent
  }
  tally.shed += more.shed
  tally.cutOff += more.cutOff
  tally.breaches.push(...more.breaches)
  return count + more.cutOff
}

/** Each UTC day has an allowance of its own. */
function daysTouched(from: number, to: number): number {
  const days = new Set<string>()
  for (let at = from; at < to; at += 3_600_000) days.add(utcDay(at as Millis))
  days.add(utcDay(to as Millis))
  return days.size
}
