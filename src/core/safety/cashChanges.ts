import type { AccountEvent } from '../account/accountEvent.ts'
import type { CashChange } from './cashBook.ts'

/** What an event reports of cash that the venue moves in the order of time: fills and funding. */
export function movementsOf(event: AccountEvent): readonly CashChange[] {
  switch (event.kind) {
    case 'fills':
      return event.fills.map(({ tid, oid, closedPnl, fee, at }) => ({
        id: `fill:${tid}:${oid}`,
        usdc: closedPnl.minus(fee),
        at,
      }))
    case 'funding':
      return event.payments.map(({ coin, usdc, at }) => ({ id: `funding:${coin}:${at}`, usdc, at }))
    case 'elsewhere':
      return event.changes.flatMap(({ id, usdc, at, isFlow, foundWorth }) => {
        if (foundWorth !== undefined) return []
        return [{ ...{ id: `elsewhere:${id}`, usdc, at }, ...(isFlow ? { isFlow } : {}) }]
      })
    default:
      return []
  }
}

/** Deposits, withdrawals, transfers and money that is found: any of them may be reported late or early. */
export function flowsOf(event: AccountEvent): readonly CashChange[] {
  if (event.kind === 'elsewhere') {
    return event.changes.flatMap(({ id, usdc, at, foundWorth: worth }) =>
      worth === undefined ? [] : [{ id: `found:${id}`, usdc, at, worth }],
    )
  }
  if (event.kind !== 'ledger') return []
  return event.entries.flatMap(({ id, usdc, unknown, at }) => {
    if (unknown === undefined) return [{ id: `ledger:${id}`, usdc, at }]
    if (unknown.isZero()) return []
    // Nobody knows which way it went: cash says so, where it has moved by just that.
    const [into, out] = [unknown, unknown.negated()]
    return [
      { id: `ledger:${id}:in`, usdc: into, at, isUnsure: true },
      { id: `ledger:${id}:out`, usdc: out, at, isUnsure: true },
    ]
  })
}
