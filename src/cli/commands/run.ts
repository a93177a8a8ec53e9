import { Option } from 'commander'
import type { Command } from 'commander'
import { parseListen } from '../../config/listenAddress.ts'
import type { GuardConfigFile } from '../../config/readConfig.ts'
import { isLoopback } from '../../config/listenAddress.ts'
import { loadCrypto } from '../../crypto/loadCrypto.ts'
import type { Log } from '../../engine/ports.ts'
import { createLog } from '../../system/streamLog.ts'
import type { LogFormat } from '../../system/streamLog.ts'
import { systemClock } from '../../system/systemClock.ts'
import { startGuard } from '../assembly/startGuard.ts'
import type { StartedGuard } from '../assembly/startGuard.ts'
import { refused } from '../cliError.ts'
import { teach, withHome } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { configOf, homeOf } from '../homeConfig.ts'
import { loadKey } from '../loadKey.ts'
import { watchClients } from '../watchClients.ts'
import type { Terminal } from '../terminal.ts'

interface RunOptions extends CommonOptions {
  readonly listen?: string
  readonly logFormat?: LogFormat
}

export function runCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('run')
    .description('run Guard until SIGTERM or SIGINT (Ctrl-C)')
    .option('--listen <host:port>', 'listen here instead of where guard.toml says')
    .addOption(
      new Option('--log-format <format>', 'lines for a person or for a machine').choices([
        'pretty',
        'json',
      ]),
    )
    .action(async (options: RunOptions) => {
      await run(options, terminal)
    })
  teach(
    withHome(command),
    ['guard run', 'guard run --home /var/lib/guard --log-format json'],
    'point the bot at the address printed, and open it in a browser for the monitor page',
  )
}

async function run(options: RunOptions, terminal: Terminal): Promise<void> {
  const config = listening(configOf(options, terminal), options.listen)
  const log = createLog({
    format: options.logFormat ?? (terminal.isInteractive ? 'pretty' : 'json'),
    least: 'info',
    clock: systemClock,
    write: terminal.err,
  })
  const privateKey = await loadKey(config, await loadCrypto(), terminal)
  // Asked for before the start: a signal during recovery must end it in order, not abruptly.
  const signal = endSignal()
  const started = await startGuard({ config, privateKey, log })
  privateKey?.fill(0)
  const unwatch = watchClients(homeOf(options, terminal), started.guard, log)
  announce(config, started, log)
  const reason = await signal
  log.log('info', 'stopping', { reason })
  unwatch()
  await started.stop(reason)
}

function listening(config: GuardConfigFile, flag: string | undefined): GuardConfigFile {
  if (flag === undefined) return config
  const listen = parseListen(flag)
  if (!listen.ok) throw refused(`--listen ${listen.error}`)
  if (!isLoopback(listen.value.host) && config.exposedHosts === null) {
    throw refused(
      `--listen ${flag}: other machines could reach it; guard.toml must say expose first`,
    )
  }
  return { ...config, listen: listen.value }
}

function announce(config: GuardConfigFile, started: StartedGuard, log: Log): void {
  const { url } = started.gateway
  log.log('info', `Guard listens at ${url} in ${config.mode} mode`, {
    url,
    account: config.account,
  })
  if (config.mode === 'mainnet')
    log.log('warn', 'mainnet: orders that pass the rules trade real money')
  if (config.mode === 'paper')
    log.log('info', 'paper: orders are judged and recorded; nothing is sent')
  if (config.clients.size === 0)
    log.log('warn', 'no client key is set up; add one with: guard client add')
  started.recovered.then(
    () => {
      log.log('info', 'recovered; bots are served')
    },
    (error: unknown) => {
      log.log('error', 'recovery failed', { error: String(error) })
    },
  )
}

/** The first of SIGTERM and SIGINT; a second one while Guard finishes ends the process at once. */
function endSignal(): Promise<'SIGTERM' | 'SIGINT'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.once(signal, () => {
        resolve(signal)
      })
    }
  })
}
