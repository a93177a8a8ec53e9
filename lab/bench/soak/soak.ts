import { join } from 'node:path'
import { utcDay } from '../../../src/core/values/millis.ts'
import type { Millis } from '../../../src/core/values/millis.ts'
import type { Counts } from '../counts.ts'
import { HttpLine } from '../httpLine.ts'
import { times, whole } from '../report.ts'
import type { PartReport } from '../report.ts'
import type { BareSetup } from '../roles/bareRole.ts'
import type { Role } from '../roles/role.ts'
import type { BenchAccount, BenchWorld } from '../world.ts'
import { HonestBot, noTimes, refusedCount } from './honestBot.ts'
import type { TradeTimes } from './honestBot.ts'
import type { Tally } from './hostileCrowd.ts'
import { allowedBytes, filesBytes, recordBytes } from './recordBytes.ts'
import { mebibytes, requestsToTell, slowerAtP99, soakReport } from './soakReport.ts'
import type { Sample, Soaked } from './soakReport.ts'
import { Situation } from './situation.ts'

/** Hostile requests of one turn at most, so that honest orders alone and amid take turns often. */
const turnMax = 40_000
const turnsMin = 20
/** How often memory is looked at, in a long run and in a short one. */
const samplesWanted = { long: 40, short: 20 }
/** Honest orders alone behind each turn, at most. */
const aloneMax = 25
/** Orders before those that count: code that has not run yet is slower than it will be. */
const warmUpOrders = 200

/** Of the hostile requests that Guard gets, the bare server beside it gets so many in a turn of its own. */
const besideShare = 0.25
const besideMax = 2_500

/**
 * Hostile requests of every kind for as long as it takes, in turns with honest orders alone and with
 * the same hostile requests to a bare server beside. Honest orders go on meanwhile, at both: what the
 * bare server's become slower by is the machine's part. What all that costs them, and what Guard
 * holds in memory and on disk.
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
  const bare = await startBare(world, other)
  const hostile = await startHostile(world, guard, of)
  const hostileBeside = await startHostile(world, bare, other)
  const honest = new HonestBot(of.bots[0], await HttpLine.open(guard.url))
  const atBare = new HonestBot(other.bots[0], await HttpLine.open(bare.url))
  const diskStart = filesBytes(home)
  const { now: residentStart } = await residentOf(guard)
  const warmUp = Math.min(warmUpOrders, counts.soakRequests / 100)
  await Promise.all([honest.trade(warmUp, noTimes()), atBare.trade(warmUp, noTimes())])
  await guard.ask('watch_loop')
  const parts = { guard, hostile, hostileBeside, honest, atBare }
  const soaked = await takeTurns(parts, counts, progress)
  honest.close()
  atBare.close()
  await Promise.all([hostile.stop(), hostileBeside.stop(), bare.stop()])
  const { now: residentEnd, peak } = await residentOf(guard)
  await guard.stop()
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

async function startHostile(world: BenchWorld, target: Role, of: BenchAccount): Promise<Role> {
  const clientKey = of.bots[1].text
  return await world.startRole('hostile', { guardUrl: target.url, clientKey })
}

/** Checks who signed, writes a kilobyte and sends it on: what any server could do no quicker. */
async function startBare(world: BenchWorld, { wallet, bots }: BenchAccount): Promise<Role> {
  const setup = {
    home: world.newHome(),
    venueUrl: world.venue.url,
    walletKey: wallet.text,
    client: bots[0].address,
  } satisfies BareSetup
  return await world.startRole('bare', setup)
}

interface Parts {
  readonly guard: Role
  readonly hostile: Role
  readonly hostileBeside: Role
  readonly honest: HonestBot
  /** The same bot, which places its orders at the bare server instead of Guard. */
  readonly atBare: HonestBot
}

async function takeTurns(
  { guard, hostile, hostileBeside, honest, atBare }: Parts,
  { soakRequests: requests, soakPerSecond: perSecond }: Counts,
  progress: (text: string) => void,
): Promise<Soaked> {
  const perTurn = Math.min(turnMax, Math.ceil(requests / turnsMin))
  const beside = Math.ceil(Math.min(besideMax, perTurn * besideShare))
  const [alone, amid] = [new Situation(), new Situation()]
  const bare = { alone: noTimes(), amid: noTimes() }
  const tally: Tally = { sent: {}, shed: 0, cutOff: 0, breaches: [] }
  const samples: Sample[] = []
  const begun = performance.now()
  const wanted = requests < requestsToTell ? samplesWanted.short : samplesWanted.long
  let [sent, hostileSent, hostileMs] = [0, 0, 0]
  while (sent < requests) {
    const attackBegun = performance.now()
    const { outcome, orders } = await amid.turn(guard, (times) =>
      honest.tradeDuring(hostile.ask('attack', { requests: perTurn, perSecond }), times),
    )
    const attackMs = performance.now() - attackBegun
    const attacked = add(tally, outcome as unknown as Tally)
    hostileMs += attackMs
    hostileSent += attacked
    // The bare server gets them at the pace at which Guard took them, or it would have a heavier load.
    const atSamePace = { requests: beside, perSecond: (attacked / attackMs) * 1_000 }
    await atBare.tradeDuring(hostileBeside.ask('attack', atSamePace), bare.amid)
    const few = Math.min(aloneMax, orders)
    await alone.turn(guard, (times) => honest.trade(few, times))
    await atBare.trade(few, bare.alone)
    sent = hostileSent + honestCount([alone.times, amid.times])
    // Only so often, since asking for what is held has everything collected that nobody holds.
    if (sent < ((samples.length + 1) * requests) / wanted) continue
    const { now } = await residentOf(guard)
    const held = Number(await guard.ask('heap'))
    samples.push({ requests: sent, resident: now, held })
    const slower = (slow: TradeTimes, quick: TradeTimes): string => times(slowerAtP99(slow, quick))
    const left = Math.max(0, requests / sent - 1)
    const minutesLeft = ((performance.now() - begun) * left) / 60_000
    progress(
      `  ${whole(sent)} of ${whole(requests)} requests, about ${minutesLeft.toFixed(0)} min left, ` +
        `${whole((hostileSent / hostileMs) * 1_000)} hostile ones a second, ` +
        `${mebibytes(now)} resident, ${mebibytes(held)} held, honest p99 ` +
        `${slower(amid.times, alone.times)} that alone, ` +
        `of the bare server ${slower(bare.amid, bare.alone)}`,
    )
  }
  const hostileSeconds = hostileMs / 1_000
  return {
    ...{ wanted: requests, sent, hostileSent, hostileSeconds, perSecond },
    ...{ alone, amid, bare, tally, samples },
  }
}

function honestCount(all: readonly TradeTimes[]): number {
  return all.reduce(
    (sum, times) => sum + times.orders.length + times.cancels.length + refusedCount(times),
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
