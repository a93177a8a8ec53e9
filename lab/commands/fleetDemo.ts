import type { Command } from 'commander'
import { failedAsTold } from '../../src/cli/cliError.ts'
import { teach, withJson, withUnused } from '../../src/cli/commonOptions.ts'
import { endSignal } from '../../src/cli/endSignal.ts'
import { fleetDemoText } from '../../src/cli/laboratory.ts'
import { countOption } from '../../src/cli/readOption.ts'
import { paint } from '../../src/cli/terminal.ts'
import type { Terminal } from '../../src/cli/terminal.ts'
import type { FleetAdmin } from '../../src/fleet/fleetProgram.ts'
import { createLog } from '../../src/system/streamLog.ts'
import { systemClock } from '../../src/system/systemClock.ts'
import type { DemoBot } from '../demo/demoBot.ts'
import { openFleetWorld } from '../demo/fleetWorld.ts'
import type { DemoMember, FleetWorld } from '../demo/fleetWorld.ts'
import { pause } from '../demo/pause.ts'

interface FleetDemoFlags {
  readonly port: number
  readonly seed: number
  readonly kill: boolean
  readonly once?: boolean
  readonly json?: boolean
}

type MemberStates = Awaited<ReturnType<FleetAdmin['members']>>

/** A trade of each bot that often, and so long until the kill over all of them. */
const tradeEveryMs = 2_500
const killAfterMs = 20_000
const flatMs = 30_000
const lookEveryMs = 200

export function fleetDemoCommand(fleet: Command, terminal: Terminal): void {
  const command = fleet
    .command('demo')
    .description(fleetDemoText)
    .addOption(countOption('--port <port>', 'the fleet page’s port', 0, 65_535).default(8_600))
    .addOption(countOption('--seed <n>', 'the simulator’s seed', 0).default(1))
    .option('--no-kill', 'raise no kill: you do it')
    .option('--once', 'trade, kill over all of it, say who is flat, and end')
    .action(async (flags: FleetDemoFlags) => {
      await fleetDemo(flags, terminal)
    })
  teach(
    withUnused(withJson(command), '--home <dir>'),
    ['guard fleet demo', 'guard fleet demo --no-kill', 'guard fleet demo --once'],
    'docs/fleet.md says how to set up a fleet of your own',
  )
}

async function fleetDemo(flags: FleetDemoFlags, terminal: Terminal): Promise<void> {
  const end = endSignal()
  const ended = new AbortController()
  void end.first.then(() => {
    ended.abort()
  })
  const say = sayer(flags, terminal)
  const log = createLog({
    ...{ format: 'pretty', least: 'warn', clock: systemClock, defer: setImmediate },
    // At their end Guards warn of what they leave at the venue: this venue ends with them.
    write: (text) => {
      if (!ended.signal.aborted && flags.json !== true) terminal.err(text)
    },
  })
  say({ starting: true }, 'Starting PostgreSQL, a simulator, three Guards and the watcher ...\n')
  const onAlert = (text: string): void => {
    if (!ended.signal.aborted) say({ told: text }, `${text}\n`)
  }
  const world = await openFleetWorld({ ...flags, log, onAlert })
  let isFlat = true
  try {
    introduce(world, say)
    const stopTrading = await trade(world, ended.signal)
    const isOnce = flags.once === true
    if (isOnce) await untilAllHold(world, ended.signal)
    else if (flags.kill) await pause(killAfterMs, ended.signal)
    if ((isOnce || flags.kill) && !ended.signal.aborted) isFlat = await killAll(world, say)
    if (!isOnce) {
      if (!ended.signal.aborted) say({ waiting: true }, 'Press Ctrl-C to end it.\n')
      await pause(null, ended.signal)
    }
    stopTrading()
    ended.abort()
  } finally {
    ended.abort()
    say({ ending: true }, '\nEnding all of it.\n')
    await world.close()
    end.release()
  }
  if (!isFlat) throw failedAsTold('not every Guard is latched and flat')
}

