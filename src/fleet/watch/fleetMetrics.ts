import type { Registry } from '../../gateway/metrics/registry.ts'
import type { FleetMemberView, FleetState } from '../../monitor/fleetState.ts'

const memberStates = [
  'unseen',
  'silent',
  'latched',
  'stopped',
  'halted_for_day',
  'untold',
  'active',
] as const
const killStates = ['flat', 'latched', 'silent', 'unseen'] as const

type Show = (state: FleetState) => void
type Gauges = Pick<Registry, 'gauge' | 'text' | 'list'>

/** What Prometheus reads of the watcher; computed from the picture when it asks. */
export function fleetMetrics(registry: Gauges): (state: FleetState) => string {
  const shows = [
    storeGauges(registry),
    totalGauges(registry),
    memberGauges(registry),
    standbyGauges(registry),
    killGauges(registry),
    budgetGauges(registry),
  ]
  return (state) => {
    for (const show of shows) show(state)
    return registry.text()
  }
}

function storeGauges(registry: Gauges): Show {
  const up = registry.gauge('guard_fleet_store_up', '1 while the fleet’s store answers the watcher')
  const age = registry.gauge(
    'guard_fleet_picture_age_seconds',
    'how old what the watcher shows is; absent before the first picture',
  )
  const alerts = registry.gauge('guard_fleet_alerts', 'alerts that hold, by code')
  return ({ store, heard_ms, now_ms, alerts: all }) => {
    up.set({}, store.state === 'up' ? 1 : 0)
    if (heard_ms !== null) age.set({}, Math.max(now_ms - heard_ms, 0) / 1_000)
    alerts.reset()
    for (const code of [
      ...['member_silent', 'store_down', 'kill_unheeded', 'member_fork', 'loss_stop'],
      ...['store_queue', 'budget_exceeded'],
    ]) {
      alerts.set({ code }, all.filter((each) => each.code === code).length)
    }
  }
}

function totalGauges(registry: Gauges): Show {
  const members = registry.gauge('guard_fleet_members', 'members of the fleet, by state')
  const named = [
    ['equity', registry.gauge('guard_fleet_equity_usd', 'equity of all accounts, by mode')],
    ['open_risk', registry.gauge('guard_fleet_open_risk_usd', 'open risk of all, by mode')],
    ['gross_value', registry.gauge('guard_fleet_gross_value_usd', 'value of all positions')],
    [
      'loss_today',
      registry.gauge('guard_fleet_loss_today_usd', 'lost since the UTC day began, by mode'),
    ],
  ] as const
  const positions = registry.gauge('guard_fleet_positions', 'open positions, by mode')
  return ({ members: all, totals }) => {
    members.reset()
    for (const state of memberStates) {
      members.set({ state }, all.filter((each) => each.state === state).length)
    }
    positions.reset()
    for (const { mode, positions: open } of totals) positions.set({ mode }, open)
    for (const [name, gauge] of named) {
      gauge.reset()
      for (const total of totals) gauge.set({ mode: total.mode }, shown(total[name]))
    }
  }
}

function memberGauges(registry: Gauges): Show {
  const gauge = (name: string, help: string) => registry.gauge(`guard_fleet_member_${name}`, help)
  const rows: readonly (readonly [
    ReturnType<typeof gauge>,
    (member: FleetMemberView) => string | number | null,
  ])[] = [
    [gauge('up', '1 while it is heard of'), ({ state }) => (isHeard(state) ? 1 : 0)],
    [
      gauge('unheard_seconds', 'since it was heard last'),
      ({ unheard_ms: ms }) => (ms === null ? null : ms / 1_000),
    ],
    [
      gauge('latched', '1 while its kill switch is latched'),
      ({ summary }) => (summary === null ? null : summary.latched ? 1 : 0),
    ],
    [gauge('equity_usd', 'its equity'), ({ summary }) => summary?.equity ?? null],
    [gauge('open_risk_usd', 'its open risk'), ({ summary }) => summary?.open_risk ?? null],
    [
      gauge('daily_loss_left_ratio', 'how far it is to its daily loss stop'),
      ({ summary }) => summary?.daily_loss_left ?? null,
    ],
    [
      gauge('drawdown_left_ratio', 'how far it is to its drawdown halt'),
      ({ summary }) => summary?.drawdown_left ?? null,
    ],
    [gauge('positions', 'its open positions'), ({ summary }) => summary?.positions ?? null],
    [
      gauge('copy_lag_records', 'records of its journal that are not copied yet'),
      ({ copy_lag }) => copy_lag,
    ],
  ]
  return ({ members }) => {
    for (const [each, valueOf] of rows) {
      each.reset()
      for (const member of members) {
        const value = valueOf(member)
        const { name, network, group } = member
        if (value !== null) each.set({ name, network, group: group ?? '' }, shown(value))
      }
    }
  }
}

/** Who would take over; nothing of an account that has no standby. */
function standbyGauges(registry: Gauges): Show {
  const heard = registry.gauge('guard_fleet_standbys', 'standbys that are heard, of all accounts')
  const unheard = registry.gauge(
    'guard_fleet_member_standby_unheard_seconds',
    'since its standby was heard last',
  )
  const latches = registry.gauge(
    'guard_fleet_member_standby_latches',
    '1 while its standby would start latched',
  )
  return ({ members }) => {
    let count = 0
    unheard.reset()
    latches.reset()
    for (const { name, network, group, standby } of members) {
      if (standby === null) continue
      count += standby.heard
      const labels = { name, network, group: group ?? '' }
      unheard.set(labels, standby.unheard_ms / 1_000)
      latches.set(labels, standby.note === null ? 0 : 1)
    }
    heard.set({}, count)
  }
}

function killGauges(registry: Gauges): Show {
  const epoch = registry.gauge('guard_fleet_kill_epoch', 'the epoch of each kill that is raised')
  const members = registry.gauge(
    'guard_fleet_kill_members',
    'members in the scope of a kill that is raised, by how far they have come',
  )
  return ({ kills }) => {
    epoch.reset()
    members.reset()
    for (const { scope, state, epoch: raised, members: under } of kills) {
      if (state !== 'killed') continue
      epoch.set({ scope }, raised)
      for (const how of killStates) {
        members.set({ scope, state: how }, under.filter((each) => each.state === how).length)
      }
    }
  }
}

function budgetGauges(registry: Gauges): Show {
  const limit = registry.gauge('guard_fleet_budget_limit_usd', 'a limit that accounts share')
  const leased = registry.gauge('guard_fleet_budget_leased_usd', 'what of it Guards hold')
  const used = registry.gauge('guard_fleet_budget_used_usd', 'what of it is used')
  return ({ budgets }) => {
    for (const each of [limit, leased, used]) each.reset()
    for (const { scope, kind, limit_usd, leased_usd, used_usd } of budgets) {
      limit.set({ scope, kind }, shown(limit_usd))
      leased.set({ scope, kind }, shown(leased_usd))
      used.set({ scope, kind }, shown(used_usd))
    }
  }
}

function isHeard(state: FleetMemberView['state']): boolean {
  return state !== 'silent' && state !== 'unseen'
}

/** A figure for a graph; the exact one is in the state. */
function shown(value: string | number): number {
  return Number(value)
}
