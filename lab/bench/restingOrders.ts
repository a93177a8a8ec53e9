import type { Bot } from './bot.ts'
import { comeAndGo, place } from './comeAndGo.ts'
import type { OrderWay } from './comeAndGo.ts'
import type { Counts } from './counts.ts'
import { followAccounts } from './followAccounts.ts'
import { HttpLine } from './httpLine.ts'
import { medianOf } from './quantiles.ts'
import { ms } from './report.ts'
import type { PartReport } from './report.ts'
import { rest, restMs } from './rest.ts'
import type { Role } from './roles/role.ts'
import type { BenchWorld } from './world.ts'

/** Orders of one account to the venue, each taken away again, beside others that stay. */
interface Way extends OrderWay {
  /** How long orders took at this number of open ones. */
  rested: number[]
  looped: number[]
}

/**
 * With every change the venue tells all open orders. What that costs the next order, and Guard,
 * with few and with many of them.
 */
export async function measureResting(world: BenchWorld, counts: Counts): Promise<PartReport> {
  const [outside, live] = world.accounts
  if (!outside || !live) throw new Error('too few accounts')
  const guard = await world.startGuard(live)
  const direct = await openWay(outside.wallet, world.venue.url)
  const guarded = await openWay(live.bots[0], guard.url)
  const ways = [direct, guarded]
  const listener = await followAccounts(world, [outside])
  for (let n = 0; n < counts.restingWarmUp; n += 1) for (const way of ways) await comeAndGo(way)
  const rows: string[][] = []
  let open = 0
  for (const wanted of counts.restingOrders) {
    // Each entry rests with its stop: two orders.
    for (; open < wanted; open += 2) for (const way of ways) await place(way)
    const cpuMicros = await measureAt(ways, guard, counts)
    rows.push([String(open), ...timesOf(direct, guarded), `${Math.round(cpuMicros)} us`])
  }
  for (const { line } of ways) line.close()
  await listener.stop()
  return restingReport(rows)
}

async function openWay(bot: Bot, url: string): Promise<Way> {
  return { bot, line: await HttpLine.open(url), rested: [], looped: [] }
}

/** Both ways in turns; answers what an order and its cancel take of Guard's processor time. */
async function measureAt(ways: readonly Way[], guard: Role, counts: Counts): Promise<number> {
  for (const way of ways) Object.assign(way, { rested: [], looped: [] })
  const before = Number(await guard.ask('cpu'))
  for (let round = 0; round < counts.restingRounds; round += 1) {
    for (const way of ways) {
      for (let n = 0; n < counts.latencyPerRound; n += 1) {
        await rest()
        way.rested.push(await comeAndGo(way))
      }
      for (let n = 0; n < counts.latencyPerRound; n += 1) way.looped.push(await comeAndGo(way))
    }
  }
  const orders = counts.restingRounds * counts.latencyPerRound * 2
  return (Number(await guard.ask('cpu')) - before) / orders
}

function timesOf(direct: Way, guarded: Way): string[] {
  return (['rested', 'looped'] as const).flatMap((how) => {
    const [without, through] = [medianOf(direct[how]), medianOf(guarded[how])]
    return [ms(without), ms(through), ms(through - without)]
  })
}

function restingReport(rows: readonly (readonly string[])[]): PartReport {
  return {
    name: 'resting',
    title: 'Orders beside others that rest',
    notes: [
      'With every change of one order the venue tells all of them. An order with its stop, at p50, ' +
        `${restMs} ms after the cancel of the one before and right behind it; then what an order and its ` +
        'cancel take of Guard’s processor time, all that the venue tells of them included. Without ' +
        'Guard a process listens to the account too, as a bot would: the venue then does the same for ' +
        'both.',
    ],
    tables: [
      {
        title: '',
        columns: [
          ...['open orders', 'direct', 'Guard', 'added'],
          ...['direct, at once', 'Guard, at once', 'added, at once', 'Guard CPU'],
        ],
        rows,
      },
    ],
    bars: [],
    figures: rows.map((row) => [...row]),
  }
}
