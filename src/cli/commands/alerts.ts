import type { Command } from 'commander'
import type { Channel } from '../../alerts/channel.ts'
import { silentAlertsObserver } from '../../alerts/alertsObserver.ts'
import { Delivery } from '../../alerts/delivery.ts'
import type { Message } from '../../alerts/message.ts'
import { httpSend } from '../../alerts/send.ts'
import type { GuardConfigFile } from '../../config/readConfig.ts'
import { systemClock } from '../../system/systemClock.ts'
import { systemTimers } from '../../system/systemTimers.ts'
import type { AlertsSetup } from '../assembly/runAlerts.ts'
import { failedAsTold, refused } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { alertsOf, configOf, homeOf } from '../homeConfig.ts'
import { paint, printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

interface Tested {
  readonly channel: string
  readonly ok: boolean
  readonly text: string
}

export function alertsCommand(program: Command, terminal: Terminal): void {
  const alerts = program.command('alerts').description('chat messages and webhooks')
  const test = alerts
    .command('test')
    .description('send a test message through each channel that is set up')
    .action(async (options: CommonOptions) => {
      const config = configOf(options, terminal)
      const setup = alertsOf(config, homeOf(options, terminal))
      if (setup === null || setup.channels.length === 0)
        throw refused('no alert channel is set up', ['see docs/alerts.md for [alerts]'])
      const results = await testAll(setup, config)
      if (options.json === true) printJson(terminal, results)
      else terminal.out(results.map(line).join(''))
      const broken = results.filter(({ ok }) => !ok).length
      if (broken > 0) throw failedAsTold(`${broken} of ${results.length} channels did not take it`)
    })
  teach(
    withJson(withHome(test)),
    ['guard alerts test', 'guard alerts test --json'],
    'guard run tells through the first channel, and through the next when it fails',
  )
}

/** Each channel for itself: a test of the second one must not need the first to fail. */
function testAll(setup: AlertsSetup, config: GuardConfigFile): Promise<readonly Tested[]> {
  const delivery = new Delivery({
    channels: setup.channels,
    send: httpSend(systemTimers),
    timeoutMs: setup.config.timeoutMs,
    clock: systemClock,
    log: { log: () => undefined },
    observer: silentAlertsObserver,
  })
  const message = testMessage(config)
  return Promise.all(
    setup.channels.map(async (channel: Channel): Promise<Tested> => {
      const outcome = await delivery.attempt(channel, message)
      switch (outcome.kind) {
        case 'sent':
          return { channel: channel.name, ok: true, text: 'took the test message' }
        case 'wait': {
          const seconds = Math.ceil(outcome.ms / 1_000)
          return { channel: channel.name, ok: false, text: `asks to wait ${seconds} s` }
        }
        case 'failed':
          return { channel: channel.name, ok: false, text: outcome.text }
      }
    }),
  )
}

function testMessage({ account, mode }: GuardConfigFile): Message {
  const now = systemClock.now()
  return {
    id: `test-${now}`,
    severity: 'info',
    isSilent: false,
    title: `🔵 ${mode}: Guard test message`,
    body: `If you can read this, alerts for ${account.slice(0, 6)}…${account.slice(-4)} reach you here.`,
    at: now,
    lines: [],
  }
}

function line({ channel, ok, text }: Tested): string {
  return `${ok ? paint('green', 'ok  ') : paint('red', 'fail')} ${channel}: ${text}\n`
}
