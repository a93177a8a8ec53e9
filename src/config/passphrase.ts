import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { err, ok } from '../core/values/result.ts'
import type { Result } from '../core/values/result.ts'
import { readSecretFile } from './secretFile.ts'

export const passphraseVariable = 'GUARD_KEY_PASSPHRASE'
const credentialName = 'guard-key-passphrase'

interface PassphraseSources {
  /** From `--passphrase-file` or `key.passphrase_file`. */
  readonly file: string | null
  readonly environment: NodeJS.ProcessEnv
}

/** Takes the passphrase from a file, a systemd credential or the environment; null: ask for it. */
export function findPassphrase(sources: PassphraseSources): Result<string | null> {
  const credential = credentialPath(sources.environment)
  const path = sources.file ?? credential
  if (path !== null) {
    // Systemd lets the service's user in by an access list, which shows as rights of the group; the
    // directory itself is closed to everyone else.
    const text = readSecretFile(path, path === credential ? 'group' : 'nobody')
    return text.ok ? checked(text.value.replace(/\r?\n$/, ''), path) : text
  }
  const value = sources.environment[passphraseVariable]
  return value === undefined ? ok(null) : checked(value, passphraseVariable)
}

function credentialPath(environment: NodeJS.ProcessEnv): string | null {
  const directory = environment['CREDENTIALS_DIRECTORY']
  if (directory === undefined) return null
  const path = join(directory, credentialName)
  return existsSync(path) ? path : null
}

function checked(passphrase: string, source: string): Result<string> {
  return passphrase.length === 0 ? err(`${source}: the passphrase is empty`) : ok(passphrase)
}
