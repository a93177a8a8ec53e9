import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { systemTimers } from '../../system/systemTimers.ts'
import { addMember, initFleet, retireMember } from '../fleetAdmin.ts'
import { addressOf } from '../fleet.fixture.ts'
import { isPostgresThere, startPostgres } from '../postgres.fixture.ts'
import type { TestServer } from '../postgres.fixture.ts'
import { openSession } from '../storeSession.ts'
import type { StoreSession } from '../storeSession.ts'

const accounts = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`, `0x${'c3'.repeat(20)}`] as const

describe.skipIf(!isPostgresThere)('leases, as each role of a real server', () => {
  let server: TestServer
  let owner: StoreSession
  const urls: Record<string, string> = {}
  const as = (who: string, statement: string): Promise<string> =>
    server.psqlAs(urls[who] ?? '', statement)

  beforeAll(async () => {
    server = await startPostgres()
    const address = addressOf(server.url())
    owner = await openSession(address, { timers: systemTimers })
    await initFleet(owner)
    for (const [index, account] of accounts.entries()) {
      const group = index < 2 ? 'g' : 'other'
      const member = { name: `bot-${index}`, network: 'testnet', account, group } as const
      await addMember(owner, address, member, (url) => (urls[`bot-${index}`] = url))
    }
    for (const role of ['operator', 'monitor', 'stranger']) {
      const grant = role === 'stranger' ? '' : `; grant guard_${role} to ${role}`
      await server.psql(`create role ${role} login password 'pw'${grant}`)
      urls[role] = server.urlOf(role, 'pw')
    }
  })
  afterAll(async () => {
    owner.close()
    await server.stop()
  })
  beforeEach(async () => {
    await server.psql('delete from guard.leases; delete from guard.budgets')
    await server.psql("update guard.leasing set since = '-infinity'")
    await longAgo()
  })
  /** Who was retired is so since a while. */
  const longAgo = (): Promise<string> =>
    server.psql("update guard.guards set retired_at = retired_at - interval '1 minute'")

  const limit = (scope: string, kind: string, usd: number | string): Promise<string> =>
    as('operator', `select guard.set_limit('${scope}', '${kind}', ${usd})`)
  const turn = (who: number): Promise<string> => as(`bot-${who}`, 'select guard.begin_leases()')

  interface Asked {
    readonly used: number | string
    readonly want: number | string
    readonly keep?: number | string
    readonly scope?: string
    readonly kind?: string
  }
  /** What a member is answered: what it holds, and what it should. */
  async function ask(who: number, asked: Asked, given?: string): Promise<string> {
    const { used, want, keep = used, scope = 'fleet', kind = 'open_risk' } = asked
    const asks = JSON.stringify([{ scope, kind, used, want, keep }])
    const own = given ?? (await turn(who))
    return await as(
      `bot-${who}`,
      `select trim_scale(held), trim_scale(target) from guard.renew_leases(${own}, '${asks}') where was_asked`,
    )
  }
  const kept = (): Promise<string> =>
    server.psql(
      'select set_usd, trim_scale(limit_usd), trim_scale(leased) from guard.budgets order by scope, kind',
    )

  test.each(['stranger', 'monitor', 'operator'])('%s leases nothing', async (who) => {
    expect(await as(who, 'select guard.begin_leases()')).toContain('permission denied')
    expect(await as(who, "select guard.renew_leases(1, '[]')")).toContain('permission denied')
    for (const call of ['is_settling()', 'timeline()']) {
      expect(await as(who, `select guard.${call}`)).toContain('permission denied')
      expect(await as('bot-0', `select guard.${call}`)).toContain('permission denied')
    }
    expect(await as(who, 'update guard.leasing set since = now()')).toContain('permission denied')
  })

  test('a member sees its own leases and no budget; a monitor sees all', async () => {
    await limit('fleet', 'open_risk', 100)
    await ask(0, { used: 1, want: 10 })
    await ask(1, { used: 2, want: 20 })
    expect(await as('bot-0', 'select held_usd from guard.leases')).toBe('10')
    expect(await as('bot-0', 'select * from guard.budgets')).toContain('permission denied')
    expect(await as('bot-0', 'select * from guard.leasing')).toContain('permission denied')
    expect(await as('monitor', 'select sum(held_usd) from guard.leases')).toBe('30')
  })

  test('told is every budget that counts for it, all at once, and none of another', async () => {
    await limit('fleet', 'open_risk', 100)
    await limit('group:g', 'gross_value', 1000)
    await limit('group:other', 'gross_value', 7)
    await limit(`account:testnet:${accounts[0]}`, 'coin_value:ETH', 50)
    const told = `select scope, kind, held, budget, was_asked from guard.renew_leases(${await turn(0)}, '[]')`
    expect(await as('bot-0', told)).toBe(
      [
        `account:testnet:${accounts[0]}|coin_value:ETH|0|50|f`,
        'fleet|open_risk|0|100|f',
        'group:g|gross_value|0|1000|f',
      ].join('\n'),
    )
    // What it was not asked about it is not given either.
    expect(await ask(0, { used: 1, want: 9, scope: 'group:other', kind: 'gross_value' })).toBe('')
  })

  test('no more than is free is leased, and what is used is always told truly', async () => {
    await limit('fleet', 'open_risk', 100)
    expect(await ask(0, { used: 10, want: 70 })).toBe('70|70')
    expect(await ask(1, { used: 0, want: 70 })).toBe('30|30')
    expect(await kept()).toBe('100|100|100')
    // Somebody traded by hand: more is used than can be leased.
    expect(await ask(1, { used: 55, want: 70, keep: 30 })).toBe('30|30')
    expect(
      await server.psql('select held_usd, used_usd, reported_usd from guard.leases order by 1'),
    ).toBe('30|30|55\n70|10|10')
    // Once there is room it is covered.
    expect(await ask(0, { used: 10, want: 20, keep: 20 })).toBe('20|20')
    expect(await ask(1, { used: 55, want: 70, keep: 30 })).toBe('70|70')
    expect(await kept()).toBe('100|100|90')
  })

  test('a limit below what is leased: nothing new, what is used stays, spare is asked back', async () => {
    await limit('fleet', 'open_risk', 100)
    await ask(0, { used: 30, want: 60 })
    await limit('fleet', 'open_risk', 20)
    expect(await kept()).toBe('20|60|60')
    // It still relies on 60 when it asks, and hears that it should hold what is used.
    expect(await ask(0, { used: 30, want: 60, keep: 60 })).toBe('60|30')
    expect(await ask(0, { used: 30, want: 60, keep: 30 })).toBe('30|30')
    expect(await kept()).toBe('20|30|30')
    expect(await ask(1, { used: 0, want: 5 })).toBe('0|0')
    // It closed: the limit holds again.
    expect(await ask(0, { used: 0, want: 60, keep: 0 })).toBe('10|10')
    expect(await ask(1, { used: 0, want: 5 })).toBe('5|5')
  })

  test('what others lack is given back, down to an even part of what nobody uses', async () => {
    await limit('fleet', 'open_risk', 100)
    expect(await ask(0, { used: 10, want: 100 })).toBe('100|100')
    expect(await ask(1, { used: 0, want: 100 })).toBe('0|0')
    // 90 are used by nobody: 45 each beside what is used.
    expect(await ask(0, { used: 10, want: 100, keep: 100 })).toBe('100|55')
    expect(await ask(0, { used: 10, want: 100, keep: 55 })).toBe('55|55')
    expect(await ask(1, { used: 0, want: 100 })).toBe('45|45')
    // Both have their part: nobody is asked for anything.
    expect(await ask(0, { used: 10, want: 100, keep: 55 })).toBe('55|55')
    expect(await kept()).toBe('100|100|100')
    // Who wants little leaves the rest to the other.
    expect(await ask(1, { used: 0, want: 5, keep: 5 })).toBe('5|5')
    expect(await ask(0, { used: 10, want: 100, keep: 55 })).toBe('95|95')
  })

  test('what a silent one holds stays counted, and takes no part in the sharing', async () => {
    await limit('fleet', 'open_risk', 100)
    await ask(0, { used: 10, want: 60 })
    await server.psql(
      "update guard.leases set renewed_at = now() - interval '1 day', spare_until = now() - interval '1 day'",
    )
    expect(await ask(1, { used: 0, want: 100 })).toBe('40|40')
    expect(await ask(2, { used: 0, want: 100 })).toBe('0|0')
    expect(await ask(1, { used: 0, want: 100, keep: 40 })).toBe('40|20')
    // A person writes it off by its name, and all of it is free.
    expect(await retireMember(owner, 'bot-0')).toMatchObject({ writtenOff: '10' })
    // Its Guard may open for some seconds yet: nobody gets more until then.
    expect(await ask(1, { used: 0, want: 100, keep: 20 })).toBe('40|50')
    await longAgo()
    expect(await ask(1, { used: 0, want: 100, keep: 20 })).toBe('50|50')
    expect(await kept()).toBe('100|100|50')
    const member = { name: 'bot-0', network: 'testnet', account: accounts[0], group: 'g' } as const
    await addMember(owner, addressOf(server.url()), member, (url) => (urls['bot-0'] = url))
  })

  test('who holds a budget for long is not waited for', async () => {
    await limit('fleet', 'open_risk', 100)
    const own = await turn(1)
    const other = await openSession(addressOf(urls['bot-1'] ?? ''), { timers: systemTimers })
    await other.query('begin')
    await other.query(`select guard.renew_leases(${own}, '[]')`)
    expect(await ask(0, { used: 0, want: 80 })).toContain('lock timeout')
    await other.query('rollback')
    other.close()
    expect(await ask(0, { used: 0, want: 80 })).toBe('80|80')
  })

  test('what an earlier connection still asks for is refused', async () => {
    await limit('fleet', 'open_risk', 100)
    const earlier = await turn(0)
    expect(await ask(0, { used: 0, want: 80 })).toBe('80|80')
    expect(await ask(0, { used: 0, want: 10 }, earlier)).toContain('another connection')
    expect(await server.psql('select held_usd from guard.leases')).toBe('80')
  })

  test('after a failover nothing new is leased for as long as a lease lasts', async () => {
    await limit('fleet', 'open_risk', 100)
    await ask(0, { used: 10, want: 30 })
    await server.psql('update guard.leasing set timeline = 0')
    expect(await ask(0, { used: 10, want: 90, keep: 30 })).toBe('30|90')
    // What it relied on before, and this server has lost, is its own again.
    expect(await ask(1, { used: 5, want: 90, keep: 60 })).toBe('60|47.5')
    expect(await ask(2, { used: 0, want: 90 })).toBe('0|10')
    await server.psql("update guard.leasing set since = now() - interval '301 seconds'")
    expect(await ask(2, { used: 0, want: 90 })).toBe('10|10')
  })

  test.each(['"NaN"', '"Infinity"', '-1', '1e15', 'null'])('%s is no amount', async (amount) => {
    await limit('fleet', 'open_risk', 100)
    const asks = `[{"scope":"fleet","kind":"open_risk","used":0,"want":${amount},"keep":0}]`
    expect(await as('bot-0', `select guard.renew_leases(${await turn(0)}, '${asks}')`)).toContain(
      'from 0 to 1e15 USD',
    )
  })

  test('leases are on disk when they are answered', async () => {
    await server.psql("alter database postgres set synchronous_commit = 'local'")
    const own = await turn(0)
    expect(
      await as(
        'bot-0',
        `begin; do $$ begin perform guard.renew_leases(${own}, '[]'); end $$; show synchronous_commit; rollback`,
      ),
    ).toBe('on')
    await server.psql('alter database postgres reset synchronous_commit')
  })

  test('thirty at once never lease more than there is', async () => {
    await limit('fleet', 'open_risk', 100)
    await limit('group:g', 'open_risk', 60)
    const one = async (who: number): Promise<void> => {
      const session = await openSession(addressOf(urls[`bot-${who}`] ?? ''), {
        timers: systemTimers,
      })
      const [row] = await session.query('select guard.begin_leases()::text as turn')
      for (let round = 0; round < 30; round += 1) {
        const used = (round * 7 + who * 13) % 50
        const asks = ['fleet', 'group:g'].map((scope) => ({
          ...{ scope, kind: 'open_risk', used, want: used + 20, keep: 0 },
        }))
        await session.query('select guard.renew_leases($1, $2)', [
          ...[String(row?.['turn']), JSON.stringify(asks)],
        ])
      }
      session.close()
    }
    await Promise.all([one(0), one(1), one(2)])
    const sums =
      'select b.leased = sum(l.held_usd), b.leased <= b.limit_usd, bool_and(l.used_usd <= l.held_usd) from guard.budgets b join guard.leases l using (scope, kind) group by b.scope, b.kind, b.leased, b.limit_usd'
    expect(await server.psql(sums)).toBe('t|t|t\nt|t|t')
  })
})
