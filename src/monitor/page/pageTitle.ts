import { stateOf } from './stateOf.ts'
import { link, status } from './store.ts'

/** The state in a word, for the tab of a page that is behind others. */
export function pageTitle(): string {
  const view = status.value
  if (view === null) return 'Guard'
  const mode = view.mode === 'mainnet' ? 'MAINNET' : view.mode
  const word = link.value === 'lost' ? 'NO ANSWER' : stateOf(view).word
  return `${word} · Guard ${mode}`
}
