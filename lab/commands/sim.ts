import { readFile } from 'node:fs/promises'
import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import type { Decimal } from '../../src/core/values/decimal.ts'
import { demoAddress } from '../sim/createSimulator.ts'
import { parseDexes } from '../sim/dexFile.ts'
import type { DexSpec } from '../sim/engine/venueConfig.ts'
import type { StartAccount } from '../sim/front/options.ts'
import { startSimulator } from '../sim/simulator.ts'
import type { Simulator } from '../sim/simulatorOptions.ts'
import { parseStartAccount } from '../sim/startAccount.ts'
import { readOption } from '../sim/optionBoard.ts'
import type { SimOptions } from '../sim/optionBoard.ts'
import { failed, refused } from '../../src/cli/cliError.ts'
import { teach, withUnused } from '../../src/cli/commonOptions.ts'
import { labCommandTexts } from '../../src/cli/laboratory.ts'
import { endSignal } from '../../src/cli/endSignal.ts'
import { countOption, decimalOption, readCount } from '../../src/cli/readOption.ts'
import { printJson } from '../../src/cli/terminal.ts'
import type { Terminal } from '../../src/cli/terminal.ts'

interface SimFlags {
  readonly port: number
  readonly seed: number
  readonly scenario?: string
  readonly weightLimit: number | 'none'
  readonly control?: boolean
  readonly network: 'testnet' | 'mainnet'
  readonly faucet?: Decimal
  readonly account?: readonly StartAccount[]
  readonly option?: Partial<SimOptions>
  readonly dexes?: string
  readonly json?: boolean
}

export function simCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('sim')
    .description(labCommandTexts.sim)
    .addOption(
      countOption('--port <port>', 'listen on this port of 127.0.0.1', 0, 65_535).default(3_001),
    )
    .addOption(
      countOption('--seed <n>', 'the same seed and requests give the same fills', 0).default(1),
    )
    .option('--scenario <name|file>', 'a price path: calm, trend, crash, gap, thin, or a file')
    .addOption(
      new Option('--weight-limit <n>', 'request weight a minute, or none')
        .default(1_200)
        .argParser(readWeightLimit),
    )
    .addOption(
      new Option('--network <network>', 'which signatures it takes')
        .choices(['testnet', 'mainnet'])
        .default('testnet'),
    )
    .addOption(
      decimalOption('--faucet <usdc>', 'gives this much to an unknown signer on its first action'),
    )
    .addOption(
      new Option(
        '--account <address:usdc[:agent]>',
        'an account it starts with; may be given again',
      ).argParser(addAccount),
    )
    .addOption(
      new Option(
        '--option <name=value>',
        'another reading of what the venue does; may be given again',
      ).argParser(addOption),
    )
    .option('--dexes <file>', 'builder dexes, in JSON as /sim/reset takes them')
    .option('--control', 'opens the control interface /sim/* for this machine')
    .option('--json', 'print JSON instead of text')
    .action(async (options: SimFlags) => {
      await simulate(options, terminal)
    })
  teach(
    withUnused(command, '--home <dir>'),
    [
      'guard sim',
      'guard sim --control --seed 7 --scenario crash',
      'guard sim --faucet 10000',
      'guard sim --option trigger_p_rule=strict',
    ],
    'docs/simulator.md shows how to test a bot against it',
  )
}

function readWeightLimit(text: string): number | 'none' {
  if (text === 'none') return text
  if (/^\d+$/.test(text)) return readCount(text, 1, 1_000_000_000)
  throw new InvalidArgumentError('It must be a whole number from 1 to 1000000000, or none.')
}

function addAccount(text: string, before: readonly StartAccount[] = []): StartAccount[] {
  const parsed = parseStartAccount(text)
  if (!parsed.ok) throw new InvalidArgumentError(parsed.error)
  return [...before, parsed.value]
}

function addOption(text: string, before: Partial<SimOptions> = {}): Partial<SimOptions> {
  const [name = '', ...rest] = text.split('=')
  const read = readOption(name, rest.join('='))
  if (!read.ok) throw new InvalidArgumentError(read.error)
  return { ...before, ...read.value }
}

/** What a bot's writer has to know to get an account. */
function accountLine(options: SimFlags): string {
  if (options.account !== undefined) {
    const named = options.account.map((each) => `${each.address} (${each.equity.toString()} USDC)`)
    return `Accounts: ${named.join(', ')}.\n`
  }
  const demo = `The account ${demoAddress} has 10000 USDC; its test key is in docs/simulator.md.\n`
  return options.faucet === undefined
    ? demo
    : `Every new signer gets ${options.faucet.toString()} USDC.\n`
}

async function simulate(options: SimFlags, terminal: Terminal): Promise<void> {
  // Before anything is printed: whoever reads that it listens may end it at once.
  const end = endSignal()
  const simulator = await started(options)
  if (options.json === true) printJson(terminal, { url: simulator.url, ws_url: simulator.wsUrl })
  else {
    terminal.out(
      `The venue simulator listens at ${simulator.url} (socket ${simulator.wsUrl}), seed ${options.seed}.\n`,
    )
    terminal.out(
      options.control === true
        ? 'Control is open: POST /sim/reset, /sim/price, /sim/act, /sim/flow, /sim/fault, /sim/options, /sim/clock.\n'
        : 'Control is closed; open it with --control.\n',
    )
    terminal.out(accountLine(options))
    terminal.out(`Signatures must be for ${options.network}.\n`)
    terminal.out('Ctrl-C ends it.\n')
  }
  const error = await Promise.race([end.first.then(() => null), simulator.failed])
  await simulator.close()
  end.release()
  if (error !== null) throw failed(`the simulator failed: ${error.message}`)
}

/** What the file says; whoever named it hears why it cannot be taken. */
async function readDexFile(file: string): Promise<readonly DexSpec[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    const { code = 'an error' } = error as { readonly code?: string }
    throw new TypeError(`dexes: ${file} cannot be read (${code})`, { cause: error })
  })
  const parsed = parseDexes(text)
  if (!parsed.ok) throw new TypeError(`${file}: ${parsed.error}`)
  return parsed.value
}

async function started(options: SimFlags): Promise<Simulator> {
  try {
    return await startSimulator({
      ...(options.dexes === undefined ? {} : { dexes: await readDexFile(options.dexes) }),
      port: options.port,
      seed: options.seed,
      ...(options.scenario === undefined ? {} : { scenario: options.scenario }),
      weightLimit: options.weightLimit === 'none' ? null : options.weightLimit,
      control: options.control === true,
      network: options.network,
      ...(options.faucet === undefined ? {} : { faucet: options.faucet.toString() }),
      ...(options.account === undefined ? {} : { accounts: options.account }),
      ...(options.option === undefined ? {} : { options: options.option }),
    })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw failed(`port ${options.port} is taken`, ['choose another one with: --port PORT'])
    }
    // Everything else the simulator says at its start is about what it was given.
    throw refused(error instanceof Error ? error.message : String(error))
  }
}
