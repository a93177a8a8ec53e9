import { coinOfKind } from '../core/judge/lease.ts'
import type { StoreRow, StoreSession } from './storeSession.ts'
import { leaseTimes } from './leaseTimes.ts'

/** A budget that accounts share, in USD, and who holds what of it. */
export interface Budget {
  readonly scope: string
  readonly kind: string
  /** What a person set. */
  readonly limit_usd: string
  /** More than the limit only where that was lowered since; then nothing new is leased. */
  readonly leased_usd: string
  readonly used_usd: string
  readonly holders: readonly {
    readonly name: string
    readonly held_usd: string
    /** What it said it uses; more than it holds where somebody traded by hand, or prices rose. */
    readonly used_usd: string
    readonly last_renewed_ms: number
    /** Not heard of lately: what it holds stays counted until it is, or is retired. */
    readonly silent: boolean
  }[]
}

/** Sets what a scope may have of a kind. Below what is leased nothing new is, and nothing is closed. */
export async function setLimit(
  session: StoreSession,
  scope: string,
  kind: string,
  usd: string,
): Promise<{ readonly leasedUsd: string }> {
  const [row] = await session.query(
    'select trim_scale(leased)::text as leased from guard.set_limit($1, $2, $3)',
    [scope, kind, usd],
  )
  return { leasedUsd: String(row?.['leased']) }
}

/**
 * Ends a budget: what was leased of it is free, and Guards stop counting it at their next renewal. Null
 * where there is none.
 */
export async function removeLimit(
  session: StoreSession,
  scope: string,
  kind: string,
): Promise<{ readonly leasedUsd: string; readonly holders: number } | null> {
  const [row] = await session.query(
    'select trim_scale(leased)::text as leased, holders::int as holders from guard.remove_limit($1, $2)',
    [scope, kind],
  )
  if (row === undefined) return null
  return { leasedUsd: String(row['leased']), holders: Number(row['holders']) }
}

/** Who in a scope lists the coin of a budget. */
export interface CoinKnown {
  readonly coin: string
  /** Members that have said which coins their venue lists. */
  readonly told: number
  readonly knownBy: number
}

/** Null where the budget is of no coin, or the store is of an earlier version. */
export async function whoKnowsCoin(
  session: StoreSession,
  scope: string,
  kind: string,
): Promise<CoinKnown | null> {
  const coin = coinOfKind(kind)
  if (coin === null) return null
  const [there] = await session.query("select to_regclass('guard.coins')::text as name")
  if (there?.['name'] == null) return null
  const [row] = await session.query(
    `select count(*)::text as told, count(*) filter (where $2 = any(c.names))::text as known
      from guard.coins c join guard.guards g on g.id = c.guard_id
      where g.retired_at is null and $1 in ('fleet', 'group:' || g.group_name, 'account:' || g.network || ':' || g.account)`,
    [scope, coin],
  )
  return { coin, told: Number(row?.['told']), knownBy: Number(row?.['known']) }
}

export async function listBudgets(session: StoreSession): Promise<readonly Budget[]> {
  const budgets = await session.query(
    'select scope, kind, trim_scale(set_usd)::text as set_usd, trim_scale(leased)::text as leased from guard.budgets order by scope, kind',
  )
  const holders = await session.query(
    `select l.scope, l.kind, g.name, trim_scale(l.held_usd)::text as held, trim_scale(l.reported_usd)::text as used,
        (extract(epoch from l.renewed_at) * 1000)::bigint::text as renewed,
        l.renewed_at < clock_timestamp() - interval '${leaseTimes.silentMs} milliseconds' as silent
      from guard.leases l join guard.guards g on g.id = l.guard_id order by g.name`,
  )
  const sums = await session.query(
    'select scope, kind, trim_scale(sum(reported_usd))::text as used from guard.leases group by scope, kind',
  )
  return budgets.map((row) => {
    const isOf = (other: StoreRow): boolean =>
      other['scope'] === row['scope'] && other['kind'] === row['kind']
    return {
      scope: String(row['scope']),
      kind: String(row['kind']),
      limit_usd: String(row['set_usd']),
      leased_usd: String(row['leased']),
      used_usd: String(sums.find(isOf)?.['used'] ?? '0'),
      holders: holders.filter(isOf).map((each) => ({
        name: String(each['name']),
        held_usd: String(each['held']),
        used_usd: String(each['used']),
        last_renewed_ms: Number(each['renewed']),
        silent: each['silent'] === true,
      })),
    }
  })
}
