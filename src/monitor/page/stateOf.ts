import type { StatusView } from '../../engine/statusView.ts'

/** The worst of what holds now. */
interface Told {
  readonly level: 'good' | 'warn' | 'bad'
  /** For the tab of a page that is behind others. */
  readonly word: string
  readonly text: string
  readonly detail?: string
}

/** Whether to worry, in a few words. */
export function stateOf(view: StatusView): Told {
  const { kill, risk } = view
  if (kill.latched) {
    const detail = kill.reason ?? 'no reason known'
    return { level: 'bad', word: 'KILLED', text: 'Kill switch latched', detail }
  }
  if (risk.state === 'stopped') {
    const detail = 'drawdown halt, needs a review'
    return { level: 'bad', word: 'STOPPED', text: 'Stopped', detail }
  }
  if (risk.state === 'halted_for_day') {
    return { level: 'bad', word: 'HALTED', text: 'Halted for the day', detail: 'daily loss stop' }
  }
  const { writer } = view.fleet ?? {}
  if (writer?.state === 'standby') {
    const where = writer.at_host === null ? 'another Guard' : `the Guard at ${writer.at_host}`
    const detail = `${where} acts for the account; this one sends nothing until it takes over`
    return { level: 'warn', word: 'STANDBY', text: 'Standby', detail }
  }
  return activeState(view)
}

function activeState({ alerts, risk, venue, journal, positions }: StatusView): Told {
  const uncovered = positions.filter(({ covered }) => !covered).length
  const some = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`
  const look = (text: string, word = 'LOOK'): Told => ({
    level: 'warn',
    word,
    text: `Active, ${text}`,
  })
  if (alerts.length > 0) return look(some(alerts.length, 'alert'), some(alerts.length, 'alert'))
  if (journal.error !== null) return look('journal cannot be written')
  if (uncovered > 0) return look(`${some(uncovered, 'position')} not covered`)
  if (risk.equity === null) return look('account not seen yet')
  if (venue.stream !== 'live') return look(`venue stream ${venue.stream}`)
  return { level: 'good', word: 'OK', text: 'Active, all quiet' }
}
