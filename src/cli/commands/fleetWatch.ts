import { existsSync } from 'node:fs'
import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { silentAlertsObserver } from '../../alerts/alertsObserver.ts'
import { Delivery } from '../../alerts/delivery.ts'
import type { Message } from '../../alerts/message.ts'
import { httpSend } from '../../alerts/send.ts'
import { readSecretFile } from '../../config/secretFile.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { shownJsonText, shownText } from '../../core/values/shownText.ts'
import type { FleetAdmin } from '../../fleet/fleetProgram.ts'
import { exposedWords } from '../../gateway/gatewayOptions.ts'
import { Registry } from '../../gateway/metrics/registry.ts'
import { createLog } from '../../system/streamLog.ts'
import { systemClock } from '../../system/systemClock.ts'
import { systemTimers } from '../../system/systemTimers.ts'
import { pageDirectory } from '../assembly/pageDirectory.ts'
import { failed, refused } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import { endSignal } from '../endSignal.ts'
import { exposedListen } from '../exposedListen.ts'
import { fleetStore } from '../fleetStore.ts'
import type { FleetOptions } from '../fleetStore.ts'
import { alertsOf, configOf, homeOf } from '../homeConfig.ts'
import { paint } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { version } from '../version.ts'
import { readScope } from './fleetKill.ts'
import { readUsd } from './fleetLimit.ts'

interface WatchFlags extends FleetOptions {
  readonly listen: string
  readonly tokenFile?: string
  readonly expose?: string
  readonly exposeHost?: readonly string[]
  readonly lossStop: readonly LossStop[]
  readonly operatorUrlFile?: string
}

interface LossStop {
  readonly scope: string
  readonly usd: string
}

type WatchWishes = Parameters<FleetAdmin['watch']>[0]
type AlertChange = Parameters<WatchWishes['onAlert']>[0]
type Raised = Parameters<WatchWishes['onRaised']>[0]

export function fleetWatchCommand(fleet: Command, terminal: Terminal): void {
  const command = fleet
    .command('watch')
    .description('the fleet’s page and metrics, and alerts for who is silent (monitor)')
    .option('--url-file <file>', 'a monitor’s URL, 0600 (default: fleet-admin.url in the home)')
    .option('--listen <host:port>', 'where the page is served', '127.0.0.1:8600')
    .option('--token-file <file>', 'a token that readers must bring, 0600')
    .option('--expose <words>', `to listen beyond this machine: "${exposedWords}"`)
    .option('--expose-host <names...>', 'the names by which other machines may call it')
    .addOption(
      new Option(
        '--loss-stop <scope=usd>',
        'kill a scope that has lost so much since the UTC day began; may be given several times',
      )
        .argParser((value: string, before: readonly LossStop[]) => [...before, readLossStop(value)])
        .default([], 'none'),
    )
    .option('--operator-url-file <file>', 'for --loss-stop: an operator’s URL, 0600')
    .action((options: WatchFlags) => watch(options, terminal))
  teach(
    withJson(withHome(command)),
    [
      'guard fleet watch --url-file monitor.url',
      'guard fleet watch --url-file monitor.url --loss-stop fleet=5000 --operator-url-file operator.url',
    ],
    'open the address in a browser; Prometheus reads /metrics, programs /fleet/state (docs/fleet.md)',
  )
}

async function watch(options: WatchFlags, terminal: Terminal): Promise<void> {
  const { host, port, door } = exposedListen('--listen', options.listen, options)
  const store = await fleetStore(options, terminal, 'monitor')
  const operatorUrl = operatorUrlOf(options)
  const deliver = deliveryOf(options, terminal)
  const onAlert = (change: AlertChange): void => {
    tell(change, options, terminal)
    deliver?.(messageOf(change))
  }
  const onRaised = (raised: Raised): void => {
    tellRaised(raised, options, terminal)
    deliver?.(messageOfStop(raised))
  }
  const end = endSignal()
  const opened = await listening(options, () =>
    store.watch(
      {
        ...{ host, port, door, onAlert, onRaised, registry: new Registry(), version },
        ...{ pageDirectory: pageDirectory(), clock: systemClock, timers: systemTimers },
        lossStops: options.lossStop,
      },
      operatorUrl,
    ),
  )
  if (!opened.ok) throw refused(`${options.operatorUrlFile ?? ''} ${opened.error}`)
  const { url } = opened.value
  if (options.json === true) line(terminal, { watch: { url, store: store.place } })
  else
    terminal.out(
      `${paint('bold', 'Guard fleet')}  ${paint('cyan', url)}\n${introduction(store, options)}`,
    )
  await end.first
  end.release()
  await opened.value.close()
}

