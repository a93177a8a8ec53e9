import { describe, expect, test } from 'vitest'
import type { FleetAlert, FleetKill } from '../../monitor/fleetState.ts'
import { FleetAlerts } from './fleetAlerts.ts'
import { memberView, summary } from './fleetState.fixture.ts'
import { totalsOf } from './fleetTotals.ts'
import { lossesDue } from './lossStop.ts'
import type { Picture } from './readFleet.ts'
import { readSummary } from './readSummary.ts'

const noon = Date.parse('2026-11-15T12:00:00Z')
const picture = (changes: Partial<Picture>): Picture => ({
  ...{ atMs: noon, members: [], membersMore: 0, kills: [], budgets: [], queueUsed: 0 },
  ...changes,
})
const kill = (changes: Partial<FleetKill> = {}): FleetKill => ({
  ...{ scope: 'fleet', epoch: 7, state: 'killed', by: 'op', reason: 'x', at_ms: noon - 20_000 },
  members: [{ name: 'a', state: 'silent', latched_ms: null }],
  ...changes,
})

describe('what a member told', () => {
  test('is taken as it is', () => {
    expect(readSummary(JSON.parse(JSON.stringify(summary)))).toEqual(summary)
  })

  test.each([null, 'text', [], {}, { mode: 'live', state: 'active' }, { mode: 'paper' }])(
    'and is none: %j',
    (body) => {
      expect(readSummary(body)).toBe(null)
    },
  )

  test('what is not what it should be is not known', () => {
    const told = { ...summary, equity: {}, open_risk: '1e9', positions: -1, alerts: 'x', day: 7 }
    expect(
      readSummary({ ...told, loss_today: 'NaN', kill_reason: 'y'.repeat(9_999) }),
    ).toMatchObject({
      ...{ equity: null, open_risk: null, positions: 0, alerts: [], day: '', loss_today: null },
      kill_reason: 'y'.repeat(300),
    })
  })
})

test('each kind of money is a sum of its own, and what is not known is counted', () => {
  const members = [
    memberView('a', {}, { equity: '0.1', mode: 'mainnet', loss_today: '-5', positions: 2 }),
    memberView('b', { state: 'silent' }, { equity: '0.2', mode: 'mainnet', loss_today: '2' }),
    memberView('c', { network: 'mainnet', summary: null }),
    memberView('d', {}, { equity: '1', mode: 'paper' }),
  ]
  expect(totalsOf(members)).toMatchObject([
    {
      ...{ mode: 'mainnet', members: 3, unknown: 1, silent: 1, equity: '0.3' },
      ...{ loss_today: '-3', positions: 3 },
    },
    { mode: 'paper', members: 1, equity: '1' },
  ])
})

