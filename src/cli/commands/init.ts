import { Option } from 'commander'
import type { Command } from 'commander'
import { usualListen } from '../../config/listenAddress.ts'
import { loadCrypto } from '../../crypto/loadCrypto.ts'
import { refused } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import { confirmAccount } from '../confirmAccount.ts'
import { homeOf } from '../homeConfig.ts'
import { readListen } from '../listenFlag.ts'
import { addressOption, decimalOption, readClientName } from '../readOption.ts'
import { guidedSetup } from '../setup/guidedSetup.ts'
import { checkHomeIsFree, initHome } from '../setup/initHome.ts'
import type { NewClient, SetUp, Setup } from '../setup/initHome.ts'
import { keyOf } from '../setup/keyOf.ts'
import type { ClientKey } from '../setup/newClientKey.ts'
import { modeWords } from '../setup/modeWords.ts'
import { rulesOf } from '../setup/rulesOf.ts'
import { ownProcess, refuseUnsafeProcess } from '../safeProcess.ts'
import { paint, printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import type { InitOptions } from '../setup/initOptions.ts'

export function initCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('init')
    .description('set up a Guard: account, mode, rules, API wallet key, first client key')
    .addOption(
      new Option('--mode <mode>', 'what it may do').choices(['paper', 'testnet', 'mainnet']),
    )
    .addOption(addressOption('--account <address>', 'the trading account'))
    .addOption(
      addressOption(
        '--via <address>',
        'the owner, where the account is a vault or a sub-account (of which the venue tells it)',
      ),
    )
    .option('--venue-url <url>', 'another venue than the mode’s own, such as a simulator')
    .option('--listen <host:port>', 'where bots and readers find it', usualListen)
    .option('--rules <code>', 'a rules code (gr1_..) from guard rules encode')
    .option('--key-file <file>', 'the API wallet’s key: 0x and 64 hex digits, mode 0600')
    .option('--key-stdin', 'read that key from standard input')
    .option('--passphrase-file <file>', 'encrypts the key; else GUARD_KEY_PASSPHRASE or a prompt')
    .addOption(
      new Option('--client-name <name>', 'what you call the first bot')
        .default('bot')
        .argParser(readClientName),
    )
    .option(
      '--client-key-out <file>',
      'write the new client key to this new file, mode 0600; without it and a terminal no client is made',
    )
    .addOption(
      decimalOption(
        '--equity-cap <usd>',
        'equity beyond it is ignored when sizing; needed on mainnet',
      ),
    )
    .addOption(addressOption('--confirm-mainnet <account>', 'the account once more, for mainnet'))
    .option(
      '--force',
      'begin anew in a home that is set up; rules, clients and alerts are not taken over (a copy stays)',
    )
    .action(async (options: InitOptions) => {
      refuseUnsafeProcess(ownProcess(terminal))
      await init(options, terminal)
    })
  teach(
    withJson(withHome(command)),
    [
      'guard init                                  (asks for everything)',
      'guard init --mode paper --account 0x.. --client-key-out bot.key',
      'guard init --mode testnet --account 0x.. --key-file wallet.key --client-key-out bot.key',
    ],
    'guard doctor checks the set-up, guard run starts it; guard key replace takes a new API wallet later',
  )
}

async function init(options: InitOptions, terminal: Terminal): Promise<void> {
  const home = homeOf(options, terminal)
  checkHomeIsFree(home, options.force === true)
  // A dialogue must not end with what could be told at its start.
  readListen(options.listen, false)
  const missing = missingOf(options, terminal)
  const isGuided = missing.length > 0 && terminal.isInteractive && options.json !== true
  const setup = isGuided
    ? await guidedSetup(home, options, terminal)
    : await scripted(options, missing, terminal)
  const done = await initHome(setup, await loadCrypto())
  setup.key?.bytes.fill(0)
  tell(setup, done, options, terminal)
}

