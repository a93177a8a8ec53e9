import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import type { Address } from '../core/values/address.ts'
import { clientLineAt } from './editClients.ts'
import { readOwnerFile } from '../system/ownerFile.ts'
import { readConfig } from './readConfig.ts'

/**
 * Ends a client where a disk has no room for a second guard.toml: its line becomes a comment. That
 * is one byte of the file, so that a reader and a crash find the old text or the new one, never a
 * mixture. False, with nothing changed, for a client with a section of its own, which would be left.
 */
export function revokeInPlace(path: string, homePath: string, address: Address): boolean {
  const text = readOwnerFile(path)
  const at = clientLineAt(text, address)
  if (at === null) return false
  const changed = `${text.slice(0, at)}#${text.slice(at + 1)}`
  const config = readConfig(changed, homePath)
  if (!config.ok || config.value.clients.has(address)) return false
  const file = openSync(path, 'r+')
  try {
    writeSync(file, '#', Buffer.byteLength(text.slice(0, at)))
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  return true
}