describe('alerts', () => {
  const up = { state: 'up', sinceMs: 0, error: null } as const
  const down = { state: 'down', sinceMs: noon, error: 'gone' } as const
  const codes = (alerts: readonly FleetAlert[]): string[] =>
    alerts.map(({ code, member }) => `${code} ${member ?? ''}`)

  test('who is silent: told once when it begins, and when it is over', () => {
    const alerts = new FleetAlerts()
    const silent = picture({ members: [memberView('a', { state: 'silent' }), memberView('b')] })
    expect(alerts.look(silent, up, noon, [])).toMatchObject([
      { phase: 'began', alert: { code: 'member_silent', member: 'a', since_ms: noon } },
    ])
    expect(alerts.look(silent, up, noon + 5_000, [])).toEqual([])
    expect(alerts.all).toMatchObject([{ since_ms: noon }])
    expect(alerts.look(picture({ members: [memberView('a')] }), up, noon, [])).toMatchObject([
      { phase: 'over', alert: { member: 'a' } },
    ])
  })

  test('a store that is away: told after a while, and nothing it said is over by that', () => {
    const alerts = new FleetAlerts()
    const silent = picture({ members: [memberView('a', { state: 'silent' })] })
    alerts.look(silent, up, noon, [])
    expect(alerts.look(silent, down, noon + 9_999, [])).toEqual([])
    expect(codes(alerts.all)).toEqual(['member_silent a'])
    alerts.look(silent, down, noon + 10_000, [])
    expect(codes(alerts.all)).toEqual(['member_silent a', 'store_down '])
  })

  test('a kill that somebody has not obeyed after ten seconds', () => {
    const alerts = new FleetAlerts()
    alerts.look(picture({ kills: [kill({ at_ms: noon - 9_999 })] }), up, noon, [])
    expect(alerts.all).toEqual([])
    alerts.look(picture({ kills: [kill({ state: 'clear' })] }), up, noon, [])
    expect(alerts.all).toEqual([])
    alerts.look(picture({ kills: [kill()] }), up, noon, [])
    expect(codes(alerts.all)).toEqual(['kill_unheeded a'])
  })

  test('records that contradict each other', () => {
    const alerts = new FleetAlerts()
    alerts.look(picture({ members: [memberView('a', { forks: 1 })] }), up, noon, [])
    expect(codes(alerts.all)).toEqual(['member_fork a'])
  })

  test('more used than a shared limit, by what is reported', () => {
    const alerts = new FleetAlerts()
    const budget = { scope: 'fleet', kind: 'open_risk', limit_usd: '5900', leased_usd: '5900' }
    const used = (...all: string[]) =>
      picture({ budgets: all.map((used_usd) => ({ ...budget, used_usd })) })
    alerts.look(used('5900'), up, noon, [])
    expect(alerts.all).toEqual([])
    alerts.look(used('5900', '6774.5'), up, noon, [])
    expect(codes(alerts.all)).toEqual(['budget_exceeded '])
    expect(alerts.all[0]?.text).toContain('(open_risk of fleet: 6774.5 of 5900 USD)')
  })

  test('a queue of notifications that fills', () => {
    const alerts = new FleetAlerts()
    alerts.look(picture({ queueUsed: 0.5 }), up, noon, [])
    alerts.look(picture({ queueUsed: null }), up, noon, [])
    expect(alerts.all).toEqual([])
    alerts.look(picture({ queueUsed: 0.51 }), up, noon, [])
    expect(codes(alerts.all)).toEqual(['store_queue '])
    expect(alerts.all[0]?.text).toContain('51% of')
  })
})

describe('the loss of the day', () => {
  const today = { day: '2026-11-15', loss_today: '60' }
  const members = [
    memberView('a', { group: 'desk' }, today),
    memberView('b', { group: 'desk', state: 'silent' }, { ...today, loss_today: '40.5' }),
    memberView('c', { group: 'other' }, { ...today, loss_today: '-30' }),
    memberView('paper', { group: 'desk' }, { ...today, loss_today: '9999', mode: 'paper' }),
    memberView('old', { group: 'desk' }, { ...today, loss_today: '9999', day: '2026-11-14' }),
    memberView('none', { group: 'desk', summary: null }),
  ]
  const due = (scope: string, usd: string, changes: Partial<Picture> = {}) =>
    lossesDue(picture({ members, ...changes }), [{ scope, usd }]).map(({ loss }) => loss)

  test('is summed over the scope, exactly, and only of today and of money', () => {
    expect(due('group:desk', '100.5')).toEqual(['100.5'])
    expect(due('group:desk', '100.51')).toEqual([])
    expect(due('fleet', '70')).toEqual(['70.5'])
    expect(due('group:none', '1')).toEqual([])
    const [first] = members
    expect(due(`account:testnet:${first?.account ?? ''}`, '60')).toEqual(['60'])
  })

  test('kills once a day, also where the watcher was started anew or the kill was cleared', () => {
    const [raised] = lossesDue(picture({ members }), [{ scope: 'fleet', usd: '1' }])
    const reason = raised?.reason ?? ''
    expect(reason).toBe('loss of the day 70.5 USD in fleet, stop 1')
    expect(due('fleet', '1', { kills: [kill({ reason })] })).toEqual([])
    expect(due('fleet', '1', { kills: [kill({ reason, state: 'clear' })] })).toEqual([])
    expect(due('fleet', '1', { kills: [kill({ reason: 'by a person' })] })).toEqual(['70.5'])
    expect(due('fleet', '1', { kills: [kill({ reason, at_ms: noon - 86_400_000 })] })).toEqual([
      '70.5',
    ])
  })
})
