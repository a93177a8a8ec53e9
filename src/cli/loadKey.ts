import { isCancel, password } from '@clack/prompts'
import { decryptKey } from '../config/keystore.ts'
import { findPassphrase, passphraseVariable } from '../config/passphrase.ts'
import type { GuardConfigFile } from '../config/readConfig.ts'
import { readSecretFile } from '../config/secretFile.ts'
import type { Crypto } from '../core/protocol/crypto.ts'
import { refused } from './cliError.ts'
import type { Terminal } from './terminal.ts'

/** The API wallet key of a home, decrypted; paper mode reads no key at all. */
export async function loadKey(
  config: GuardConfigFile,
  crypto: Crypto,
  terminal: Terminal,
): Promise<Uint8Array | null> {
  if (config.mode === 'paper') return null
  const keystore = readSecretFile(config.keyFile)
  if (!keystore.ok) throw refused(keystore.error)
  const passphrase = await askPassphrase(config.passphraseFile, terminal)
  const key = decryptKey(crypto.keccak256, keystore.value, passphrase)
  if (!key.ok) throw refused(`${config.keyFile}: ${key.error}`)
  const address = crypto.secp256k1.addressOf(key.value)
  if (config.venue.apiWallet !== null && config.venue.apiWallet !== address) {
    throw refused(
      `${config.keyFile} holds the key of ${address}, and venue.api_wallet is ${config.venue.apiWallet}`,
    )
  }
  if (address === config.account) {
    throw refused(`${config.keyFile} holds the account's own key; Guard takes an API wallet's key`)
  }
  return key.value
}

/** From a file, a systemd credential or the environment; else a person types it. */
export async function askPassphrase(file: string | null, terminal: Terminal): Promise<string> {
  const found = findPassphrase({ file, environment: terminal.environment })
  if (!found.ok) throw refused(found.error)
  if (found.value !== null) return found.value
  if (!terminal.isInteractive) {
    throw refused(
      `the passphrase is needed: set ${passphraseVariable}, or name a file with --passphrase-file or key.passphrase_file`,
    )
  }
  const typed = await password({ message: 'Passphrase of the API wallet key' })
  if (isCancel(typed) || typed === '') throw refused('no passphrase was given')
  return typed
}
