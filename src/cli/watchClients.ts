import { watch } from 'node:fs'
import { basename } from 'node:path'
import type { Home } from '../config/home.ts'
import { readOwnerFile } from '../system/ownerFile.ts'
import { readConfig } from '../config/readConfig.ts'
import { codeOf } from '../config/secretFile.ts'
import type { Guard } from '../engine/guard.ts'
import type { Log } from '../engine/ports.ts'

/**
 * Takes over clients that were added or revoked while Guard runs: at a change of guard.toml, or at
 * SIGHUP. Only clients: a changed rule needs a restart, and a file that does not validate changes
 * nothing.
 */
export function watchClients(home: Home, guard: Pick<Guard, 'setClients'>, log: Log): () => void {
  let known: string | null = null
  const reload = (): void => {
    const next = read(home, log)
    if (next === null) return
    const text = next.join()
    if (known !== null && text === known) return
    if (known !== null) log.log('info', 'clients taken over', { clients: next.length })
    known = text
    guard.setClients(next)
  }
  reload()
  process.on('SIGHUP', reload)
  const watcher = watch(home.path, { persistent: false }, (_event, file) => {
    if (file === null || file === basename(home.configFile)) reload()
  })
  watcher.on('error', () => {
    log.log('warn', 'guard.toml can no longer be watched; send SIGHUP after a change')
  })
  return () => {
    process.off('SIGHUP', reload)
    watcher.close()
  }
}

function read(home: Home, log: Log): Parameters<Guard['setClients']>[0] | null {
  let text: string
  try {
    text = readOwnerFile(home.configFile)
  } catch (error) {
    const code = codeOf(error)
    // While it is being replaced there may be none.
    if (code !== 'ENOENT') {
      log.log('error', 'guard.toml changed and cannot be read; nothing was taken over', { code })
    }
    return null
  }
  const config = readConfig(text, home.path)
  if (config.ok) return [...config.value.clients.keys()]
  log.log('error', 'guard.toml changed and is not valid; nothing was taken over', {
    problems: config.error,
  })
  return null
}
