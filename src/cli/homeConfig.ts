import { readFileSync } from 'node:fs'
import { findHome } from '../config/home.ts'
import type { Home } from '../config/home.ts'
import { readConfig } from '../config/readConfig.ts'
import type { GuardConfigFile } from '../config/readConfig.ts'
import { readSecretFile } from '../config/secretFile.ts'
import { refused } from './cliError.ts'
import type { CommonOptions } from './commonOptions.ts'
import { runningGuard } from './runningGuard.ts'
import type { RunningGuard } from './runningGuard.ts'
import type { Terminal } from './terminal.ts'

export function homeOf(options: CommonOptions, terminal: Terminal): Home {
  return findHome(options.home, terminal.environment)
}

/** The configuration of a home; every violation is told at once, each with its line. */
export function configOf(options: CommonOptions, terminal: Terminal): GuardConfigFile {
  const home = homeOf(options, terminal)
  let text: string
  try {
    text = readFileSync(home.configFile, 'utf8')
  } catch {
    throw refused(`there is no Guard set up in ${home.path}`, ['set one up with: guard init'])
  }
  const config = readConfig(text, home.path)
  if (config.ok) return config.value
  throw refused(`${home.configFile} is not valid`, config.error)
}

/** The Guard that runs on a home, found through its configuration. */
export function runningOf(options: CommonOptions, terminal: Terminal): RunningGuard {
  const config = configOf(options, terminal)
  const host = config.listen.host === '0.0.0.0' ? '127.0.0.1' : config.listen.host
  return runningGuard(host, config.listen.port, tokenOf(config))
}

function tokenOf(config: GuardConfigFile): string | null {
  if (config.readTokenFile === null) return null
  const token = readSecretFile(config.readTokenFile)
  if (!token.ok) throw refused(token.error)
  return token.value.trim()
}
