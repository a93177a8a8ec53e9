import { fakeStatus } from '../../gateway/status.fixture.ts'
import type {
  FleetAlert,
  FleetKill,
  FleetMemberView,
  FleetState,
  MemberSummary,
} from '../../monitor/fleetState.ts'
import { summaryOf } from '../memberReport.ts'
import { totalsOf } from './fleetTotals.ts'

export const summary: MemberSummary = summaryOf(fakeStatus, 0)
const nowMs = Date.parse('2026-11-15T12:00:00Z')

export function memberView(
  name: string,
  changes: Partial<FleetMemberView> = {},
  told: Partial<MemberSummary> = {},
): FleetMemberView {
  return {
    ...{ name, network: 'testnet', account: accountOf(name), group: 'desk', state: 'active' },
    ...{ unheard_ms: 1_200, version: '1.0', host: 'alpha', obeyed_epoch: 0, copy_lag: 0, forks: 0 },
    ...{ summary: { ...summary, alerts: [], ...told }, standby: null },
    ...changes,
  }
}

function accountOf(name: string): string {
  return `0x${Buffer.from(name.padEnd(20, '-')).subarray(0, 20).toString('hex')}`
}

/** Names that a page must show as what they are: text. */
export const hostileNames = [
  '<img src=x onerror="document.title=1">',
  '<script>document.title=2</script>',
  'right\u202eto-left\u0007bell',
  'x'.repeat(300),
  '"quoted" & \'both\'',
] as const

/** A fleet of so many accounts, with something of everything. */
export function fleetOf(count: number, changes: Partial<FleetState> = {}): FleetState {
  const members = Array.from({ length: count }, (_, at) => oneOf(at))
  const alerts: FleetAlert[] = members
    .filter(({ state }) => state === 'silent')
    .map(({ name }) => ({
      ...{ code: 'member_silent', member: name, since_ms: nowMs - 60_000 },
      text: `${name} is silent: unheard for 90 s, last on alpha`,
    }))
  return {
    ...{ schema: 1, version: '1.0', now_ms: nowMs, at_ms: nowMs, heard_ms: nowMs },
    store: { place: 'fleet at 127.0.0.1:5432', state: 'up', since_ms: nowMs, error: null },
    ...{ totals: totalsOf(members), members, members_more: 0, kills: [killOf(members)], alerts },
    budgets: [
      {
        ...{ scope: 'fleet', kind: 'open_risk', limit_usd: '100000' },
        ...{ leased_usd: '82000', used_usd: '64000' },
      },
    ],
    decisions: Array.from({ length: 60 }, (_, at) => ({
      ...{ name: members[at % count]?.name ?? '', seq: at + 1, at_ms: nowMs - at * 700 },
      ...{ verdict: ['allow', 'resize', 'veto'][at % 3] ?? '', action: 'order' },
      ...{ code: at % 3 === 2 ? 'daily_loss' : 'allowed', text: `decision ${at} on 0.5 ETH` },
    })),
    ...changes,
  }
}

function oneOf(at: number): FleetMemberView {
  const used = (at * 37) % 100
  const told: Partial<MemberSummary> = {
    ...{ equity: `${10_000 + at * 13}.5`, loss_today: String((at % 7) * 21 - 40) },
    ...{ daily_loss: `0.0${String(used % 6)}`, daily_loss_left: `0.0${String(6 - (used % 6))}` },
    mode: at % 5 === 0 ? 'mainnet' : 'testnet',
  }
  const changes: Partial<FleetMemberView> = {
    ...{ network: at % 5 === 0 ? 'mainnet' : 'testnet', group: `group-${at % 8}` },
  }
  const name = hostileNames[at] ?? `account-${String(at).padStart(3, '0')}`
  if (at % 50 === 17) {
    return memberView(name, { ...changes, state: 'silent', unheard_ms: 90_000 }, told)
  }
  if (at % 50 === 23) {
    const why = { latched: true, kill_reason: 'the feed is wrong (fleet epoch 1000001)' }
    return memberView(name, { ...changes, state: 'latched' }, { ...told, ...why })
  }
  if (at % 50 === 31) return memberView(name, { ...changes, state: 'halted_for_day' }, told)
  if (at % 50 === 41) {
    return memberView(name, { ...changes, state: 'unseen', unheard_ms: null, summary: null })
  }
  return memberView(name, changes, told)
}

function killOf(members: readonly FleetMemberView[]): FleetKill {
  return {
    ...{ scope: 'group:group-7', epoch: 1_000_001, state: 'killed', by: 'alice' },
    ...{ reason: hostileNames[0], at_ms: nowMs - 45_000 },
    members: members
      .filter(({ group }) => group === 'group-7')
      .map(({ name, state }) => ({
        ...{ name, latched_ms: 120 },
        state: state === 'silent' ? 'silent' : 'flat',
      })),
  }
}
