import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemTimers } from '../../system/systemTimers.ts'
import { addMember, clearKill, initFleet, raiseKill, retireMember } from '../fleetAdmin.ts'
import { addressOf } from '../fleet.fixture.ts'
import { isPostgresThere, startPostgres } from '../postgres.fixture.ts'
import type { TestServer } from '../postgres.fixture.ts'
import { openSession, StoreError } from '../storeSession.ts'
import type { StoreSession } from '../storeSession.ts'
import type { StoreAddress } from '../storeUrl.ts'
import { steps } from './migrate.ts'

const accounts = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`] as const
const roleOf = (account: string): string => `guard_testnet_${account}`

describe.skipIf(!isPostgresThere)('the schema, as each role of a real server', () => {
  let server: TestServer
  let owner: StoreSession
  let address: StoreAddress
  const urls: Record<string, string> = {}
  const open = (url: string): Promise<StoreSession> => {
    address = addressOf(url)
    return openSession(address, { timers: systemTimers })
  }
  const as = (who: string, statement: string): Promise<string> =>
    server.psqlAs(urls[who] ?? '', statement)

  beforeAll(async () => {
    server = await startPostgres()
    await server.psql('create database fleet')
    urls['owner'] = server.url('fleet')
    owner = await open(urls['owner'])
    await initFleet(owner)
    for (const [index, account] of accounts.entries()) {
      const member = { name: `bot-${index}`, network: 'testnet', account, group: 'g' } as const
      await addMember(owner, address, member, (url) => (urls[`bot-${index}`] = url))
    }
    for (const role of ['operator', 'monitor', 'stranger']) {
      const grant = role === 'stranger' ? '' : `; grant guard_${role} to ${role}`
      await server.psql(`create role ${role} login password 'pw'${grant}`)
      urls[role] = server.urlOf(role, 'pw', 'fleet')
    }
  })
  afterAll(async () => {
    owner.close()
    await server.stop()
  })

  test('made twice, and by two at once, it is what it was', async () => {
    const before = await server.psql('select count(*) from guard.guards', 'fleet')
    expect(await initFleet(owner)).toMatchObject({ from: steps.length, to: steps.length })
    await server.psql('create database other')
    const sessions = [await open(server.url('other')), await open(server.url('other'))]
    const made = await Promise.all(sessions.map((each) => initFleet(each)))
    expect(made.map(({ from }) => from).sort()).toEqual([0, steps.length])
    for (const session of sessions) session.close()
    expect(await server.psql('select count(*) from guard.guards', 'fleet')).toBe(before)
  })

  test('an owner that may create roles and is no superuser does all of it', async () => {
    await server.psql("create role plain login createrole password 'pw'")
    await server.psql('create database plain owner plain')
    const session = await open(server.urlOf('plain', 'pw', 'plain'))
    // The roles of this server are another owner's already, as with a second fleet on it.
    expect(await initFleet(session)).toMatchObject({ from: 0, to: steps.length })
    const whose = `0x${'dd'.repeat(20)}`
    const member = { name: 'one', network: 'mainnet', account: whose, group: null } as const
    let url = ''
    await addMember(session, address, member, (written) => (url = written))
    expect(await server.psqlAs(url, 'select name from guard.guards')).toBe('one')
    const { epoch } = await raiseKill(
      () => open(server.urlOf('plain', 'pw', 'plain')),
      'fleet',
      'x',
    )
    expect(epoch).toBe(1_000_001)
    expect(await server.psqlAs(url, 'select epoch from guard.beat()')).toBe('1000001')
    expect(await retireMember(session, 'one')).toMatchObject({ writtenOff: '0' })
    session.close()
    address = addressOf(urls['owner'] ?? '')
  })

  test('the server never had the password, only its proof', async () => {
    const kept = await server.psql(
      `select rolpassword from pg_authid where rolname = '${roleOf(accounts[0])}'`,
    )
    expect(kept).toMatch(/^SCRAM-SHA-256\$4096:/)
    expect(await as('bot-0', 'select 1')).toBe('1')
  })

  const tables = [
    'guards',
    'events',
    'control',
    'acks',
    'budgets',
    'leases',
    'streams',
    'forks',
    'gaps',
    'reports',
  ]
  const writes = (table: string): readonly string[] => [
    `insert into guard.${table} default values`,
    `update guard.${table} set ${columnOf(table)} = ${columnOf(table)}`,
    `delete from guard.${table}`,
    `truncate guard.${table}`,
    `drop table guard.${table}`,
  ]
  const columnOf = (table: string): string =>
    ({ control: 'scope', budgets: 'scope', guards: 'name' })[table] ?? 'guard_id'

  test.each(['bot-0', 'monitor', 'operator', 'stranger'])(
    '%s writes to no table, whatever it says',
    async (who) => {
      for (const statement of tables.flatMap(writes)) {
        expect(await as(who, statement), statement).toMatch(/permission denied|must be owner/)
      }
      for (const table of ['guards', 'control', 'budgets']) {
        expect(await as(who, `alter table guard.${table} disable row level security`)).toMatch(
          /permission denied|must be owner/,
        )
      }
    },
  )

  test('a stranger sees nothing at all', async () => {
    expect(await as('stranger', 'select * from guard.guards')).toContain('permission denied')
    expect(await as('stranger', 'select * from guard.beat()')).toContain('permission denied')
  })

  test('a member reads control, its own row and its own events, and nobody else’s', async () => {
    await as('bot-0', join(0, 0))
    await as('bot-1', join(1, 0))
    expect(await as('bot-0', 'select name from guard.guards')).toBe('bot-0')
    expect(await as('bot-1', 'select name from guard.guards')).toBe('bot-1')
    for (const table of ['budgets', 'streams', 'forks', 'gaps', 'migrations']) {
      expect(await as('bot-0', `select * from guard.${table}`)).toContain('permission denied')
    }
    expect(await as('bot-0', `set role "${roleOf(accounts[1])}"`)).toContain('permission denied')
    expect(await as('bot-0', 'select * from guard.events_other')).toContain('permission denied')
  })

  test.each([
    ['bot-0', "select guard.raise_kill('fleet', 'x', 'r')"],
    ['bot-0', "select guard.raise_kill_silently('fleet', 'x', 'r')"],
    ['bot-0', "select guard.clear_kill('fleet')"],
    ['bot-0', "select guard.set_limit('fleet', 'open_risk', 1)"],
    ['bot-0', "select guard.retire_member('bot-1')"],
    ['bot-0', "select guard.add_member('testnet', '0x', 'x', null, 'x')"],
    ['bot-0', "select guard.make_month('2026-01-01')"],
    ['monitor', "select guard.raise_kill('fleet', 'x', 'r')"],
    ['monitor', "select guard.raise_kill_silently('fleet', 'x', 'r')"],
    ['monitor', "select guard.set_limit('fleet', 'open_risk', 1)"],
    ['monitor', 'select guard.acknowledge(1, 1, 1)'],
    ['monitor', "select guard.report(1, 'x', 1, '{}')"],
    ['operator', "select guard.report(1, 'x', 1, '{}')"],
    ['operator', "select guard.add_member('testnet', '0x', 'x', null, 'x')"],
    ['operator', "select guard.retire_member('bot-1')"],
    ['operator', 'select * from guard.beat()'],
    ['operator', "select * from guard.copy_events('[]')"],
  ])('%s may not: %s', async (who, statement) => {
    expect(await as(who, statement)).toContain('permission denied')
  })

  test('a member cannot join as another account, nor somebody who is none', async () => {
    expect(await as('bot-0', join(1, 0))).toContain('is the role of another account')
    expect(await as('owner', join(0, 0))).toContain('is no member of this fleet')
  })

  test('no member can use up the epochs', async () => {
    expect(await as('bot-0', join(0, '9223372036854775807'))).toContain('an epoch is from 0')
    expect(await as('bot-0', 'select guard.acknowledge(-1, 1, 1)')).toContain('an epoch is from 0')
  })

  test('an operator kills and clears; a monitor sees it; epochs only rise, over all scopes', async () => {
    const operator = (): Promise<StoreSession> => open(urls['operator'] ?? '')
    const { epoch: first } = await raiseKill(operator, 'group:g', 'the feed is wrong')
    // The first of this server's first timeline.
    expect(first).toBe(1_000_001)
    expect(await as('bot-0', 'select * from guard.beat()')).toBe(
      'group:g|1000001|the feed is wrong',
    )
    const { epoch: second } = await raiseKill(
      operator,
      `account:testnet:${accounts[1]}`,
      'only this one',
    )
    expect(second).toBe(1_000_002)
    expect(await as('bot-0', 'select epoch from guard.beat()')).toBe('1000001')
    expect(await as('bot-1', 'select epoch from guard.beat()')).toBe('1000001\n1000002')
    const session = await operator()
    expect(await clearKill(session, 'group:g')).toBe(first)
    expect(await clearKill(session, 'group:g')).toBe(null)
    expect(await as('bot-0', 'select * from guard.beat()')).toBe('')
    expect(await raiseKill(operator, 'fleet', 'again')).toEqual({
      epoch: 1_000_003,
      notified: true,
    })
    expect(await as('monitor', 'select scope, state, by from guard.control order by epoch')).toBe(
      `group:g|clear|operator\naccount:testnet:${accounts[1]}|killed|operator\nfleet|killed|operator`,
    )
    session.close()
  })

  test('what a Guard has obeyed is never raised again, also where the server has lost it', async () => {
    await as('bot-0', 'select guard.acknowledge(2000007, 1, null)')
    const raised = await raiseKill(() => open(urls['operator'] ?? ''), 'fleet', 'after a loss')
    expect(raised.epoch).toBe(2_000_008)
  })

  test('a kill whose answer is lost is asked for again, and raised once', async () => {
    let lost = 0
    const losing = (most: number) => async (): Promise<StoreSession> => {
      const session = await open(urls['operator'] ?? '')
      const query: StoreSession['query'] = async (text, values) => {
        const rows = await session.query(text, values)
        if (lost >= most) return rows
        lost += 1
        throw new StoreError('unknown', 'the line broke')
      }
      return { query, isOpen: true, close: () => session.close() }
    }
    const epochs = async (): Promise<number> =>
      Number(await as('monitor', 'select max(epoch) from guard.control'))
    const before = await epochs()
    expect(await raiseKill(losing(2), 'fleet', 'once')).toMatchObject({ epoch: before + 1 })
    expect([lost, await epochs()]).toEqual([2, before + 1])
    // Where no answer comes at all, nobody says that nothing was raised.
    lost = 0
    await expect(raiseKill(losing(9), 'fleet', 'x')).rejects.toMatchObject({ kind: 'unknown' })
    let tries = 0
    const gone = async (): Promise<StoreSession> => {
      tries += 1
      if (tries > 1) throw new StoreError('unreachable', 'it is gone')
      lost = 0
      return await losing(1)()
    }
    await expect(raiseKill(gone, 'fleet', 'x')).rejects.toMatchObject({ kind: 'unknown' })
  })

  test.each(['everything', 'group:none', 'group:', `account:mainnet:${accounts[0]}`, ''])(
    'the scope %j is refused',
    async (scope) => {
      const raised = raiseKill(() => open(urls['operator'] ?? ''), scope, 'x')
      await expect(raised).rejects.toMatchObject({ kind: 'refused', code: 'GF002' })
    },
  )

  test('an acknowledgement keeps its first moments, and is its own Guard’s', async () => {
    await as('bot-0', 'select guard.acknowledge(2000008, 1000, null)')
    await as('bot-0', 'select guard.acknowledge(2000008, 5000, 7000)')
    await as('bot-0', 'select guard.acknowledge(2000008, 9000, 9000)')
    const moments =
      'select extract(epoch from latched_at)::int, extract(epoch from flat_at)::int from guard.acks where epoch = 2000008'
    expect(await as('monitor', moments)).toBe('1|7')
    expect(await as('bot-1', 'select count(*) from guard.acks')).toBe('0')
  })

  test('what a Guard says of itself is bounded, its own, and read by those who watch', async () => {
    const told = (body: string, hash = 'ab'.repeat(32)): string =>
      `select guard.report(7, '${hash}', 5, '${body}')`
    expect(await as('bot-0', told('{"equity":"10"}'))).toBe('')
    expect(await as('bot-1', told('{"equity":"20"}'))).toBe('')
    const bodies = "select body ->> 'equity' from guard.reports order by 1"
    expect(await as('monitor', bodies)).toBe('10\n20')
    expect(await as('bot-0', bodies)).toBe('10')
    expect(
      await as('bot-0', 'select head_seq, left(head_hash, 4), copied_seq from guard.guards'),
    ).toBe('7|abab|5')
    expect(await as('bot-0', told(JSON.stringify({ x: 'y'.repeat(8_190) })))).toContain(
      'violates check',
    )
    expect(await as('bot-0', told('[]'))).toContain('violates check')
    expect(await as('bot-0', told('{}', 'no hash'))).toContain('violates check')
    expect(await as('stranger', bodies)).toContain('permission denied')
  })

  test('kills, limits and members are on disk when they are answered; a beat need not be', async () => {
    const shown = (who: string, call: string): Promise<string> =>
      as(who, `begin; do $$ begin perform ${call}; end $$; show synchronous_commit; rollback`)
    await server.psql("alter database fleet set synchronous_commit = 'local'")
    expect(await shown('operator', "guard.raise_kill('fleet', 'x', 'r')")).toBe('on')
    expect(await shown('operator', "guard.set_limit('fleet', 'open_risk', 1)")).toBe('on')
    expect(await shown('bot-0', 'guard.beat()')).toBe('off')
    await server.psql('alter database fleet reset synchronous_commit')
  })

  test('a limit below what is leased holds what is leased, and leases nothing new', async () => {
    await as('operator', "select guard.set_limit('fleet', 'open_risk', 500)")
    await server.psql("update guard.budgets set leased = 300 where kind = 'open_risk'", 'fleet')
    const set = "select limit_usd, leased from guard.set_limit('fleet', 'open_risk', 100)"
    expect(await as('operator', set)).toBe('300|300')
    expect(
      await server.psql("update guard.budgets set leased = 301 where kind = 'open_risk'", 'fleet'),
    ).toContain('violates check constraint')
    await server.psql('delete from guard.budgets', 'fleet')
    for (const kind of ['risk', 'coin_value:', "coin_value:E'TH"]) {
      const words = `select guard.set_limit('fleet', '${kind.replaceAll("'", "''")}', 1)`
      expect(await as('operator', words)).toContain('a kind is open_risk')
    }
  })

  test('who holds locks and owns things is retired all the same, and its connections end', async () => {
    let url = ''
    const member = { name: 'thief', network: 'testnet', account: `0x${'7e'.repeat(20)}` } as const
    await addMember(owner, address, { ...member, group: null }, (made) => (url = made))
    const thief = await open(url)
    await thief.query('create temp table kept (n int)')
    await thief.query("select lo_from_bytea(0, 'kept')")
    await thief.query('begin')
    await thief.query('select guard.begin_leases()')
    expect(await retireMember(owner, 'thief')).toMatchObject({ writtenOff: '0' })
    await expect(thief.query('select 1')).rejects.toBeInstanceOf(StoreError)
    await expect(open(url)).rejects.toMatchObject({ kind: 'refused' })
    const left = 'select count(*) from pg_largeobject_metadata'
    expect(await server.psql(left, 'fleet')).toBe('0')
  })

  test('who is retired is let in no more, and its connections end', async () => {
    const session = await open(urls['bot-1'] ?? '')
    await server.psql(
      "insert into guard.budgets values ('fleet', 'open_risk', 10, 10, 7, 'x'); insert into guard.leases select id, 'fleet', 'open_risk', 7, 5, now() from guard.guards where name = 'bot-1'",
      'fleet',
    )
    expect(await retireMember(owner, 'bot-1')).toEqual({
      role: roleOf(accounts[1]),
      writtenOff: '5',
    })
    expect(await server.psql('select leased, limit_usd from guard.budgets', 'fleet')).toBe('0|10')
    await expect(session.query('select * from guard.beat()')).rejects.toBeInstanceOf(StoreError)
    session.close()
    expect(await as('bot-1', 'select 1')).toContain('authentication failed')
    expect(await retireMember(owner, 'bot-1')).toBe(null)
    // The account may come back, as a member of its own.
    const member = { name: 'bot-1', network: 'testnet', account: accounts[1], group: null } as const
    await addMember(owner, address, member, (url) => (urls['bot-1'] = url))
    expect(await as('bot-1', join(1, 0))).toBe('bot-1|')
  })

  test('a member whose URL could not be kept was not made', async () => {
    const member = {
      name: 'x',
      network: 'testnet',
      account: `0x${'cc'.repeat(20)}`,
      group: null,
    } as const
    const failed = addMember(owner, address, member, () => {
      throw new Error('no room')
    })
    await expect(failed).rejects.toThrow('no room')
    expect(await server.psql("select count(*) from guard.guards where name = 'x'", 'fleet')).toBe(
      '0',
    )
    expect(await server.psql(`select count(*) from pg_roles where rolname like '%cccc'`)).toBe('0')
  })
})

function join(index: number, obeyed: number | string): string {
  return `select * from guard.join_fleet('testnet', '${accounts[index] ?? ''}', '1.0', 'host', 'hash', ${obeyed})`
}
