import { mkdtempSync } from 'node:fs'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Log } from '../engine/ports.ts'
import type { StatusView } from '../engine/statusView.ts'
import { FakeReader, FakeTime } from '../gateway/gateway.fixture.ts'
import { fakeStatus } from '../gateway/status.fixture.ts'
import { readAlerts } from './alertsConfig.ts'
import type { AlertsConfig } from './alertsConfig.ts'
import type { Channel } from './channel.ts'
import { openChannels } from './openChannels.ts'
import { openHeartbeat } from './openHeartbeat.ts'
import { silentAlertsObserver } from './alertsObserver.ts'
import { httpSend } from './send.ts'
import { startAlerts } from './startAlerts.ts'
import type { AlertsDeps, RunningAlerts } from './startAlerts.ts'

/** Builders for tests of the alerts: real HTTP, real disk, time that a test moves. */

export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly text: string
  readonly json: any
}

export interface Service {
  readonly url: string
  readonly received: Received[]
  /** How the next requests are answered; a service that never answers does nothing here. */
  answer: (request: Received, response: ServerResponse) => void
}

/** A local server that stands for a chat service. */
export async function startService(answer: Service['answer']): Promise<Service> {
  const service = { url: '', received: [] as Received[], answer }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      const received = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        text,
        json: text.startsWith('{') ? JSON.parse(text) : null,
      }
      service.received.push(received)
      service.answer(received, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return service
}

export function say(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

export const silence = (): void => undefined

export const secrets: Record<string, string> = {
  telegram: '123456:AAsecretsecretsecret_-x',
  discord: 'https://discord.com/api/webhooks/42/dIscordSecretToken',
  slack: 'https://hooks.slack.com/services/T01/B02/sLackSecretPart',
  ntfy: 'tk_ntfysecrettoken',
  webhook: 'a-webhook-secret-of-some-length',
}

export function configOf(table: object): AlertsConfig {
  const read = readAlerts(table)
  if (!read.ok) throw new Error(JSON.stringify(read.error))
  return read.value
}

export function channelsOf(config: AlertsConfig): readonly Channel[] {
  const opened = openChannels(config, (path) => ({ ok: true, value: `${secrets[path] ?? ''}\n` }))
  if (!opened.ok) throw new Error(opened.error.join('; '))
  return opened.value
}

function heartbeatIn(config: AlertsConfig) {
  const opened = openHeartbeat(config, (path) => ({ ok: true, value: secrets[path] ?? path }))
  if (!opened.ok) throw new Error(opened.error)
  return opened.value
}

/** Every channel, each pointed at a service. */
export function tableFor(services: { readonly [name: string]: Service }): Record<string, object> {
  const base = (name: string): string => services[name]?.url ?? ''
  const all: Record<string, object> = {
    telegram: { chat_id: '-100123', token_file: 'telegram', base_url: base('telegram') },
    discord: { webhook_file: 'discord', base_url: `${base('discord')}/api/webhooks` },
    slack: { webhook_file: 'slack', base_url: `${base('slack')}/services` },
    ntfy: { topic: 'guard-abc', token_file: 'ntfy', base_url: base('ntfy') },
    webhook: { url: `${base('webhook')}/hook?x=1`, secret_file: 'webhook' },
  }
  return Object.fromEntries(Object.keys(services).map((name) => [name, all[name] ?? {}]))
}

interface AlertsRig {
  readonly alerts: RunningAlerts
  readonly time: FakeTime
  readonly reader: FakeReader
  readonly stateDir: string
  readonly logged: string[]
  status: StatusView
  agentEnd: number | null
  /** Lets the clock run, second by second, each one to its end. */
  seconds(count: number): Promise<void>
}

export const quietStatus: StatusView = {
  ...fakeStatus,
  alerts: [],
  risk: { ...fakeStatus.risk, daily_loss: '0', drawdown: '0', open_risk: '0' },
}

export function newStateDir(): string {
  return mkdtempSync(join(tmpdir(), 'guard-alerts-'))
}

export async function startAlertsRig(
  table: object,
  given: Partial<Pick<AlertsRig, 'time' | 'reader' | 'stateDir'>> & Partial<AlertsDeps> = {},
): Promise<AlertsRig> {
  const time = given.time ?? new FakeTime()
  const reader = given.reader ?? new FakeReader()
  const stateDir = given.stateDir ?? newStateDir()
  const logged: string[] = []
  const log: Log = {
    log: (level, message, fields) => void logged.push(JSON.stringify([level, message, fields])),
  }
  const config = configOf(table)
  const rig = {
    status: quietStatus,
    agentEnd: null as number | null,
    time,
    reader,
    stateDir,
    logged,
  }
  const alerts = await startAlerts({
    config,
    channels: channelsOf(config),
    heartbeat: heartbeatIn(config),
    reader,
    status: () => ({ ...rig.status, now_ms: time.ms }),
    head: () => ({ seq: 7, hash: 'ab'.repeat(32) }),
    agentEnd: () => Promise.resolve(rig.agentEnd),
    clock: time,
    timers: time,
    log,
    stateDir,
    send: given.send ?? httpSend(time),
    observer: given.observer ?? silentAlertsObserver,
  })
  const seconds = async (count: number): Promise<void> => {
    for (let second = 0; second < count; second += 1) {
      time.advance(1_000)
      await alerts.settled()
    }
  }
  return Object.assign(rig, { alerts, seconds })
}
