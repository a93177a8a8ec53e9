import * as z from 'zod'
import { fieldWords } from '../core/values/fieldWords.ts'
import { err, ok } from '../core/values/result.ts'
import type { Result } from '../core/values/result.ts'
import { alertKindNames, factsOf } from './alertFacts.ts'
import type { AlertKind } from './alertFacts.ts'
import type { Severity } from './severity.ts'
import { parseQuietTime } from './quietHours.ts'
import type { QuietHours } from './quietHours.ts'

/** `[alerts]` of guard.toml. Secrets are in files of their own, named here, never in the text. */

const channelNames = ['telegram', 'discord', 'slack', 'ntfy', 'webhook'] as const
export type ChannelName = (typeof channelNames)[number]

export interface AlertsConfig {
  /** The first one is told; the next only when it fails. */
  readonly order: readonly ChannelName[]
  readonly channels: Channels
  readonly severity: Readonly<Record<AlertKind, Severity | 'off'>>
  readonly quiet: QuietHours | null
  readonly heartbeat: HeartbeatConfig | null
  readonly timeoutMs: number
}

/** The address itself, or the file it stands in: it often holds a token. */
type HeartbeatConfig = { readonly everyMs: number } & (
  { readonly url: string } | { readonly urlFile: string }
)

interface AlertsProblem {
  readonly path: readonly string[]
  readonly text: string
}

const text = (most: number): z.ZodString => z.string().min(1).max(most)

const url = text(500).transform((given, context) => {
  const problem = urlProblem(given)
  if (problem === null) return given.replace(/\/+$/, '')
  context.addIssue({ code: 'custom', message: problem })
  return z.NEVER
})

const count = (least: number, most: number): z.ZodNumber =>
  z.int(`must be a whole number from ${least} to ${most}`).min(least).max(most)

const chatForm = 'must be a chat number or an @channel'

const channelsSchema = {
  telegram: z
    .strictObject({
      chat_id: z
        .union([text(64), z.int().transform(String)], chatForm)
        .refine((id) => /^(-?\d+|@\w+)$/.test(id), chatForm),
      token_file: text(1_000),
      base_url: url.default('https://api.telegram.org'),
    })
    .optional(),
  discord: z
    .strictObject({
      webhook_file: text(1_000),
      base_url: url.default('https://discord.com/api/webhooks'),
    })
    .optional(),
  slack: z
    .strictObject({
      webhook_file: text(1_000),
      base_url: url.default('https://hooks.slack.com/services'),
    })
    .optional(),
  ntfy: z
    .strictObject({
      topic: z.string().regex(/^[-_A-Za-z0-9]{1,64}$/, 'must be 1 to 64 letters, digits, - or _'),
      token_file: text(1_000).optional(),
      base_url: url.default('https://ntfy.sh'),
    })
    .optional(),
  webhook: z.strictObject({ url, secret_file: text(1_000) }).optional(),
}

const quietSchema = z.strictObject({
  from: z.string(),
  to: z.string(),
  time_zone: text(64).default('UTC'),
})

const schema = z.strictObject({
  order: z.array(z.enum(channelNames)).max(channelNames.length).optional(),
  timeout_ms: count(500, 60_000).default(10_000),
  severity: z
    .partialRecord(
      z.enum(alertKindNames as [AlertKind, ...AlertKind[]]),
      z.enum(['critical', 'warning', 'info', 'off']),
    )
    .default({}),
  quiet_hours: quietSchema.optional(),
  heartbeat: z
    .strictObject({
      url: url.optional(),
      url_file: text(1_000).optional(),
      every_seconds: count(10, 3_600).default(60),
    })
    .optional(),
  ...channelsSchema,
})

type Table = z.infer<typeof schema>
type HeartbeatTable = NonNullable<Table['heartbeat']>
type Channels = Pick<Table, ChannelName>

