import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where the scripts put what they build: outside the tree, and kept between runs. */
const cache = process.env['GUARD_CLIENTS_CACHE'] ?? join(homedir(), '.cache', 'guard-clients')

/** A bot that a script has built, if it runs here. */
export function builtBot(name: string): string | null {
  const program = join(cache, name)
  if (!existsSync(program)) return null
  try {
    execFileSync(program, ['--version'], { stdio: 'pipe' })
    return program
  } catch {
    return null
  }
}

export const ran = (program: string): string =>
  execFileSync(program, ['--version']).toString().trim()
