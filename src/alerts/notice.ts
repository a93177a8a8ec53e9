import type { GuardEvent } from '../core/events/guardEvent.ts'
import type { WireAction } from '../core/protocol/action.ts'
import { unreachable } from '../core/values/unreachable.ts'
import type { AlertKind } from './alertFacts.ts'
import { haltText, killText } from './condition.ts'
import type { Condition } from './condition.ts'

/** One thing to tell a person. Those with the same key and phase are told together. */
export interface Notice {
  readonly key: string
  readonly kind: AlertKind
  readonly phase: 'happened' | 'began' | 'still' | 'over'
  readonly text: string
  readonly at: number
}

/** What an event means to a person: it happened, or something that lasts began. */
type Meaning = { readonly happened: Notice } | { readonly began: Condition } | null

export function meaningOf(event: GuardEvent): Meaning {
  const { at_ms: at } = event
  const happened = (kind: AlertKind, text: string, key: string = kind): Meaning => ({
    happened: { key, kind, phase: 'happened', text, at },
  })
  const began = (kind: AlertKind, text: string): Meaning => ({
    began: { key: kind, kind, text, since: at },
  })
  switch (event.kind) {
    case 'kill':
      return began('kill', killText(event.reason))
    case 'risk':
      if (event.state === 'active') return null
      return began(
        event.state === 'stopped' ? 'drawdown_halt' : 'daily_loss_stop',
        haltText(event.detail),
      )
    case 'flatten':
      return happened(
        'flatten',
        `${killText(event.reason)}${paper(event.sent)}${told(event.problems)}`,
      )
    case 'protect':
      return happened(
        'protect',
        `${event.coins.join(', ')}: ${deeds(event.actions)}${told(event.problems)}${paper(event.sent)}`,
        `protect:${event.coins.join(',')}`,
      )
    case 'error':
      return happened('error', event.text)
    case 'stopped':
      return happened('stopped', event.reason)
    case 'started':
      return happened('started', `version ${event.version}, ${event.mode} mode`)
    case 'reviewed':
      return happened('reviewed', `${event.what}: ${event.reason}`)
    case 'recovered':
      return event.outcome === 'unknown'
        ? happened('recovered', `action ${event.index} of event ${event.of}: ${event.evidence}`)
        : null
    case 'decision':
      return event.verdict === 'veto'
        ? happened('veto', `${event.code}: ${event.text}`, `veto:${event.code}`)
        : null
    case 'sent':
      return event.ok
        ? null
        : happened('undelivered', `event ${event.decision}: ${reply(event.reply)}`)
    default:
      return unreachable(event)
  }
}

function paper(sent: boolean): string {
  return sent ? '' : ' (paper mode: nothing was sent)'
}

function told(problems: readonly string[]): string {
  return problems.length === 0 ? '' : `; problems: ${problems.join('; ')}`
}

/** What Guard sends, in words: a stop, a close, a cancel. */
function deeds(actions: readonly WireAction[]): string {
  const words = actions.map((action) => {
    if (action['type'] !== 'order') return 'an order is cancelled'
    return JSON.stringify(action).includes('"trigger"') ? 'a stop is placed' : 'it is closed'
  })
  return words.length === 0 ? 'nothing could be done' : [...new Set(words)].join(', ')
}

function reply(value: unknown): string {
  return JSON.stringify(value).slice(0, 160)
}