function introduction({ place }: FleetAdmin, { lossStop }: WatchFlags): string {
  const stops = lossStop.map(
    ({ scope, usd }) => `  ${scope} is killed at a loss of ${usd} USD a day\n`,
  )
  return `  store ${place}\n${stops.join('')}`
}

function operatorUrlOf({ lossStop, operatorUrlFile }: WatchFlags): string | null {
  if (lossStop.length === 0) return null
  if (operatorUrlFile === undefined) {
    throw refused(
      '--loss-stop raises a kill, for which it needs an operator’s URL: --operator-url-file FILE',
    )
  }
  const text = readSecretFile(operatorUrlFile)
  if (!text.ok) throw refused(text.error)
  return text.value
}

async function listening<T>({ listen }: WatchFlags, start: () => Promise<T>): Promise<T> {
  try {
    return await start()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw failed(`${listen} is taken`, ['choose another one with: --listen 127.0.0.1:PORT'])
    }
    throw error
  }
}

/** One document in each line: the address, then each alert as it begins and ends, and each loss stop. */
function line(terminal: Terminal, value: object): void {
  terminal.out(`${shownJsonText(JSON.stringify(value))}\n`)
}

function tell({ phase, alert }: AlertChange, options: WatchFlags, terminal: Terminal): void {
  if (options.json === true) {
    line(terminal, { alert: { phase, ...alert } })
    return
  }
  const word = phase === 'began' ? paint('red', 'ALERT') : paint('green', 'over ')
  terminal.out(`${timeNow()} ${word} ${shownText(alert.text)}\n`)
}

/** The watcher has stopped a scope by itself: the one thing that it does. */
function tellRaised(raised: Raised, options: WatchFlags, terminal: Terminal): void {
  if (options.json === true) line(terminal, { loss_stop: raised })
  else terminal.out(`${timeNow()} ${paint('red', 'KILL ')} ${wordsOn(raised)}\n`)
}

function wordsOn({ scope, epoch, reason }: Raised): string {
  return shownText(`raised for ${scope}, epoch ${epoch}: ${reason}`)
}

function timeNow(): string {
  return new Date(systemClock.now()).toISOString().slice(11, 19)
}

/** Through the channels of `[alerts]`, where the home has any; null where it has none. */
function deliveryOf(options: WatchFlags, terminal: Terminal): ((message: Message) => void) | null {
  const home = homeOf(options, terminal)
  if (!existsSync(home.configFile)) return null
  const setup = alertsOf(configOf(options, terminal), home)
  if (setup === null || setup.channels.length === 0) return null
  const log = createLog({
    ...{ format: 'pretty', least: 'warn', clock: systemClock, defer: setImmediate },
    write: (text) => {
      terminal.err(text)
    },
  })
  const delivery = new Delivery({
    ...{ channels: setup.channels, timeoutMs: setup.config.timeoutMs, clock: systemClock, log },
    ...{ send: httpSend(systemTimers), observer: silentAlertsObserver },
  })
  return (message) => {
    void delivery.deliver(message).catch((error: unknown) => {
      log.log('error', 'an alert of the fleet could not be sent', { error: String(error) })
    })
  }
}

function messageOf({ phase, alert }: AlertChange): Message {
  const at = systemClock.now()
  const isOver = phase === 'over'
  return {
    id: `fleet-${alert.code}-${alert.member ?? ''}-${at}`,
    severity: isOver ? 'info' : 'critical',
    isSilent: false,
    title: `${isOver ? '🟢' : '🔴'} Guard fleet: ${alert.code.replaceAll('_', ' ')}${isOver ? ' is over' : ''}`,
    body: shownText(alert.text),
    at,
    lines: [],
  }
}

function messageOfStop(raised: Raised): Message {
  return {
    id: `fleet-kill-${raised.epoch}`,
    ...{ severity: 'critical', isSilent: false, at: systemClock.now(), lines: [] },
    title: '🔴 Guard fleet: a loss of the day, a kill is raised',
    body: wordsOn(raised),
  }
}

function readLossStop(value: string): LossStop {
  const at = value.lastIndexOf('=')
  const usd = Decimal.parse(value.slice(at + 1))
  if (at < 1 || !usd.ok || !usd.value.isPositive()) {
    throw new InvalidArgumentError('It must be SCOPE=USD, such as fleet=5000 or group:desk=1000.')
  }
  return { scope: readScope(value.slice(0, at)), usd: readUsd(value.slice(at + 1)).toString() }
}
