import type { Millis } from '../../../core/values/millis.ts'
import type { Alerts } from '../../alerts.ts'

/** A dex that the rules name and the venue does not have is no reason not to start. */
export function tellMissing(
  alerts: Pick<Alerts, 'raise' | 'clear'>,
  missing: readonly string[],
  isListed: boolean,
  at: Millis,
): void {
  if (missing.length === 0) alerts.clear('dex_missing')
  else {
    const why = isListed ? 'the venue has no such dex' : 'the dexes could not be read yet'
    const text = `\`markets\` names ${missing.join(', ')}, and nothing is traded there: ${why}`
    alerts.raise('dex_missing', text, at)
  }
}
