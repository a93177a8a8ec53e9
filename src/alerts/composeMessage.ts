import { limits } from '../core/values/limits.ts'
import { createHash } from 'node:crypto'
import { shownText, withoutLinks } from '../core/values/shownText.ts'
import type { StatusView } from '../engine/statusView.ts'
import { factsOf } from './alertFacts.ts'
import type { Severity } from './severity.ts'
import { cut } from './channel.ts'
import type { Message } from './message.ts'
import type { Line } from './waitingLines.ts'
import { isLoud } from './waitingLines.ts'

const linesShown = 8
const textMax = limits.alertLineCharsMax

const signs = { critical: '🔴', warning: '🟠', info: '🔵' } as const

/** Which Guard speaks, in the title and at the end of a message. */
type Sender = Pick<StatusView, 'mode' | 'account'>

/** A title that is understood on a lock screen, and a line for each thing, the worst first. */
export function composeMessage(told: readonly Line[], sender: Sender, now: number): Message {
  const lines = told.map(safely)
  const [first] = lines
  const severity = lines.reduce<Severity>((worst, line) => worse(worst, line), 'info')
  const shown = lines.slice(0, linesShown)
  const more = lines.length - 1
  const title = first === undefined ? 'Guard' : headline(first)
  const rest = lines.length - shown.length
  const body = [
    ...(lines.length === 1 && first !== undefined
      ? [`${cut(first.text, textMax)}${times(first)}`]
      : shown.map((line) => `• ${headline(line)}: ${cut(line.text, textMax)}${times(line)}`)),
    ...(rest > 0 ? [`and ${rest} more: guard events shows all`] : []),
    ...(first === undefined ? [] : whatToDo(first)),
    `Guard for ${sender.account.slice(0, 6)}…${sender.account.slice(-4)}`,
  ].join('\n')
  const isOver = lines.every(({ phase }) => phase === 'over')
  return {
    id: idOf(lines),
    severity,
    isSilent: !lines.some((line) => isLoud(line) || (line.severity === 'warning' && !isOver)),
    title: `${isOver ? '✅' : signs[severity]} ${place(sender)}${title}${more > 0 ? ` (+${more})` : ''}`,
    body,
    at: now,
    lines: lines.map(({ kind, severity: each, phase, text, count, firstAt, lastAt }) => ({
      kind,
      severity: each,
      phase,
      text,
      count,
      first_at_ms: firstAt,
      last_at_ms: lastAt,
    })),
  }
}

/** A line whose text and key others may have chosen: one line, nothing hidden, no link. */
function safely(line: Line): Line {
  return { ...line, key: shownText(line.key), text: withoutLinks(shownText(line.text)) }
}

function headline({ kind, phase, key }: Line): string {
  const { title, over } = factsOf(kind)
  const coin = /^(?:unprotected_position|discrepancy):(.+)$/.exec(key)?.[1]
  const about = coin === undefined ? '' : `${coin}: `
  switch (phase) {
    case 'over':
      return `${about}${over ?? title}`
    case 'still':
      return `${about}Still: ${title}`
    case 'was':
      return `${about}${title} (over by now)`
    case 'began':
    case 'happened':
      return `${about}${title}`
  }
}

/** For the worst of it, and only while there is something to do. */
function whatToDo({ kind, phase }: Line): readonly string[] {
  const { advice } = factsOf(kind)
  if (advice === null || phase === 'over' || phase === 'was') return []
  return [`→ ${advice.replaceAll('`', '')}`]
}

/** Real money is said in capitals; play money is said too, so that nobody is frightened by it. */
function place({ mode }: Sender): string {
  return mode === 'mainnet' ? 'MAINNET ' : `${mode}: `
}

function times({ count }: Line): string {
  return count > 1 ? ` (${count} times; this is the latest)` : ''
}

function worse(worst: Severity, line: Line): Severity {
  const own = line.phase === 'over' ? 'info' : line.severity
  const ranks = { critical: 2, warning: 1, info: 0 } as const
  return ranks[own] > ranks[worst] ? own : worst
}

function idOf(lines: readonly Line[]): string {
  const content = lines.map(({ key, phase, firstAt, lastAt, count }) => [
    key,
    phase,
    firstAt,
    lastAt,
    count,
  ])
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 24)
}
