import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { editApiWallet } from '../../config/editApiWallet.ts'
import type { Home } from '../../config/home.ts'
import { encryptKey } from '../../config/keystore.ts'
import { findPassphrase } from '../../config/passphrase.ts'
import { readOwnerFile } from '../../system/ownerFile.ts'
import { readConfig } from '../../config/readConfig.ts'
import type { GuardConfigFile } from '../../config/readConfig.ts'
import { replaceFiles } from '../../config/replaceFile.ts'
import type { Crypto } from '../../core/protocol/crypto.ts'
import type { Address } from '../../core/values/address.ts'
import { CliError, failed, refused } from '../cliError.ts'
import { chainKeyOf } from '../journalKey.ts'
import { withJournalOf } from '../stoppedJournal.ts'
import type { AgentFacts } from './agentCheck.ts'
import { approvedAgent } from './approvedAgent.ts'
import type { Setup } from './initHome.ts'

export type NewKey = NonNullable<Setup['key']>

export interface ReplacedKey {
  readonly wallet: Address
  readonly agent: AgentFacts
  /** The event that says so in the journal; null where the journal had no other key. */
  readonly rekeyedSeq: number | null
}

/**
 * Gives a home that does not run another API wallet key. The venue is asked first; then keystore and
 * guard.toml change together, and last the journal takes the new key. A crash in between leaves a
 * home that does not start and says why; the same command with the same key ends the change.
 */
export async function replaceKey(
  home: Home,
  config: GuardConfigFile,
  key: NewKey,
  crypto: Crypto,
): Promise<ReplacedKey> {
  checkPassphrase(config, key.passphrase)
  const wallet = crypto.secp256k1.addressOf(key.bytes)
  const toml = changedToml(home, wallet)
  const agent = await approvedAgent(config.venue.url, config.venue.via ?? config.account, wallet)
  const keystore = encryptKey(crypto.keccak256, key.bytes, wallet, key.passphrase)
  // The keystore first: between the two steps the new key is on disk, and Guard refuses to start.
  replaceFiles([
    { path: config.keyFile, text: keystore },
    { path: home.configFile, text: toml },
  ])
  return { wallet, agent, rekeyedSeq: await rekeyed(config, key.bytes) }
}

/** The passphrase that a start will find has to open the new keystore. */
function checkPassphrase(config: GuardConfigFile, passphrase: string): void {
  if (config.passphraseFile === null) return
  const found = findPassphrase({ file: config.passphraseFile, environment: {} })
  if (found.ok && found.value === passphrase) return
  throw refused(
    `Guard starts with the passphrase of key.passphrase_file (${config.passphraseFile}), and this one is another`,
    ['without --passphrase-file that one is taken'],
  )
}

/** guard.toml with the new address and everything else as it is. */
function changedToml(home: Home, wallet: Address): string {
  const changed = editApiWallet(readOwnerFile(home.configFile), wallet)
  const place = `venue.api_wallet in ${home.configFile}`
  if (changed === null) {
    throw refused(`${place} could not be found as a line of its own; nothing was changed`, [
      `write it as: api_wallet = "0x.." below [venue], then run this again`,
    ])
  }
  const checked = readConfig(changed, home.path)
  if (!checked.ok) throw failed('the changed configuration would not be valid', checked.error)
  return changed
}

/** Proves records by the new key from here on, as `guard journal rekey` does. */
async function rekeyed(config: GuardConfigFile, key: Uint8Array): Promise<number | null> {
  if (!existsSync(join(config.stateDir, 'journal'))) return null
  try {
    return await withJournalOf(
      config,
      chainKeyOf(config, key),
      (journal, { standing }) => Promise.resolve(standing === 'rekeyed' ? journal.lastSeq : null),
      true,
    )
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw failed(`the new key is in place, but the journal has not taken it yet: ${why}`, [
      ...(error instanceof CliError ? error.details : []),
      'the next step: guard journal rekey; Guard does not start before',
    ])
  }
}