/** Reads the `[alerts]` table; every violation at once, each with its path. */
export function readAlerts(table: unknown): Result<AlertsConfig, AlertsProblem[]> {
  const shape = schema.safeParse(table, { error: fieldWords })
  if (!shape.success) return err(shape.error.issues.flatMap(shapeProblems))
  const { order, quiet_hours, heartbeat, severity, timeout_ms, ...channels } = shape.data
  const present = channelNames.filter((name) => channels[name] !== undefined)
  const problems = [
    ...orderProblems(order ?? present, present),
    ...(quiet_hours === undefined ? [] : quietProblems(quiet_hours)),
    ...(heartbeat === undefined ? [] : heartbeatProblems(heartbeat)),
  ]
  const isEmpty = present.length === 0 && heartbeat === undefined
  if (isEmpty && Object.keys(table as object).length > 0) {
    problems.push({
      path: ['alerts'],
      text: `names no channel; set up one of ${channelNames.join(', ')}, or a heartbeat`,
    })
  }
  if (problems.length > 0) return err(problems)
  return ok({
    order: order ?? present,
    channels,
    severity: severities(severity),
    quiet: quiet_hours === undefined ? null : quietOf(quiet_hours),
    heartbeat: heartbeat === undefined ? null : heartbeatOf(heartbeat),
    timeoutMs: timeout_ms,
  })
}

function severities(given: Table['severity']): AlertsConfig['severity'] {
  const all = alertKindNames.map((kind) => [kind, given[kind] ?? factsOf(kind).severity] as const)
  return Object.fromEntries(all) as AlertsConfig['severity']
}

function orderProblems(
  order: readonly ChannelName[],
  present: readonly ChannelName[],
): AlertsProblem[] {
  const path = ['alerts', 'order']
  const missing = order.filter((name) => !present.includes(name))
  const left = present.filter((name) => !order.includes(name))
  return [
    ...missing.map((name) => ({ path, text: `names ${name}, but there is no [alerts.${name}]` })),
    ...left.map((name) => ({ path, text: `leaves out ${name}, which is set up and never used` })),
    ...(new Set(order).size === order.length ? [] : [{ path, text: 'names a channel twice' }]),
  ]
}

function quietProblems({ from, to, time_zone }: z.infer<typeof quietSchema>): AlertsProblem[] {
  const at = (key: string): string[] => ['alerts', 'quiet_hours', key]
  const problems: AlertsProblem[] = []
  for (const [key, value] of [
    ['from', from],
    ['to', to],
  ] as const) {
    if (parseQuietTime(value) === null)
      problems.push({ path: at(key), text: `must be a time such as "22:30", not "${value}"` })
  }
  if (from === to) problems.push({ path: at('to'), text: 'is the same time as from' })
  try {
    new Intl.DateTimeFormat('en', { timeZone: time_zone })
  } catch {
    problems.push({
      path: at('time_zone'),
      text: `must be a time zone such as "Europe/Berlin", not "${time_zone}"`,
    })
  }
  return problems
}

function heartbeatProblems({ url, url_file }: HeartbeatTable): AlertsProblem[] {
  if ((url === undefined) !== (url_file === undefined)) return []
  return [{ path: ['alerts', 'heartbeat'], text: 'needs either url or url_file, and not both' }]
}

function heartbeatOf({ url, url_file, every_seconds }: HeartbeatTable): HeartbeatConfig {
  const everyMs = every_seconds * 1_000
  return url === undefined ? { urlFile: url_file ?? '', everyMs } : { url, everyMs }
}

function quietOf({ from, to, time_zone }: z.infer<typeof quietSchema>): QuietHours {
  return { from: parseQuietTime(from) ?? 0, to: parseQuietTime(to) ?? 0, timeZone: time_zone }
}

type Issue = z.core.$ZodIssue

function shapeProblems(issue: Issue): AlertsProblem[] {
  const path = ['alerts', ...issue.path.map(String)]
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({ path: [...path, key], text: 'is not a key Guard knows' }))
  if (issue.code === 'invalid_key')
    return [{ path, text: `is no kind of alert; there are ${alertKindNames.join(', ')}` }]
  return [{ path, text: issue.message }]
}

/** Secrets and figures of an account do not travel in the open. */
export function urlProblem(given: string): string | null {
  let parsed: URL
  try {
    parsed = new URL(given)
  } catch {
    return 'must be an address such as "https://example.org"'
  }
  if (parsed.username !== '' || parsed.password !== '') return 'must not contain a password'
  if (parsed.protocol === 'https:') return null
  const isLocal = ['127.0.0.1', 'localhost', '[::1]'].includes(parsed.hostname)
  if (parsed.protocol === 'http:' && isLocal) return null
  return 'must start with https:// (http:// only for this machine)'
}
