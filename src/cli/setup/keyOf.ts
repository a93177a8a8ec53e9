import { parsePrivateKey } from '../../config/privateKey.ts'
import { readSecretFile } from '../../config/secretFile.ts'
import { refused } from '../cliError.ts'
import { newPassphrase } from '../loadKey.ts'
import type { Terminal } from '../terminal.ts'
import type { Setup } from './initHome.ts'

export interface KeyFlags {
  readonly keyFile?: string
  readonly keyStdin?: boolean
  readonly passphraseFile?: string
}

/** The API wallet key that the flags name, with the passphrase to encrypt it. */
export async function keyOf(
  flags: KeyFlags,
  terminal: Terminal,
): Promise<NonNullable<Setup['key']>> {
  const key = parsePrivateKey(await keyText(flags, terminal))
  if (!key.ok) throw refused(`${flags.keyFile ?? 'standard input'} ${key.error}`)
  return {
    bytes: key.value,
    passphrase: await newPassphrase(flags.passphraseFile ?? null, terminal),
  }
}

async function keyText({ keyFile, keyStdin }: KeyFlags, terminal: Terminal): Promise<string> {
  if (keyFile === undefined) {
    // On a terminal it would show while it is typed.
    if (!terminal.isInteractive) return await terminal.readStdin()
    throw refused('--key-stdin reads a key that is piped in', [
      'without it the key is asked for on the terminal, and not shown',
    ])
  }
  if (keyStdin === true) throw refused('--key-file and --key-stdin: give one of them')
  const text = readSecretFile(keyFile)
  if (!text.ok) throw refused(`--key-file ${text.error}`)
  return text.value
}