/** Every flag a set-up without a dialogue still needs. */
function missingOf(options: InitOptions, terminal: Terminal): readonly string[] {
  const { mode } = options
  const isKeyGiven = options.keyFile !== undefined || options.keyStdin === true
  const isKeyNeeded = mode === 'testnet' || mode === 'mainnet'
  return [
    ...(mode === undefined ? ['--mode paper|testnet|mainnet'] : []),
    ...(options.account === undefined ? ['--account 0x..'] : []),
    ...(isKeyNeeded && !isKeyGiven ? ['--key-file FILE or --key-stdin'] : []),
    ...(mode === 'mainnet' && rulesOf(options).equityCap === null ? ['--equity-cap USD'] : []),
    ...(mode === 'mainnet' && options.confirmMainnet === undefined && !terminal.isInteractive
      ? ['--confirm-mainnet 0x.., the account once more']
      : []),
  ]
}

/** Flags only; everything that is missing is named at once. */
async function scripted(
  options: InitOptions,
  missing: readonly string[],
  terminal: Terminal,
): Promise<Setup> {
  const { mode, account } = options
  if (mode === undefined || account === undefined || missing.length > 0) {
    throw refused('more is needed to set up a Guard:', missing)
  }
  if (mode === 'mainnet')
    await confirmAccount(account, options.confirmMainnet, terminal, '--confirm-mainnet')
  return {
    home: homeOf(options, terminal),
    mode,
    account,
    via: options.via ?? null,
    venueUrl: options.venueUrl ?? null,
    listen: options.listen,
    rules: rulesOf(options),
    key: mode === 'paper' ? null : await keyOf(options, terminal),
    client: clientOf(options, terminal),
    force: options.force === true,
  }
}

/** A key that no file is named for and that nobody at a terminal would see is not made. */
function clientOf(options: InitOptions, terminal: Terminal): NewClient | null {
  const isShown = terminal.isInteractive && options.json !== true
  if (options.clientKeyOut === undefined && !isShown) return null
  return { name: options.clientName, keyOut: options.clientKeyOut ?? null }
}

function tell(setup: Setup, done: SetUp, options: InitOptions, terminal: Terminal): void {
  if (options.json === true) {
    printJson(terminal, {
      home: setup.home.path,
      mode: setup.mode,
      account: setup.account,
      via: done.via,
      api_wallet: done.wallet,
      api_wallet_valid_until_ms: done.agent?.validUntil ?? null,
      client:
        done.client === null
          ? null
          : { address: done.client.address, key_file: setup.client?.keyOut ?? null },
      replaced: done.copy === null ? null : { copy: done.copy, not_taken_over: notTakenOver },
    })
    return
  }
  terminal.out(`Guard is set up in ${setup.home.path}, ${setup.mode} mode.\n`)
  terminal.out(`${modeWords[setup.mode]}\n`)
  if (done.via !== null) {
    terminal.out(
      `${setup.account} is traded through its owner ${done.via}: the API wallet is the owner’s, and Guard names the account in all it sends.\n`,
    )
  }
  if (done.agent?.validUntil != null) {
    terminal.out(
      `The API wallet is valid until ${new Date(done.agent.validUntil).toISOString()}.\n`,
    )
  }
  terminal.out(`${clientWords(setup.client?.keyOut ?? null, done.client)}\n`)
  if (done.copy !== null) terminal.out(replacedWords(done.copy))
  terminal.out('\nNext:\n  guard doctor   checks everything\n  guard run      starts it\n')
}

function clientWords(keyOut: string | null, client: ClientKey | null): string {
  if (client === null) return 'No client yet: guard client add --out FILE makes the key of a bot.'
  return keyOut === null
    ? `The client key, shown only now: ${client.text}`
    : `The client key is in ${keyOut}.`
}

/** What of a guard.toml that was replaced does not stand in the new one. */
const notTakenOver = ['rules', 'markets', 'clients', 'alerts', 'other settings'] as const

function replacedWords(copy: string): string {
  return (
    `\nThe guard.toml that was here is kept as ${copy}.\n` +
    `${paint('red', 'Nothing of it was taken over:')} rules, markets, clients, alerts and other settings are those of a new set-up. ` +
    'Compare with: guard rules diff OLD NEW\n'
  )
}
