import type { Command } from 'commander'
import type { GuardConfigFile } from '../../config/readConfig.ts'
import type { Address } from '../../core/values/address.ts'
import { loadCrypto } from '../../crypto/loadCrypto.ts'
import { refused } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { confirmAccount } from '../confirmAccount.ts'
import { configOf, homeOf } from '../homeConfig.ts'
import { newPassphrase } from '../loadKey.ts'
import { addressOption } from '../readOption.ts'
import { ownProcess, refuseUnsafeProcess } from '../safeProcess.ts'
import { typedKey } from '../setup/guidedSetup.ts'
import { keyOf } from '../setup/keyOf.ts'
import type { KeyFlags } from '../setup/keyOf.ts'
import { refuseRunning } from '../setup/refuseRunning.ts'
import { replaceKey } from '../setup/replaceKey.ts'
import type { NewKey, ReplacedKey } from '../setup/replaceKey.ts'
import { printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

interface ReplaceOptions extends CommonOptions, KeyFlags {
  readonly confirm?: Address
}

export function keyCommand(program: Command, terminal: Terminal): void {
  const key = program.command('key').description('the API wallet key that Guard trades with')
  const command = key
    .command('replace')
    .description('take the key of another API wallet, with Guard stopped; every rule stays')
    .option('--key-file <file>', 'the new API wallet’s key: 0x and 64 hex digits, mode 0600')
    .option('--key-stdin', 'read that key from standard input')
    .option(
      '--passphrase-file <file>',
      'encrypts the key; else key.passphrase_file, GUARD_KEY_PASSPHRASE or a prompt',
    )
    .addOption(addressOption('--confirm <account>', 'the account, instead of typing it'))
    .action(async (options: ReplaceOptions) => {
      refuseUnsafeProcess(ownProcess(terminal))
      await replace(options, terminal)
    })
  teach(
    withJson(withHome(command)),
    [
      'guard key replace                           (asks for the key)',
      'guard key replace --key-file wallet.key --confirm 0x..',
    ],
    [
      'guard run; then remove the old API wallet on the venue’s API page.',
      '',
      'Before it: approve the new API wallet on the venue’s API page, and stop Guard.',
      'It changes the keystore and venue.api_wallet in guard.toml, and lets the journal take the new',
      'key (as guard journal rekey does). Rules, markets, clients, alerts and comments stay as they are.',
      'If it is interrupted, run it again with the same key: it ends what was begun.',
    ].join('\n'),
  )
}

async function replace(options: ReplaceOptions, terminal: Terminal): Promise<void> {
  const home = homeOf(options, terminal)
  const config = configOf(options, terminal)
  if (config.mode === 'paper') {
    throw refused('paper mode has no key, so there is none to replace', [
      'a Guard that trades is set up with: guard init',
    ])
  }
  await refuseRunning(home, config.stateDir)
  await confirmAccount(config.account, options.confirm, terminal)
  const key = await newKey(options, config, terminal)
  try {
    const done = await replaceKey(home, config, key, await loadCrypto())
    tell(config, done, options, terminal)
  } finally {
    key.bytes.fill(0)
  }
}

async function newKey(
  options: ReplaceOptions,
  config: GuardConfigFile,
  terminal: Terminal,
): Promise<NewKey> {
  const passphraseFile = options.passphraseFile ?? config.passphraseFile
  const isGiven = options.keyFile !== undefined || options.keyStdin === true
  if (isGiven) {
    return await keyOf(
      { ...options, ...(passphraseFile === null ? {} : { passphraseFile }) },
      terminal,
    )
  }
  if (!terminal.isInteractive || options.json === true) {
    throw refused('the new key is needed: --key-file FILE or --key-stdin')
  }
  return { bytes: await typedKey(), passphrase: await newPassphrase(passphraseFile, terminal) }
}

function tell(
  config: GuardConfigFile,
  { wallet, agent, rekeyedSeq }: ReplacedKey,
  options: ReplaceOptions,
  terminal: Terminal,
): void {
  const { apiWallet: before } = config.venue
  const { validUntil } = agent
  if (options.json === true) {
    printJson(terminal, {
      replaced: {
        account: config.account,
        api_wallet: wallet,
        api_wallet_before: before,
        api_wallet_valid_until_ms: validUntil,
        key_file: config.keyFile,
        rekeyed_seq: rekeyedSeq,
      },
    })
    return
  }
  terminal.out(`Guard trades with the API wallet ${wallet} from its next start on.\n`)
  if (validUntil !== null)
    terminal.out(`It is valid until ${new Date(validUntil).toISOString()}.\n`)
  terminal.out('Rules, markets, clients and alerts are as they were.\n')
  if (rekeyedSeq !== null)
    terminal.out(`Records are proven by the new key from event ${rekeyedSeq} on.\n`)
  const old = before === null || before === wallet ? 'the old API wallet' : before
  terminal.out(`\nNext:\n  guard run      starts it; then remove ${old} on the venue’s API page\n`)
}
