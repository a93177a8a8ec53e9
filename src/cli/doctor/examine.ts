import { existsSync } from 'node:fs'
import type { GuardConfigFile } from '../../config/readConfig.ts'
import { loadCrypto } from '../../crypto/loadCrypto.ts'
import { CliError } from '../cliError.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { configOf, homeOf } from '../homeConfig.ts'
import type { Terminal } from '../terminal.ts'
import { bad, fine, look } from './finding.ts'
import type { Finding } from './finding.ts'
import { examineFleet } from './examineFleet.ts'
import { examineHost } from './examineHost.ts'
import { examineKey } from './examineKey.ts'
import { examineMachine } from './examineMachine.ts'
import { examineVenue } from './examineVenue.ts'

/** Every check in turn, each as soon as it is known. */
export async function* examine(
  options: CommonOptions,
  terminal: Terminal,
): AsyncGenerator<Finding> {
  yield nodeVersion()
  const crypto = await loadCrypto()
  yield crypto.name === 'native'
    ? fine('signatures', 'secp256k1 native')
    : look(
        'signatures',
        'secp256k1 as WASM',
        'the native accelerator is about two times faster: npm rebuild secp256k1',
      )
  const config = configFinding(options, terminal)
  yield config.finding
  if (config.value === null) return
  yield* examineMachine(options, config.value, terminal)
  yield await examineHost(config.value.hostDir)
  yield* examineFleet(config.value)
  yield* examineKey(config.value, crypto, terminal)
  yield* examineVenue(config.value)
}

function nodeVersion(): Finding {
  const { node } = process.versions
  const [major = 0, minor = 0] = node.split('.').map(Number)
  const isNew = major > 20 || (major === 20 && minor >= 19)
  return isNew
    ? fine('node', node)
    : bad('node', `${node} is too old`, 'install Node 20.19 or later')
}

function configFinding(
  options: CommonOptions,
  terminal: Terminal,
): { finding: Finding; value: GuardConfigFile | null } {
  try {
    const value = configOf(options, terminal)
    const clients = value.clients.size
    const text = `${value.mode} mode, ${clients} client${clients === 1 ? '' : 's'}`
    const finding =
      clients === 0
        ? look('configuration', text, 'no bot can connect yet: guard client add')
        : fine('configuration', text)
    return { finding, value }
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    // What to do is in the details where nothing is set up, and what is wrong where it is not valid.
    const isSetUp = existsSync(homeOf(options, terminal).configFile)
    return {
      finding: isSetUp
        ? bad('configuration', told(error), 'docs/operating.md lists every key')
        : bad('configuration', error.message, error.details.join('; ')),
      value: null,
    }
  }
}

function told(error: CliError): string {
  return [error.message, ...error.details].join('; ')
}
