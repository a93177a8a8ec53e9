import { join } from 'node:path'
import { utcDay } from '../../../src/core/values/millis.ts'
import type { Millis } from '../../../src/core/values/millis.ts'
import type { Counts } from '../counts.ts'
import { HttpLine } from '../httpLine.ts'
import { spreadOf } from '../quantiles.ts'
import { whole } from '../report.ts'
import type { PartReport } from '../report.ts'
import type { Role } from '../roles/role.ts'
import type { BenchWorld } from '../world.ts'
import { HonestBot, noTimes } from './honestBot.ts'
import type { Tally } from './hostileCrowd.ts'
import { allowedBytes, filesBytes, recordBytes } from './recordBytes.ts'
import { mebibytes, soakReport } from './soakReport.ts'
import type { Sample, Soaked } from './soakReport.ts'

/** Hostile requests of one turn at most, so that honest orders alone and amid take turns often. */
const turnMax = 20_000
const samplesWanted = 20
/** Honest orders alone behind each turn, at most. */
const aloneMax = 40
/** Orders before those that count: code that has not run yet is slower than it will be. */
const warmUpOrders = 200

/**
 * Hostile requests of every kind for as long as it takes, in turns with honest orders alone; honest
 * orders go on meanwhile. What that costs them, and what Guard holds in memory and on disk.
 */
export async function measureSoak(
  world: BenchWorld,
  counts: Counts,
  progress: (text: string) => void,
): Promise<PartReport> {
  const [of] = world.accounts
  if (of === undefined) throw new Error('no account')
  const home = world.newHome()
  const begunAt = Date.now()
  const guard = await world.startGuard(of, { home })
  const clientKey = of.bots[1].text
  const hostile = await world.startRole('hostile', { guardUrl: guard.url, clientKey })
  const honest = new HonestBot(of.bots[0], await HttpLine.open(guard.url))
  await honest.trade(Math.min(warmUpOrders, counts.soakRequests / 100), noTimes())
  const soaked = await takeTurns(guard, hostile, honest, counts.soakRequests, progress)
  honest.close()
  await hostile.stop()
  const { peak } = await residentOf(guard)
  await guard.stop()
  const days = daysTouched(begunAt, Date.now())
  const again = await world.startGuard(of, { home })
  const restarted = await residentOf(again)
  await again.stop()
  return soakReport(soaked, {
    peakBytes: peak,
    restartedBytes: restarted.now,
    records: await recordBytes(join(home, 'state', 'journal')),
    filesBytes: filesBytes(home),
    allowedBytes: allowedBytes(days, of.bots.length),
  })
}

async function takeTurns(
  guard: Role,
  hostile: Role,
  honest: HonestBot,
  requests: number,
  progress: (text: string) => void,
): Promise<Soaked> {
  const perTurn = Math.min(turnMax, Math.ceil(requests / samplesWanted))
  const [alone, amid] = [noTimes(), noTimes()]
  const tally: Tally = { sent: {}, shed: 0, cutOff: 0, breaches: [] }
  const samples: Sample[] = []
  let [sent, hostileSent, hostileSeconds] = [0, 0, 0]
  while (sent < requests) {
    const begun = performance.now()
    const attacked = hostile.ask('attack', perTurn)
    const { outcome, orders } = await honest.tradeDuring(attacked, amid)
    hostileSeconds += (performance.now() - begun) / 1_000
    hostileSent += add(tally, outcome as unknown as Tally)
    await honest.trade(Math.min(aloneMax, orders), alone)
    await guard.ask('stages')
    sent = hostileSent + 2 * (alone.orders.length + amid.orders.length)
    // Only so often, since asking for what is held has everything collected that nobody holds.
    if (sent < ((samples.length + 1) * requests) / samplesWanted) continue
    const { now } = await residentOf(guard)
    const held = Number(await guard.ask('heap'))
    samples.push({ requests: sent, resident: now, held })
    const ratio = spreadOf(amid.orders).p99 / spreadOf(alone.orders).p99
    progress(
      `  ${whole(sent)} of ${whole(requests)} requests, ` +
        `${whole(hostileSent / hostileSeconds)} hostile ones a second, ${mebibytes(now)} resident, ` +
        `${mebibytes(held)} held, honest p99 ${ratio.toFixed(2)} times that alone`,
    )
  }
  return { wanted: requests, sent, hostileSent, hostileSeconds, alone, amid, tally, samples }
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