type Say = (document: object, text: string) => void

/** For a person, or one line of JSON for each thing. */
function sayer({ json }: FleetDemoFlags, terminal: Terminal): Say {
  return (document, text) => {
    terminal.out(json === true ? `${JSON.stringify(document)}\n` : text)
  }
}

function introduce(world: FleetWorld, say: Say): void {
  const { watchUrl, simUrl, members, ownerUrlFile, store } = world
  const guards = members.map(({ name, account, guard }) => ({
    ...{ name, account, url: guard.gateway.url },
  }))
  const kill = `guard fleet kill --url-file ${ownerUrlFile} --scope fleet --reason "drill" --wait 30s`
  const verify = `guard fleet verify --url-file ${ownerUrlFile}`
  say(
    {
      fleet_demo: {
        ...{ url: watchUrl, sim_url: simUrl, store: store.place },
        ...{ url_file: ownerUrlFile, guards },
      },
    },
    [
      paint('bold', 'Guard fleet demo'),
      `  fleet page   ${paint('cyan', watchUrl)}`,
      ...guards.map(({ name, url }) => `  ${name.padEnd(11)}  ${url}`),
      `  simulator    ${simUrl} (control is open)`,
      `  store        ${store.place}`,
      '  to try       ' + kill,
      `               ${verify}`,
      `  ${paint('gray', 'Ctrl-C ends it and leaves nothing behind.')}`,
      '',
      '',
    ].join('\n'),
  )
}

/** Each bot buys a little, again and again; what is beyond the rules its Guard refuses. */
async function trade(world: FleetWorld, signal: AbortSignal): Promise<() => void> {
  // Loaded only here: a Guard that runs for real carries no bot.
  const { createDemoBot } = await import('../demo/demoBot.ts')
  const bots = world.members.map(({ guard, client }) =>
    createDemoBot(guard.gateway.url, client.text),
  )
  const turn = (): void => {
    if (signal.aborted) return
    for (const [index, bot] of bots.entries()) void order(bot, index)
  }
  turn()
  const timer = setInterval(turn, tradeEveryMs)
  const stop = (): void => {
    clearInterval(timer)
  }
  signal.addEventListener('abort', stop)
  return stop
}

function order(bot: DemoBot, index: number): Promise<string> {
  if (index === 0) return bot.marketBuy(0, '85000', '0.002')
  return index === 1 ? bot.marketBuy(1, '2510', '0.05') : bot.marketBuy(2, '140', '1')
}

async function untilAllHold({ members }: FleetWorld, signal: AbortSignal): Promise<void> {
  const holds = ({ guard }: DemoMember): boolean => guard.guard.status().positions.length > 0
  while (!signal.aborted && !members.every(holds)) await pause(lookEveryMs, signal)
}

/** Who is flat, each with how long it took; whether all are. */
async function killAll({ store }: FleetWorld, say: Say): Promise<boolean> {
  const reason = 'the demo’s own drill'
  const { epoch, notified } = await store.kill('fleet', reason)
  say(
    { kill: { scope: 'fleet', epoch, reason, notified } },
    `${paint('red', `Kill raised over all of it: epoch ${epoch}`)}\n`,
  )
  const endMs = performance.now() + flatMs
  let members: MemberStates = []
  let isFlat = false
  while (!isFlat && performance.now() < endMs) {
    members = await store.members('fleet', epoch)
    isFlat = members.every(({ state }) => state === 'flat')
    if (!isFlat) await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }
  for (const member of members) {
    const { name, state, latched_ms } = member
    const text = state === 'flat' ? paint('green', 'flat') : paint('red', state)
    say(
      { member: { name, state, latched_ms } },
      `  ${name}: latched in ${latched_ms ?? '?'} ms, ${text}\n`,
    )
  }
  return isFlat
}
