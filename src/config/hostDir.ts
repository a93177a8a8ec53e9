import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { parse } from 'smol-toml'

/** The directory of the host's ledger: as named, relative to the home, else `~/.guard-host`. */
export function hostDirOf(named: string | undefined, homePath: string): string {
  return named === undefined ? join(homedir(), '.guard-host') : resolve(homePath, named)
}

/**
 * The directory that a configuration names, valid or not: what latches all must not depend on the rest.
 * Null where the text is no TOML, so that nobody can tell what it names.
 */
export function hostDirIn(text: string, homePath: string): string | null {
  try {
    const { host } = parse(text) as { readonly host?: { readonly dir?: unknown } }
    return hostDirOf(typeof host?.dir === 'string' ? host.dir : undefined, homePath)
  } catch {
    return null
  }
}
