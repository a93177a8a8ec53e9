import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import type { GuardEvent } from '../../src/core/events/guardEvent.ts'
import { createLog } from '../../src/system/streamLog.ts'
import { systemClock } from '../../src/system/systemClock.ts'
import { teach, withJson, withUnused } from '../../src/cli/commonOptions.ts'
import { labCommandTexts } from '../../src/cli/laboratory.ts'
import { pause } from '../demo/pause.ts'
import { openDemoWorld } from '../demo/demoWorld.ts'
import type { DemoWorld } from '../demo/demoWorld.ts'
import { storyOf } from '../demo/story.ts'
import { endSignal } from '../../src/cli/endSignal.ts'
import { eventLine } from '../../src/cli/eventLine.ts'
import { countOption } from '../../src/cli/readOption.ts'
import { paint } from '../../src/cli/terminal.ts'
import type { Terminal } from '../../src/cli/terminal.ts'

interface DemoFlags {
  readonly port: number
  readonly simPort: number
  readonly bot: boolean
  readonly seed: number
  readonly speed: number
  readonly json?: boolean
}

const sceneMs = 3_500
const beforeFirstMs = 2_000

export function demoCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('demo')
    .description(labCommandTexts.demo)
    .addOption(countOption('--port <port>', 'Guard’s port', 0, 65_535).default(8_547))
    .addOption(countOption('--sim-port <port>', 'the simulator’s port', 0, 65_535).default(3_001))
    .option('--no-bot', 'without the sample bot: connect your own')
    .addOption(countOption('--seed <n>', 'the simulator’s seed', 0).default(1))
    .addOption(
      new Option('--speed <x>', 'how fast the story goes, 0.1 to 100')
        .default(1)
        .argParser(readSpeed),
    )
    .action(async (flags: DemoFlags) => {
      await demo(flags, terminal)
    })
  teach(
    withUnused(withJson(command), '--home <dir>'),
    ['guard demo', 'guard demo --speed 5', 'guard demo --no-bot --port 9547'],
    'guard init sets up a Guard of your own',
  )
}

function readSpeed(value: string): number {
  const speed = /^\d{1,3}(\.\d{1,3})?$/.test(value) ? Number(value) : NaN
  if (!(speed >= 0.1 && speed <= 100)) throw new InvalidArgumentError('It must be from 0.1 to 100.')
  return speed
}

async function demo(flags: DemoFlags, terminal: Terminal): Promise<void> {
  const ended = new AbortController()
  const end = endSignal()
  end.first.then(
    () => {
      ended.abort()
    },
    () => undefined,
  )
  const log = createLog({
    format: 'pretty',
    least: 'warn',
    clock: systemClock,
    // At its end Guard warns of what it leaves at the venue: this venue ends with it.
    write: (text) => {
      if (!ended.signal.aborted) terminal.err(text)
    },
    defer: setImmediate,
  })
  const world = await openDemoWorld({ ...flags, log })
  try {
    const teller = flags.json === true ? jsonTeller(terminal) : textTeller(terminal)
    teller.begin(world, flags)
    for (const event of world.guard.reader.since(0)) teller.event(event)
    world.guard.reader.subscribe(teller.event)
    if (flags.bot) await tellStory(world, flags, teller, ended.signal)
    await pause(null, ended.signal)
    teller.end()
  } finally {
    await world.close()
    end.release()
  }
}

/** How the story is told: to a person, or as one line of JSON for each thing that happens. */
interface Teller {
  begin(world: DemoWorld, flags: DemoFlags): void
  event(this: void, event: GuardEvent): void
  scene(number: number, title: string): void
  told(text: string): void
  over(url: string): void
  end(): void
}

function jsonTeller(terminal: Terminal): Teller {
  const line = (value: unknown): void => {
    terminal.out(`${JSON.stringify(value)}\n`)
  }
  return {
    begin: ({ guard, simulator, account, clientKeyFile }) => {
      const { url } = guard.gateway
      line({ demo: { url, sim_url: simulator.url, account, client_key_file: clientKeyFile } })
    },
    event: (event) => {
      line({ event })
    },
    scene: (number, title) => {
      line({ scene: { number, title } })
    },
    told: (text) => {
      line({ told: text })
    },
    over: () => {
      line({ over: true })
    },
    end: () => undefined,
  }
}

function textTeller(terminal: Terminal): Teller {
  return {
    begin: (world, flags) => {
      introduce(world, flags, terminal)
    },
    event: (event) => {
      terminal.out(`${eventLine(event)}\n`)
    },
    scene: (number, title) => {
      terminal.out(`\n${paint('bold', `${number}. ${title}`)}\n`)
    },
    told: (text) => {
      terminal.out(paint('gray', `       the bot is told: ${text}\n`))
    },
    over: (url) => {
      terminal.out(
        `\n${paint('bold', 'That was the story.')} Guard goes on; look at ${paint('cyan', url)}, or press Ctrl-C.\n`,
      )
    },
    end: () => {
      terminal.out('\nStopping Guard and the simulator.\n')
    },
  }
}

function introduce(world: DemoWorld, flags: DemoFlags, terminal: Terminal): void {
  terminal.out(
    [
      paint('bold', 'Guard demo'),
      `  monitor page   ${paint('cyan', world.guard.gateway.url)}`,
      `  simulator      ${world.simulator.url} (control is open)`,
      `  account        ${world.account}, 10,000 USD of play money`,
      '  rules          defaults, but daily loss stop 3%, and only BTC, ETH and SOL',
      ...(flags.bot
        ? []
        : [
            `  your bot       venue ${world.guard.gateway.url}, key in ${world.clientKeyFile}`,
            `  your agent     guard mcp --trade --url ${world.guard.gateway.url} --client-key-file ${world.clientKeyFile}`,
          ]),
      `  ${paint('gray', 'Ctrl-C ends it and leaves nothing behind.')}`,
      '',
    ].join('\n'),
  )
}

async function tellStory(
  world: DemoWorld,
  flags: DemoFlags,
  teller: Teller,
  signal: AbortSignal,
): Promise<void> {
  // Loaded only here: a Guard that runs for real carries no bot.
  const { createDemoBot } = await import('../demo/demoBot.ts')
  const wait = (ms: number): Promise<void> => pause(ms / flags.speed, signal)
  const bot = createDemoBot(world.guard.gateway.url, world.client.text)
  const scenes = storyOf({ bot, control: world.control, account: world.account, wait })
  await wait(beforeFirstMs)
  for (const [index, scene] of scenes.entries()) {
    if (signal.aborted) return
    teller.scene(index + 1, scene.title)
    const told = await scene.play()
    if (told !== null) teller.told(told)
    await wait(sceneMs)
  }
  teller.over(world.guard.gateway.url)
}
