import { resolve } from 'node:path'
import { readAlerts } from '../alerts/alertsConfig.ts'
import { openChannels } from '../alerts/openChannels.ts'
import { openHeartbeat } from '../alerts/openHeartbeat.ts'
import { defaultStateDir, findHome } from '../config/home.ts'
import type { Home } from '../config/home.ts'
import { readOwnerFile } from '../system/ownerFile.ts'
import { readConfig } from '../config/readConfig.ts'
import type { GuardConfigFile } from '../config/readConfig.ts'
import { codeOf, readSecretFile } from '../config/secretFile.ts'
import { stateDirOf } from '../config/stateDir.ts'
import { problemLines } from '../config/tomlLines.ts'
import type { AlertsSetup } from './assembly/runAlerts.ts'
import { refused } from './cliError.ts'
import type { CommonOptions } from './commonOptions.ts'
import { announcedAddress } from './runningAddress.ts'
import { guardUrl, runningGuard } from './runningGuard.ts'
import type { RunningGuard } from './runningGuard.ts'
import type { Terminal } from './terminal.ts'

export function homeOf(options: CommonOptions, terminal: Terminal): Home {
  return findHome(options.home, terminal.environment)
}

/** Works with a configuration that no longer validates: only the state directory is read of it. */
export function findStateDir(home: Home): string {
  try {
    return stateDirOf(readOwnerFile(home.configFile), home.path)
  } catch {
    return defaultStateDir(home)
  }
}

/** The configuration of a home; every violation is told at once, each with its line. */
export function configOf(options: CommonOptions, terminal: Terminal): GuardConfigFile {
  const home = homeOf(options, terminal)
  let text: string
  try {
    text = readOwnerFile(home.configFile)
  } catch (error) {
    const code = codeOf(error)
    if (code !== 'ENOENT') throw refused(`${home.configFile} cannot be read (${code})`)
    throw refused(`there is no Guard set up in ${home.path}`, [
      'set one up with: guard init',
      'or look at another home with: --home DIR',
    ])
  }
  const config = readConfig(text, home.path, (table) => {
    const alerts = readAlerts(table)
    return alerts.ok ? [] : alerts.error
  })
  if (!config.ok) throw refused(`${home.configFile} is not valid`, config.error)
  return config.value
}

/** The Guard that runs on a home, found through its configuration. */
export function runningOf(options: CommonOptions, terminal: Terminal): RunningGuard {
  const config = configOf(options, terminal)
  return runningOn(config)
}

export function runningOn(config: GuardConfigFile): RunningGuard {
  const { host, port } = config.listen
  return runningGuard(announcedAddress(config.stateDir) ?? guardUrl(host, port), tokenOf(config))
}

/** `[alerts]` with its channels, their secrets read; null when nobody is to be told. */
export function alertsOf(config: GuardConfigFile, home: Home): AlertsSetup | null {
  const alerts = readAlerts(config.alerts)
  if (!alerts.ok) throw refused('[alerts] is not valid', problemLines(alerts.error, ''))
  if (alerts.value.order.length === 0 && alerts.value.heartbeat === null) return null
  const readSecret = (path: string) => readSecretFile(resolve(home.path, path))
  const channels = openChannels(alerts.value, readSecret)
  const heartbeat = openHeartbeat(alerts.value, readSecret)
  if (!channels.ok) throw refused('the alerts cannot be set up', channels.error)
  if (!heartbeat.ok) throw refused('the alerts cannot be set up', [heartbeat.error])
  return { config: alerts.value, channels: channels.value, heartbeat: heartbeat.value }
}

function tokenOf(config: GuardConfigFile): string | null {
  if (config.readTokenFile === null) return null
  const token = readSecretFile(config.readTokenFile)
  if (!token.ok) throw refused(token.error)
  return token.value.trim()
}
