import { isLoopback, parseListen } from '../config/listenAddress.ts'
import type { ListenAddress } from '../config/listenAddress.ts'
import { refused } from './cliError.ts'

/** Reads `--listen`; where other machines could reach it, guard.toml must have said so first. */
export function readListen(flag: string, isExposed: boolean): ListenAddress {
  const listen = parseListen(flag)
  if (!listen.ok) throw refused(`--listen ${listen.error}`)
  if (!isLoopback(listen.value.host) && !isExposed) {
    throw refused(
      `--listen ${flag}: other machines could reach it; guard.toml must say expose first`,
    )
  }
  return listen.value
}
