import type { GuardConfigFile } from '../../config/readConfig.ts'
import { readSecretFile } from '../../config/secretFile.ts'
import type { Crypto } from '../../core/protocol/crypto.ts'
import { CliError } from '../cliError.ts'
import { loadKey } from '../loadKey.ts'
import type { Terminal } from '../terminal.ts'
import { bad, fine } from './finding.ts'
import type { Finding } from './finding.ts'

/** The keystore can be opened, and holds the key the configuration names. */
export async function* examineKey(
  config: GuardConfigFile,
  crypto: Crypto,
  terminal: Terminal,
): AsyncGenerator<Finding> {
  if (config.mode === 'paper') {
    yield fine('key', 'paper mode has none')
    return
  }
  const file = readSecretFile(config.keyFile)
  if (!file.ok) {
    yield bad('key', file.error, 'guard key replace takes a key again; rules and clients stay')
    return
  }
  try {
    const key = await loadKey(config, crypto, terminal)
    const address = key === null ? '' : crypto.secp256k1.addressOf(key)
    key?.fill(0)
    yield fine('key', `opens; API wallet ${address}`)
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    yield bad(
      'key',
      error.message,
      'GUARD_KEY_PASSPHRASE, key.passphrase_file or a systemd credential',
    )
  }
}
