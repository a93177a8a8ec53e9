import { Decimal } from '../core/values/decimal.ts'
import type { AlertView, StatusView } from '../engine/statusView.ts'
import { alertKinds } from './alertKinds.ts'
import type { AlertKind } from './alertFacts.ts'

/** Something that lasts: it begins, goes on, and is over. */
export interface Condition {
  readonly key: string
  readonly kind: AlertKind
  readonly text: string
  readonly since: number
}

/** When the API wallet ends; null when unknown or never. */
export type AgentEnd = number | null

const dayMs = 86_400_000
const expiringMs = 14 * dayMs
const expiringSoonMs = 2 * dayMs

/** What lasts now, by the status. `current` says what a key is at present, for hysteresis. */
export function conditionsOf(
  status: StatusView,
  agentEnd: AgentEnd,
  current: (key: string) => AlertKind | null,
): readonly Condition[] {
  const { risk, now_ms: now } = status
  const found: Condition[] = status.alerts.map(ofAlert)
  if (status.kill.latched) {
    const text = killText(status.kill.reason ?? 'no reason is known')
    found.push({ key: 'kill', kind: 'kill', text, since: status.kill.at_ms ?? now })
  }
  if (risk.state !== 'active') found.push(haltOf(status))
  const limits = [
    ['daily_loss', risk.daily_loss, risk.daily_loss_limit],
    ['drawdown', risk.drawdown, risk.drawdown_limit],
    ['open_risk', risk.open_risk, risk.open_risk_limit],
  ] as const
  for (const [key, used, limit] of limits) {
    // Once a limit has acted, what it did is the news.
    if (key !== 'open_risk' && risk.state !== 'active') continue
    const level = levelOf(used, limit, current(key))
    if (level === null || used === null || limit === null) continue
    const unit = key === 'open_risk' ? usd : percent
    const text = `${unit(used)} of ${unit(limit)} used`
    found.push({ key, kind: `${key}_${level}`, text, since: now })
  }
  if (agentEnd !== null && agentEnd - now < expiringMs) {
    const kind = agentEnd - now < expiringSoonMs ? 'agent_expiring_soon' : 'agent_expiring'
    const text = `it ends ${new Date(agentEnd).toISOString().slice(0, 16).replace('T', ' ')} UTC`
    found.push({ key: 'agent', kind, text, since: now })
  }
  return found
}

function haltOf({ risk, now_ms: since }: StatusView): Condition {
  const kind = risk.state === 'stopped' ? 'drawdown_halt' : 'daily_loss_stop'
  return { key: kind, kind, text: haltText(risk.detail), since }
}

/**
 * Why the kill switch was pulled, or what follows from it. What a client wrote stands behind who it
 * is: a long text cannot push that out of a message, and none passes for the owner's.
 */
export function killText(reason: string): string {
  const [, before = '', words = '', client = ''] =
    /^(kill switch: )?(.*) \((client 0x[0-9a-f]{40})\)$/s.exec(reason) ?? []
  return client === '' ? reason : `${before}${client} says: ${words}`
}

/** The figures behind a halt, for a person. */
export function haltText(detail: StatusView['risk']['detail']): string {
  if (detail === null) return 'the limit was reached'
  const from = 'peak' in detail ? `peak ${usd(detail.peak)}` : `day start ${usd(detail.day_start)}`
  return `equity ${usd(detail.equity)}, ${from}, limit ${percent(detail.limit)}`
}

function ofAlert(alert: AlertView): Condition {
  const { code, coin, text, since_ms: since } = alert
  const isKnown = Object.hasOwn(alertKinds, code)
  const kind = isKnown ? (code as AlertKind) : 'condition'
  return { key: coin === undefined ? code : `${code}:${coin}`, kind, text, since }
}

const levels = [
  ['80', Decimal.of('0.8'), Decimal.of('0.75')],
  ['60', Decimal.of('0.6'), Decimal.of('0.55')],
] as const

/** A level is reached at its share, and left a little below, so that nothing flutters. */
function levelOf(
  used: string | null,
  limit: string | null,
  current: AlertKind | null,
): '60' | '80' | null {
  if (used === null || limit === null) return null
  const whole = Decimal.of(limit)
  if (!whole.isPositive()) return null
  const reached = levels.find(([level, enter, leave]) => {
    const isIn = current?.endsWith(`_80`) === true || current?.endsWith(`_${level}`) === true
    return Decimal.of(used).gte(whole.times(isIn ? leave : enter))
  })
  return reached?.[0] ?? null
}

function usd(text: string): string {
  const [whole = '0', fraction = ''] = Decimal.of(text)
    .rounded(2, 'half-even')
    .toString()
    .split('.')
  return `${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${fraction.padEnd(2, '0')} USD`
}

function percent(ratio: string): string {
  return `${Decimal.of(ratio).times(Decimal.whole(100)).rounded(2, 'half-even').normalised().toString()}%`
}
