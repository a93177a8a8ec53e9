import type { GuardConfigFile } from '../config/readConfig.ts'
import { loadCrypto } from '../crypto/loadCrypto.ts'
import { ChainKey } from '../journal/chainKey.ts'
import { loadKey } from './loadKey.ts'
import type { Terminal } from './terminal.ts'

/** The key that proves a home's records, from its keystore and passphrase; paper mode has none. */
export async function journalKey(
  config: GuardConfigFile,
  terminal: Terminal,
): Promise<ChainKey | null> {
  const privateKey = await loadKey(config, await loadCrypto(), terminal)
  const key = chainKeyOf(config, privateKey)
  privateKey?.fill(0)
  return key
}

export function chainKeyOf(
  config: GuardConfigFile,
  privateKey: Uint8Array | null,
): ChainKey | null {
  if (privateKey === null) return null
  return ChainKey.of(privateKey, { account: config.account, network: config.venue.network })
}
