import { link, status } from './store.ts'

/** The state in a word, for the tab of a page that is behind others. */
export function pageTitle(): string {
  const view = status.value
  if (view === null) return 'Guard'
  const mode = view.mode === 'mainnet' ? 'MAINNET' : view.mode
  return `${stateWord()} · Guard ${mode}`
}

function stateWord(): string {
  const view = status.value
  if (view === null) return ''
  if (link.value === 'lost') return 'NO ANSWER'
  if (view.kill.latched) return 'KILLED'
  if (view.risk.state === 'halted_for_day') return 'HALTED'
  if (view.risk.state === 'stopped') return 'STOPPED'
  return view.alerts.length > 0
    ? `${view.alerts.length} alert${view.alerts.length === 1 ? '' : 's'}`
    : 'OK'
}
