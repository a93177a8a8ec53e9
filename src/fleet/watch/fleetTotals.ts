import { Decimal } from '../../core/values/decimal.ts'
import type { FleetMemberView, FleetTotals, MemberSummary } from '../../monitor/fleetState.ts'

const modes = ['mainnet', 'testnet', 'paper'] as const

/** One sum for each kind of money that somebody has. */
export function totalsOf(members: readonly FleetMemberView[]): readonly FleetTotals[] {
  return modes.flatMap((mode) => {
    const own = members.filter(
      ({ summary, network }) => (summary === null ? network : summary.mode) === mode,
    )
    return own.length === 0 ? [] : [sumOf(mode, own)]
  })
}

function sumOf(mode: FleetTotals['mode'], members: readonly FleetMemberView[]): FleetTotals {
  const told = members.flatMap(({ summary }) => summary ?? [])
  const isKnown = (each: FleetMemberView): boolean => (each.summary?.equity ?? null) !== null
  return {
    ...{ mode, members: members.length },
    unknown: members.filter((each) => !isKnown(each)).length,
    silent: members.filter((each) => isKnown(each) && each.state === 'silent').length,
    equity: sum(told, 'equity'),
    loss_today: sum(told, 'loss_today'),
    open_risk: sum(told, 'open_risk'),
    gross_value: sum(told, 'gross_value'),
    positions: told.reduce((all, { positions }) => all + positions, 0),
  }
}

type Money = 'equity' | 'loss_today' | 'open_risk' | 'gross_value'

/** What is known of it; how many are not is told beside it. */
export function sum(told: readonly MemberSummary[], of: Money): string {
  return told
    .reduce((all, each) => {
      const value = Decimal.parse(each[of])
      return value.ok ? all.plus(value.value) : all
    }, Decimal.zero)
    .toString()
}
