import { Decimal } from '../../core/values/decimal.ts'
import type { FleetMemberView } from '../../monitor/fleetState.ts'
import { sum } from './fleetTotals.ts'
import type { Picture } from './readFleet.ts'

/** A loss of the day, in USD, at which a scope is killed. */
export interface LossStop {
  readonly scope: string
  readonly usd: string
}

interface Due extends LossStop {
  readonly reason: string
  readonly loss: string
}

/** What the reason begins with: a watcher that starts anew knows by it what was raised before. */
const words = 'loss of the day'

/**
 * Which scopes have lost too much since the UTC day began, and were not killed for that today. Members
 * count with what they told last, silent ones too: a loss does not end with its Guard. Play money of
 * paper mode is no loss.
 */
export function lossesDue(picture: Picture, stops: readonly LossStop[]): readonly Due[] {
  const day = dayOf(picture.atMs)
  return stops.flatMap((stop) => {
    const told = picture.members
      .filter((member) => isIn(member, stop.scope))
      .flatMap(({ summary }) => summary ?? [])
      .filter((summary) => summary.mode !== 'paper' && summary.day === day)
    const loss = sum(told, 'loss_today')
    if (Decimal.of(loss).lt(Decimal.of(stop.usd)) || wasRaised(picture, stop.scope, day)) return []
    return [{ ...stop, loss, reason: `${words} ${loss} USD in ${stop.scope}, stop ${stop.usd}` }]
  })
}

function wasRaised({ kills }: Picture, scope: string, day: string): boolean {
  return kills.some(
    (kill) => kill.scope === scope && kill.reason.startsWith(words) && dayOf(kill.at_ms) === day,
  )
}

function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

function isIn({ network, account, group }: FleetMemberView, scope: string): boolean {
  return [
    'fleet',
    `account:${network}:${account}`,
    ...(group === null ? [] : [`group:${group}`]),
  ].includes(scope)
}
