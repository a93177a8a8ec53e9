import { Option } from 'commander'
import type { Command } from 'commander'
import type { Home } from '../../config/home.ts'
import type { GuardConfigFile } from '../../config/readConfig.ts'
import { passphraseVariable } from '../../config/passphrase.ts'
import { loadCrypto } from '../../crypto/loadCrypto.ts'
import type { Log } from '../../engine/ports.ts'
import { keepHeapLean } from '../../system/leanHeap.ts'
import { createLog } from '../../system/streamLog.ts'
import type { LogFormat } from '../../system/streamLog.ts'
import { systemClock } from '../../system/systemClock.ts'
import { startGuard } from '../assembly/startGuard.ts'
import type { StartedGuard } from '../assembly/startGuard.ts'
import { announceReady } from '../../system/serviceManager.ts'
import { provenAccount } from '../provenAccount.ts'
import { claimAccount } from '../claimAccount.ts'
import { failed } from '../cliError.ts'
import { teach, withHome } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { endSignal } from '../endSignal.ts'
import { alertsOf, configOf, homeOf } from '../homeConfig.ts'
import { joinFleet } from '../joinFleet.ts'
import { standBy } from '../standBy.ts'
import type { End, StandbyRun } from '../standBy.ts'
import { hostFacts, hostMember, joinHost } from '../joinHost.ts'
import type { HostMember } from '../../host/hostMember.ts'
import { latchAtSignal } from '../killSignal.ts'
import { readListen } from '../listenFlag.ts'
import { loadKey } from '../loadKey.ts'
import { announceAddress } from '../runningAddress.ts'
import { watchClients } from '../watchClients.ts'
import { ownLimits, ownProcess, refuseUnsafeProcess, startWarnings } from '../safeProcess.ts'
import type { Terminal } from '../terminal.ts'

interface RunOptions extends CommonOptions {
  readonly listen?: string
  readonly logFormat?: LogFormat
  readonly standby?: boolean
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
    .option('--json', 'the same as --log-format json')
    .option(
      '--standby',
      'follow the account of a fleet and send nothing; take over when the Guard that acts for it is gone',
    )
    .action(async (options: RunOptions) => {
      refuseUnsafeProcess(ownProcess(terminal))
      keepHeapLean()
      await run(options, terminal)
    })
  teach(
    withHome(command),
    [
      'guard run',
      'guard run --home /var/lib/guard --log-format json',
      'guard run --standby          # on a second host: docs/fleet.md says how it is set up',
    ],
    'point the bot at the address printed, and open it in a browser for the monitor page',
  )
}

async function run(options: RunOptions, terminal: Terminal): Promise<void> {
  const config = listening(configOf(options, terminal), options.listen)
  const log = logOf(options, terminal)
  // Before the start: until it is taken this signal would end the process.
  const latchBy = latchAtSignal(log)
  const alerts = alertsOf(config, homeOf(options, terminal))
  for (const text of startWarnings(terminal.environment, ownLimits())) log.log('warn', text)
  const privateKey = await loadKey(config, await loadCrypto(), terminal)
  // Nothing that Guard starts needs it, and nobody should find it there.
  delete process.env[passphraseVariable]
  // Asked for before the start: a signal during recovery must end it in order, not abruptly.
  const ended = theEnd(log)
  const home = homeOf(options, terminal)
  const claim = async (host: HostMember): Promise<() => void> => {
    const letGo = await claimAccount(config, home.path, log)
    await joinHost(host, config).catch((error: unknown) => {
      letGo()
      throw error
    })
    return letGo
  }
  const undone: (() => void)[] = []
  const during: StandbyRun['during'] = async (started, host, until) => {
    host.describe(() => hostFacts(started.guard.status(), started.gateway.url))
    latchBy((reason) => started.guard.kill(reason))
    const undo = [
      watchClients(home, started.guard, log),
      announceAddress(config.stateDir, started.gateway.url, log),
    ]
    if (undone.length === 0) undone.push(announceReady(process.env, log))
    const end = await Promise.race([ended, lostLock(started), until])
    log.log('info', 'stopping', { reason: end.reason })
    for (const each of undo) each()
    await started.stop(end.reason)
    await host.leave()
    return end
  }
  const seams = await provenAccount(config, log)
  const parts = { config, privateKey, log, alerts, seams, claim }
  const isStandby = options.standby === true
  const acting = isStandby ? await standBy({ parts, home, during }) : await act(parts, home)
  privateKey?.fill(0)
  if ('started' in acting) announce(config, acting.started, log)
  const { reason, isFailure } =
    'started' in acting
      ? await during(acting.started, acting.host, failedRecovery(acting.started, log))
      : acting
  for (const each of undone) each()
  if (isFailure) throw failed(`Guard stopped by itself: ${reason}`)
}

/** Starts Guard to act for its account, alone or as a member of its fleet. */
async function act(
  { claim, ...parts }: StandbyRun['parts'],
  home: Home,
): Promise<{ readonly started: StartedGuard; readonly host: HostMember }> {
  const host = hostMember(parts.config, home.path)
  const fleet = await joinFleet(parts.config, home, parts.log)
  const started = await startGuard({
    ...{ ...parts, host, fleet, claim: () => claim(host) },
  }).catch(async (error: unknown) => {
    await host.leave()
    throw error
  })
  return { started, host }
}

function logOf(options: RunOptions, terminal: Terminal): Log {
  const log = createLog({
    format: options.logFormat ?? (isForAPerson(options, terminal) ? 'pretty' : 'json'),
    least: 'info',
    clock: systemClock,
    write: (lines) => {
      terminal.log.write(lines)
    },
    defer: setImmediate,
  })
  process.once('exit', () => {
    log.flush()
    terminal.log.flush()
  })
  return log
}

function isForAPerson(options: RunOptions, terminal: Terminal): boolean {
  return terminal.isInteractive && options.json !== true
}

function listening(config: GuardConfigFile, flag: string | undefined): GuardConfigFile {
  if (flag === undefined) return config
  return { ...config, listen: readListen(flag, config.exposedHosts !== null) }
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
}

/** Resolves only when recovery fails: a Guard that cannot know what it sent does not go on. */
async function failedRecovery({ recovered }: StartedGuard, log: Log): Promise<End> {
  try {
    await recovered
  } catch (error) {
    log.log('error', 'recovery failed', { error: String(error) })
    return { reason: `recovery failed: ${String(error)}`, isFailure: true }
  }
  log.log('info', 'recovered; bots are served')
  return await new Promise<never>(() => undefined)
}

/** Resolves only when another Guard may have the journal: two on one account fight each other. */
async function lostLock({ lost }: StartedGuard): Promise<End> {
  return { reason: await lost, isFailure: true }
}

/** The first of SIGTERM, SIGINT and a bug that nothing caught. */
function theEnd(log: Log): Promise<End> {
  // Until clients are watched, a reload has nothing to do; it must not end the process.
  process.on('SIGHUP', () => undefined)
  return new Promise((resolve) => {
    endSignal().first.then(
      (signal) => {
        resolve({ reason: signal, isFailure: false })
      },
      () => undefined,
    )
    process.on('uncaughtException', (error) => {
      log.log('error', 'a bug in Guard, please report it', { error: error.stack ?? String(error) })
      resolve({ reason: `a bug: ${error.message}`, isFailure: true })
    })
  })
}
