import { dexesNamed } from '../../../core/rules/marketNames.ts'
import { missingDexesText } from '../../../core/rules/missingMarkets.ts'
import type { RulesFor } from '../../../core/rules/rules.ts'
import type { Alerts } from '../../alerts.ts'
import type { Clock } from '../../ports.ts'

interface MissingDeps {
  readonly alerts: Pick<Alerts, 'raise' | 'clear'>
  readonly clock: Pick<Clock, 'now'>
  readonly rulesFor: RulesFor
}

/** A dex that the rules name and the venue does not have is no reason not to start. */
export function tellMissing(
  { alerts, clock, rulesFor }: MissingDeps,
  isThere: (dex: string) => boolean,
  isListed: boolean,
): void {
  const missing = dexesNamed(rulesFor(null, null)).filter((name) => !isThere(name))
  if (missing.length === 0) alerts.clear('dex_missing')
  else {
    const why = isListed ? undefined : 'the dexes could not be read yet'
    alerts.raise('dex_missing', missingDexesText(missing, why), clock.now())
  }
}
