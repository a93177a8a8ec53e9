import { resolve } from 'node:path'
import { parse } from 'smol-toml'

/**
 * The state directory named by a configuration, valid or not: what pulls the kill switch must not
 * depend on the rest of the file. Text that is not TOML is searched for the one line.
 */
export function stateDirOf(text: string, homePath: string): string {
  return resolve(homePath, named(text) ?? 'state')
}

function named(text: string): string | null {
  try {
    const value = parse(text)['state_dir']
    return typeof value === 'string' ? value : null
  } catch {
    return /^\s*state_dir\s*=\s*["']([^"'\n]+)["']/m.exec(text)?.[1] ?? null
  }
}
