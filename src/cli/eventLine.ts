import type { GuardEvent } from '../core/events/guardEvent.ts'
import { shownValue } from '../core/values/shownText.ts'
import { unreachable } from '../core/values/unreachable.ts'
import { paint } from './terminal.ts'

const verdictColours = { allow: 'green', resize: 'yellow', veto: 'red' } as const

/** One event as a line a person reads; what came from outside cannot break the line. */
export function eventLine(event: GuardEvent): string {
  const time = new Date(event.at_ms).toISOString().slice(0, 23).replace('T', ' ')
  return `${paint('gray', `${String(event.seq).padStart(6)} ${time}`)} ${say(shownValue(event))}`
}

function say(event: GuardEvent): string {
  switch (event.kind) {
    case 'started':
      return `started in ${event.mode} mode for ${event.account}, version ${event.version}`
    case 'decision':
      return `${paint(verdictColours[event.verdict], event.verdict.padEnd(6))} [${event.code}] ${event.action ?? 'request'}: ${event.text}`
    case 'sent':
      return `sent   action ${event.index} of event ${event.decision}: ${event.ok ? paint('green', 'accepted') : paint('red', `not accepted ${JSON.stringify(event.reply)}`)}`
    case 'risk':
      return `risk   ${paint(event.state === 'active' ? 'green' : 'red', event.state)}, equity ${event.equity ?? 'unknown'}, ${event.open_positions} position${event.open_positions === 1 ? '' : 's'}${event.discrepancies.map((each) => `; ${each}`).join('')}`
    case 'flatten':
      return `${paint('red', 'flatten')} ${event.reason}: ${actions(event.actions.length)}${event.sent ? '' : ' (not sent)'}${problems(event.problems)}`
    case 'protect':
      return `${paint('magenta', 'protect')} ${event.coins.join(', ')}: ${actions(event.actions.length)}${event.sent ? '' : ' (not sent)'}${problems(event.problems)}`
    case 'kill':
      return `${paint('red', 'KILL')}   ${event.reason}`
    case 'error':
      return `${paint('red', 'error')}  ${event.text}`
    case 'stopped':
      return `stopped: ${event.reason}`
    case 'recovered':
      return `recovered action ${event.index} of event ${event.of}: ${event.outcome} (${event.evidence})`
    case 'reviewed':
      return `reviewed ${event.what}: ${event.reason}`
    default:
      return unreachable(event)
  }
}

function problems(list: readonly string[]): string {
  return list.length === 0 ? '' : `; ${paint('red', list.join('; '))}`
}

function actions(count: number): string {
  return count === 1 ? '1 action' : `${count} actions`
}
