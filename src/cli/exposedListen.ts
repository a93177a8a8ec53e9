import { isLoopback, parseListen } from '../config/listenAddress.ts'
import { readSecretFile } from '../config/secretFile.ts'
import { exposedWords } from '../gateway/gatewayOptions.ts'
import { createDoor } from '../gateway/http/door.ts'
import type { Door } from '../gateway/http/door.ts'
import { refused } from './cliError.ts'

interface ExposeWishes {
  /** Whoever reads must bring what is in it. */
  readonly tokenFile?: string
  readonly expose?: string
  readonly exposeHost?: readonly string[]
}

/** Where a server beside Guard listens, and who may speak to it: this machine, unless more is said. */
export function exposedListen(
  flag: string,
  text: string,
  { tokenFile, expose, exposeHost = [] }: ExposeWishes,
): { readonly host: string; readonly port: number; readonly door: Door } {
  const listen = parseListen(text)
  if (!listen.ok) throw refused(`${flag} ${listen.error}`)
  const token = tokenFile === undefined ? null : tokenIn(tokenFile)
  const { host, port } = listen.value
  if (expose !== undefined && expose !== exposedWords) {
    throw refused(`--expose must be exactly "${exposedWords}"`)
  }
  if (!isLoopback(host) && expose === undefined) {
    throw refused(`${flag} ${text}: other machines could reach it; use 127.0.0.1, or say --expose`)
  }
  if (expose !== undefined && token === null) {
    throw refused('--expose needs a token that readers must bring: --token-file FILE')
  }
  const hosts = expose === undefined ? [] : exposeHost
  const exposed = token === null ? null : ({ words: exposedWords, hosts, token } as const)
  return { host, port, door: createDoor({ host, port, exposed }) }
}

function tokenIn(file: string): string {
  const text = readSecretFile(file)
  if (!text.ok) throw refused(text.error)
  const token = text.value.trim()
  if (/^[\x21-\x7e]{16,512}$/.test(token)) return token
  throw refused(`${file} must hold a token of at least 16 visible characters`)
}
