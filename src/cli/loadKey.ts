import { isCancel, password } from '@clack/prompts'
import { decryptKey } from '../config/keystore.ts'
import { findPassphrase, passphraseVariable } from '../config/passphrase.ts'
import type { GuardConfigFile } from '../config/readConfig.ts'
import { readSecretFile } from '../config/secretFile.ts'
import type { Crypto } from '../core/protocol/crypto.ts'
import { refused } from './cliError.ts'
import { ownProcess, refuseUnsafeProcess } from './safeProcess.ts'
import type { Terminal } from './terminal.ts'

/** The API wallet key of a home, decrypted; paper mode reads no key at all. */
export async function loadKey(
  config: GuardConfigFile,
  crypto: Crypto,
  terminal: Terminal,
): Promise<Uint8Array | null> {
  if (config.mode === 'paper') return null
  refuseUnsafeProcess(ownProcess(terminal))
  const keystore = readSecretFile(config.keyFile)
  if (!keystore.ok) throw refused(keystore.error)
  const passphrase = await askPassphrase(config.passphraseFile, terminal)
  const key = decryptKey(crypto.keccak256, keystore.value, passphrase)
  if (!key.ok) throw refused(`${config.keyFile}: ${key.error}`)
  const address = crypto.secp256k1.addressOf(key.value)
  if (config.venue.apiWallet !== null && config.venue.apiWallet !== address) {
    throw refused(
      `${config.keyFile} holds the key of ${address}, and venue.api_wallet is ${config.venue.apiWallet}`,
      ['where a change of the key was interrupted: guard key replace with the new key ends it'],
    )
  }
  if (address === config.account || address === config.venue.via) {
    const whose = address === config.account ? "the account's" : "the account's owner's"
    throw refused(`${config.keyFile} holds ${whose} own key; Guard takes an API wallet's key`)
  }
  return key.value
}

/** From a file, a systemd credential or the environment; else a person types it. */
async function askPassphrase(
  file: string | null,
  terminal: Terminal,
  fileFlag = 'key.passphrase_file in guard.toml',
): Promise<string> {
  const found = findPassphrase({ file, environment: terminal.environment })
  if (!found.ok) throw refused(found.error)
  if (found.value !== null) return found.value
  if (!terminal.isInteractive) {
    throw refused(
      `the passphrase of the key is needed: set ${passphraseVariable}, or name a file with ${fileFlag}`,
    )
  }
  const typed = await password({ message: 'Passphrase of the API wallet key' })
  if (isCancel(typed) || typed === '') throw refused('no passphrase was given')
  return typed
}

const passphraseCharsMin = 8

/** A passphrase for a new keystore: long enough, and typed twice where it is typed. */
export async function newPassphrase(file: string | null, terminal: Terminal): Promise<string> {
  const found = findPassphrase({ file, environment: terminal.environment })
  if (!found.ok) throw refused(found.error)
  if (found.value === null && terminal.isInteractive) return await typedTwice()
  const given = found.value ?? (await askPassphrase(file, terminal, '--passphrase-file'))
  if (given.length < passphraseCharsMin) {
    throw refused(`the passphrase must have ${passphraseCharsMin} characters or more`)
  }
  return given
}

export async function typedTwice(): Promise<string> {
  const typed = await password({
    message: `A passphrase to encrypt the key with, ${passphraseCharsMin} characters or more`,
    validate: (value) =>
      (value ?? '').length < passphraseCharsMin
        ? `At least ${passphraseCharsMin} characters`
        : undefined,
  })
  if (isCancel(typed)) throw refused('no passphrase was given; nothing was written')
  const again = await password({ message: 'The passphrase once more' })
  if (again !== typed) throw refused('the two passphrases differ; nothing was written')
  return typed
}
