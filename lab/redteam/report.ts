import { groups } from './attack.ts'
import { mcpGroups } from './mcp/mcpAttack.ts'
import type { AttackResult, Outcome, RedteamReport } from './runRedteam.ts'

const marks: { readonly [Each in Outcome]: string } = {
  held: 'held       ',
  got_through: 'GOT THROUGH',
  unclear: 'unclear    ',
  skipped: 'skipped    ',
}

/** One line for a person to follow by. */
export function resultLine({ group, name, outcome, how }: AttackResult): string {
  return `${marks[outcome]}  ${`${group}: ${name}`.padEnd(52)}  ${printable(how)}`
}

/** What came of it all, by group and in one line. */
export function summaryText({ results, counts }: RedteamReport): string {
  const lines = [...groups, ...mcpGroups].flatMap((group) => {
    const of = results.filter((each) => each.group === group)
    if (of.length === 0) return []
    const held = of.filter(({ outcome }) => outcome === 'held').length
    const peaks = of.flatMap(({ peak_bytes }) => (peak_bytes === null ? [] : [peak_bytes]))
    const peak = peaks.length === 0 ? '' : `, peak memory ${mebibytes(Math.max(...peaks))} MiB`
    return [`  ${group.padEnd(22)} ${held} of ${of.length} held${peak}`]
  })
  const more = [
    ...(counts.got_through > 0 ? [`${counts.got_through} got through`] : []),
    ...(counts.unclear > 0 ? [`${counts.unclear} unclear`] : []),
    ...(counts.skipped > 0 ? [`${counts.skipped} skipped`] : []),
  ]
  const verdict = `${results.length} attacks: ${[`${counts.held} held`, ...more].join(', ')}`
  return [...lines, verdict].join('\n')
}

/** Everything that was tried held; what nobody could tell counts as not held. */
export function everythingHeld({ counts }: RedteamReport): boolean {
  return counts.held > 0 && counts.got_through === 0 && counts.unclear === 0
}

const mebibytes = (bytes: number): string => (bytes / 1_048_576).toFixed(0)

function printable(text: string): string {
  return text.replace(/[^\x20-\x7e\u00a0-\uffff]/g, '?').slice(0, 200)
}
