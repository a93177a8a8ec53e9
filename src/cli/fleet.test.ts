import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isPostgresThere, startPostgres } from '../fleet/postgres.fixture.ts'
import type { TestServer } from '../fleet/postgres.fixture.ts'
import { steps } from '../fleet/schema/migrate.ts'
import { ask } from './cli.fixture.ts'
import type { Said } from './cli.fixture.ts'
import {
  fleetBudgetsOutput,
  fleetKillOutput,
  fleetLimitOutput,
  fleetLimitRemovedOutput,
  fleetVerifyOutput,
} from '../../test/cli/outputSchemas.fixture.ts'

const account = `0x${'A1'.repeat(20)}`
const folder = mkdtempSync(join(tmpdir(), 'guard-fleet-'))
const home = ['--home', folder]
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

function secret(name: string, text: string, mode = 0o600): string {
  const file = join(folder, name)
  writeFileSync(file, text, { mode })
  chmodSync(file, mode)
  return file
}
const nobody = (): string => secret('nobody.url', 'postgresql://me:hush@127.0.0.1:1/x\n')
const kill = ['fleet', 'kill', '--scope', 'fleet', '--reason', 'the feed is wrong', ...home]

test('a store that is not reached: exit 3, nothing was raised, and the way without it', async () => {
  const told = await ask([...kill, '--url-file', nobody()])
  expect(told.code).toBe(3)
  expect(told.err).toContain('nothing was raised')
  expect(told.err).toContain('guard kill --all')
  expect(told.err).not.toContain('hush')
})

test.each([
  [['--url-file', '/nonexistent/x.url'], '/nonexistent/x.url: cannot be read (ENOENT)'],
  [[], 'fleet-admin.url: cannot be read'],
])('a URL file that is not there: %j', async (args, words) => {
  const told = await ask([...kill, ...args])
  expect([told.code, told.err]).toEqual([2, expect.stringContaining(words)])
})

test.each([
  ['others may read it', 'postgresql://me@127.0.0.1:1/x', 0o644, 'others may read it'],
  ['is no URL', 'hush-hush', 0o600, 'must be one URL such as'],
  ['is open', 'postgresql://me:hush@db.example/x', 0o600, 'sslmode=verify-full'],
])('a URL that %s is refused, and not repeated', async (_what, text, mode, words) => {
  const told = await ask([...kill, '--url-file', secret('odd.url', text, mode)])
  expect([told.code, told.err]).toEqual([2, expect.stringContaining(words)])
  expect(told.err).not.toContain('hush')
})

test.each([
  [
    ['kill', '--scope', 'all', '--reason', 'x'],
    'It must be fleet, group:NAME or account:NETWORK:0x..',
  ],
  [['kill', '--scope', 'fleet'], 'a reason is needed'],
  [['kill', '--scope', 'fleet', '--reason', 'x', '--wait', '11m'], 'from 1s to 10m'],
  [['kill', '--scope', 'fleet', '--reason', 'x', '--wait', '30'], 'from 1s to 10m'],
  [['limit', '--usd', '5'], '--scope and --kind say which'],
  [['limit', '--scope', 'all'], 'It must be fleet, group:NAME'],
  [['limit', '--kind', 'risk'], 'It must be open_risk, gross_value or coin_value:COIN'],
  [
    ['limit', '--kind', 'coin_value:eth'],
    'such as ETH, kPEPE or xyz:TSLA. Did you mean coin_value:ETH?',
  ],
  [['limit', '--kind', 'coin_value:Xyz:tsla'], 'Did you mean coin_value:xyz:TSLA?'],
  [['limit', '--kind', 'coin_value:e-t_h'], 'The coin must be spelled as the venue spells it'],
  [['limit', '--kind', 'coin_value:'], 'It must be open_risk, gross_value or coin_value:COIN'],
  [['limit', '--usd', '-1'], 'It must be from 0.01 to 999999999999.99 USD'],
  [['limit', '--usd', '1000000000000'], 'It must be from 0.01 to 999999999999.99 USD'],
  [
    ['limit', '--usd', '0.000000001'],
    'It must be from 0.01 to 999999999999.99 USD, in whole cents',
  ],
  [['limit', '--usd', '5.001'], 'in whole cents'],
  [['limit', '--remove'], '--remove ends a budget: --scope and --kind say which'],
  [['limit', '--remove', '--usd', '5'], 'cannot be used with'],
  [['watch', '--loss-stop', 'fleet=0.001'], 'It must be from 0.01 to 999999999999.99 USD'],
  [['limit', '--usd', '1e3'], 'It must be a plain decimal number'],
  [['add', '--name', 'a b'], 'letters, digits, dots'],
  [['add', '--account', '0x1'], 'It must be an address'],
  [['add', '--network', 'main'], 'mainnet, testnet'],
  [['retire'], "required option '--name <name>' not specified"],
  [['init'], "required option '--url-file <file>' not specified"],
])('%j is refused', async (args, words) => {
  const told = await ask(['fleet', ...args, ...home])
  expect([told.code, told.err]).toEqual([2, expect.stringContaining(words)])
})

describe.skipIf(!isPostgresThere)('with a real server', () => {
  let server: TestServer
  let operator: string
  beforeAll(async () => {
    server = await startPostgres()
    secret('fleet-admin.url', server.url())
    await server.psql("create role op login password 'op'")
    operator = secret('operator.url', server.urlOf('op', 'op'))
  })
  afterAll(() => server.stop())
  const fleet = (...args: string[]): Promise<Said> => ask(['fleet', ...args, ...home])
  const add = (name: string, out: string, ...more: string[]): Promise<Said> =>
    fleet('add', '--name', name, '--network', 'testnet', '--out', join(folder, out), ...more)

  test('before init: what to do', async () => {
    const told = await fleet('kill', '--scope', 'fleet', '--reason', 'x')
    expect(told).toMatchObject({ code: 1, err: expect.stringContaining('nothing was raised') })
    expect(told.err).toContain('guard fleet init --url-file')
    expect(told.err).toContain('guard kill --all')
  })

  test('init makes the schema, and again it is up to date', async () => {
    const args = ['init', '--url-file', join(folder, 'fleet-admin.url')]
    const made = await fleet(...args)
    expect(made).toMatchObject({ code: 0, err: '' })
    expect(made.out).toContain(
      `Schema guard, version ${steps.length} (made) in postgres at 127.0.0.1`,
    )
    // The test's own server has fsync off.
    expect(made.out).toContain('fsync')
    const again = { fleet: { from: steps.length, to: steps.length } }
    expect((await fleet(...args, '--json')).json()).toMatchObject(again)
    await server.psql('grant guard_operator to op')
  })

  test('add writes a URL that works into a new 0600 file', async () => {
    const told = await add('desk-1', 'desk-1.url', '--account', account, '--group', 'desk')
    expect(told).toMatchObject({ code: 0, err: '' })
    const file = join(folder, 'desk-1.url')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const url = readFileSync(file, 'utf8').trim()
    expect(told.out).not.toContain(url)
    expect(await server.psqlAs(url, 'select name, group_name from guard.guards')).toBe(
      'desk-1|desk',
    )
  })

  test.each([
    [
      ['desk-1', 'x.url', '--account', `0x${'b2'.repeat(20)}`],
      'a member of that name is there already',
    ],
    [['desk-2', 'x.url', '--account', account], 'that account is a member already'],
    [['desk-2', 'desk-1.url', '--account', `0x${'b2'.repeat(20)}`], 'exists already'],
  ] as const)(
    'add %j is refused, and leaves nothing behind',
    async ([name, out, ...more], words) => {
      const told = await add(name, out, ...more)
      expect(told.code).not.toBe(0)
      expect(told.err).toContain(words)
      expect(existsSync(join(folder, 'x.url'))).toBe(false)
      expect(await server.psql('select count(*) from guard.guards')).toBe('1')
    },
  )

  test('who is no operator is told so', async () => {
    const member = join(folder, 'desk-1.url')
    const told = await fleet('kill', '--scope', 'fleet', '--reason', 'x', '--url-file', member)
    expect(told).toMatchObject({ code: 1, err: expect.stringContaining('may not do it') })
    expect(told.err).toContain('nothing was raised')
  })

  test('an operator raises a kill; --wait says who has not latched, and exits 1', async () => {
    const scope = ['--scope', `account:testnet:${account}`, '--url-file', operator]
    const raised = await fleet('kill', ...scope, '--reason', 'x', '--json')
    const lower = account.toLowerCase()
    expect(raised.json()).toMatchObject({
      kill: { scope: `account:testnet:${lower}`, epoch: 1_000_001, reason: 'x' },
      members: [{ name: 'desk-1', state: 'unseen' }],
    })
    const url = readFileSync(join(folder, 'desk-1.url'), 'utf8').trim()
    await server.psqlAs(
      url,
      `select * from guard.join_fleet('testnet', '${lower}', '1', 'h', 'c', 0)`,
    )
    const waited = await fleet('kill', ...scope, '--reason', 'x', '--wait', '1s')
    expect(waited.code).toBe(1)
    expect(waited.out).toContain('Kill raised: epoch 1000002')
    expect(waited.out).toContain('desk-1 (testnet')
    // It was heard a moment ago: it is not silent, and has not latched either.
    expect(waited.out).toContain('has NOT latched, though it was heard')
    const atOnce = await fleet('kill', ...scope, '--reason', 'x')
    expect(atOnce.out).toContain('not heard yet whether it latched; it was heard')
    expect(atOnce.out).not.toContain('SILENT')
    const pending = await fleet('kill', ...scope, '--reason', 'x', '--json')
    expect(fleetKillOutput.parse(pending.json()).members).toMatchObject([{ state: 'not_yet' }])
    await server.psql("update guard.guards set last_seen = now() - interval '1 hour'")
    const silent = await fleet('kill', ...scope, '--reason', 'x')
    expect(silent.out).toContain('SILENT: has not latched; last heard 1 h ago')
    await server.psqlAs(url, 'select guard.acknowledge(1000006, 1, 2)')
    const flat = await fleet('kill', ...scope, '--reason', 'y', '--wait', '2s')
    // What this Guard has acknowledged is higher than any epoch raised: the next one is above it.
    expect(flat.out).toContain('epoch 1000007')
  })

  test('a scope that nobody is in is refused, by its name', async () => {
    const told = await fleet('kill', '--scope', 'group:none', '--reason', 'x')
    expect([told.code, told.err]).toEqual([
      2,
      expect.stringContaining('no member of this fleet is in group:none'),
    ])
  })

  test('clear ends it for those that join later, and says what it does not do', async () => {
    const scope = ['--scope', `account:testnet:${account}`]
    const told = await fleet('clear', ...scope, '--url-file', operator)
    expect(told).toMatchObject({ code: 0, out: expect.stringContaining('stays latched') })
    expect(told.out).toMatch(
      /1 member has not acknowledged it and is not latched by it when it comes back: \S+\n/,
    )
    const again = await fleet('clear', ...scope)
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('no kill is raised there')])
  })

  test('a limit is set by an operator, and listed with who holds what', async () => {
    const none = await fleet('limit')
    expect(none).toMatchObject({ code: 0, out: expect.stringContaining('No budget is set there') })
    const set = ['limit', '--scope', 'group:desk', '--kind', 'coin_value:ETH']
    const told = await fleet(...set, '--usd', '1000.5', '--url-file', operator)
    expect(told).toMatchObject({ code: 0, err: '' })
    expect(told.out).toBe(
      'coin_value:ETH of group:desk is limited to $1,000.50; $0.00 are leased.\nNo Guard of group:desk has told which coins its venue lists, so whether ETH is one is not known.\n',
    )
    const url = readFileSync(join(folder, 'desk-1.url'), 'utf8').trim()
    const turn = await server.psqlAs(url, 'select guard.begin_leases()')
    const ask = { scope: 'group:desk', kind: 'coin_value:ETH', used: 5, want: 70, keep: 0 }
    await server.psqlAs(url, `select guard.renew_leases(${turn}, '${JSON.stringify([ask])}')`)
    const lower = await fleet(...set, '--usd', '20', '--json')
    expect(fleetLimitOutput.parse(lower.json())).toEqual({
      limit: {
        ...{ scope: 'group:desk', kind: 'coin_value:ETH', limit_usd: '20', leased_usd: '70' },
        ...{ fits: false, known_by: null },
      },
    })
    expect((await fleet(...set, '--usd', '30')).out).toContain('nothing is closed')
    await server.psql("update guard.leases set renewed_at = now() - interval '1 hour'")
    const listed = await fleet('limit')
    expect(listed.out).toContain(
      'coin_value:ETH of group:desk: limit $30.00, $70.00 leased, $5.00 used',
    )
    expect(listed.out).toContain('desk-1: $5.00 used of $70.00 held   SILENT for 1 h')
    const json = fleetBudgetsOutput.parse((await fleet('limit', '--json')).json())
    expect(json.budgets).toMatchObject([
      {
        ...{ limit_usd: '30', leased_usd: '70', used_usd: '5' },
        holders: [{ name: 'desk-1', held_usd: '70', used_usd: '5', silent: true }],
      },
    ])
    const other = await fleet('limit', '--scope', 'fleet', '--json')
    expect(other.json()).toEqual({ budgets: [] })
    const member = await fleet(...set, '--usd', '1', '--url-file', join(folder, 'desk-1.url'))
    expect(member).toMatchObject({ code: 1, err: expect.stringContaining('may not do it') })
    const nobody = ['limit', '--scope', 'group:none', '--kind', 'open_risk', '--usd', '1']
    expect((await fleet(...nobody)).err).toContain('no member of this fleet is in group:none')
  })

  test('a limit for a coin that nobody lists is set, and that is said', async () => {
    const url = readFileSync(join(folder, 'desk-1.url'), 'utf8').trim()
    await server.psqlAs(url, `select guard.tell_coins('["BTC","ETH"]')`)
    const set = ['limit', '--scope', 'fleet', '--usd', '10', '--kind']
    const odd = await fleet(...set, 'coin_value:ETHH')
    expect([odd.code, odd.out]).toEqual([
      0,
      expect.stringContaining('ETHH is listed for none of the 1 Guard of fleet'),
    ])
    const json = fleetLimitOutput.parse((await fleet(...set, 'coin_value:ETHH', '--json')).json())
    expect(json.limit.known_by).toBe(0)
    expect((await fleet(...set, 'coin_value:ETH')).out).not.toContain('listed for none')
    expect((await fleet(...set, 'open_risk')).out).not.toContain('listed')
    for (const kind of ['coin_value:ETHH', 'coin_value:ETH', 'open_risk']) {
      await fleet('limit', '--scope', 'fleet', '--kind', kind, '--remove')
    }
  })

  test('a budget is removed: its leases are free, and nobody counts it any more', async () => {
    const risk = ['limit', '--scope', 'fleet', '--kind', 'open_risk']
    await fleet(...risk, '--usd', '100')
    const url = readFileSync(join(folder, 'desk-1.url'), 'utf8').trim()
    const turn = await server.psqlAs(url, 'select guard.begin_leases()')
    const asks = JSON.stringify([
      { scope: 'fleet', kind: 'open_risk', used: '0.001', want: 60, keep: 0 },
    ])
    const renew = `select scope, kind from guard.renew_leases(${turn}, '${asks}')`
    expect(await server.psqlAs(url, renew)).toBe('fleet|open_risk\ngroup:desk|coin_value:ETH')
    // What is something is not shown as nothing.
    expect((await fleet(...risk)).out).toContain('desk-1: less than $0.01 used of $60.00 held')
    const told = await fleet(...risk, '--remove', '--url-file', operator)
    expect(told).toMatchObject({ code: 0, err: '' })
    expect(told.out).toContain(
      'open_risk of fleet is limited no more; $60.00 that 1 member held are free.',
    )
    expect(await server.psqlAs(url, renew)).toBe('group:desk|coin_value:ETH')
    expect((await fleet(...risk, '--json')).json()).toEqual({ budgets: [] })
    const again = await fleet(...risk, '--remove')
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('no such budget is set')])
    await fleet(...risk, '--usd', '1')
    const json = fleetLimitRemovedOutput.parse((await fleet(...risk, '--remove', '--json')).json())
    expect(json.removed).toMatchObject({ scope: 'fleet', kind: 'open_risk', freed_usd: '0' })
    const member = await fleet(...risk, '--remove', '--url-file', join(folder, 'desk-1.url'))
    expect(member).toMatchObject({ code: 1, err: expect.stringContaining('may not do it') })
  })

  test.each([
    ['init'],
    ['add', '--name', 'x', '--network', 'testnet', '--account', `0x${'d4'.repeat(20)}`, '--out'],
    ['retire', '--name', 'desk-1'],
  ])('an operator is told that %s wants the owner’s URL', async (...args) => {
    const out = args[0] === 'add' ? [join(folder, 'unmade.url')] : []
    const told = await fleet(...args, ...out, '--url-file', operator)
    expect([told.code, told.err]).toEqual([1, expect.stringContaining('may not do it')])
    expect(told.err).toContain('what is wanted is the owner’s URL, the one that guard fleet init')
    expect(told.err).not.toContain('operator’s')
    expect(existsSync(join(folder, 'unmade.url'))).toBe(false)
  })

  test('what others wrote steers no terminal and turns no line', async () => {
    const odd = 'right\u202eto-left\u0007\u001b[2J'
    await server.psql(
      `alter table guard.guards drop constraint guards_name_check; update guard.guards set name = '${odd}'`,
    )
    const said = [
      await fleet('limit'),
      await fleet('kill', '--scope', 'fleet', '--reason', odd),
      await fleet('kill', '--scope', 'fleet', '--reason', 'x', '--json'),
      await fleet('verify', '--guard', odd),
    ]
    await server.psql("update guard.guards set name = 'desk-1'")
    await fleet('clear', '--scope', 'fleet')
    for (const { out, err } of said) expect(out + err).not.toMatch(/[\u202e\u0007]|\u001b\[2J/)
    expect(said[0]?.out).toContain('right\\u{202e}to-left\\u{7}\\u{1b}[2J: $5.00 used')
  })

  test('verify: whole, then not, and it says which and why', async () => {
    const none = await fleet('verify')
    expect([none.code, none.out]).toEqual([0, '0 of 0 chains are whole.\n'])
    await server.psql(
      `insert into guard.streams select id, 0, 3, '${'ab'.repeat(32)}' from guard.guards where name = 'desk-1'`,
    )
    const told = await fleet('verify', '--guard', 'desk-1')
    expect(told.code).toBe(1)
    expect(told.out).toContain('record 1 was cut off at the end: the store has taken 3 records')
    expect(told.err).toContain('not whole: desk-1')
    expect((await fleet('verify', '--json')).json()).toMatchObject({ ok: false })
    await server.psql('delete from guard.streams')
    const url = readFileSync(join(folder, 'desk-1.url'), 'utf8').trim()
    const head = `select guard.tell_head('home-2', 'there', 12, '${'ab'.repeat(32)}')`
    await server.psqlAs(url, head)
    const lacking = await fleet('verify')
    expect(lacking.code).toBe(0)
    expect(lacking.out).toContain(
      'desk-1, a home that does not act at there: whole as far as it goes, NOT ALL OF IT HERE, no record',
    )
    expect(lacking.out).toContain('records 1 to 12 are on the disk of that home alone')
    expect(lacking.out).toContain('Not in the store: 12 records')
    const json = fleetVerifyOutput.parse((await fleet('verify', '--json')).json())
    expect(json).toMatchObject({ ok: true, chains: [{ not_here: { from: 1, to: 12 } }] })
    await server.psql('delete from guard.heads')
    const other = await fleet('verify', '--guard', 'desk-9')
    expect([other.code, other.err]).toEqual([2, expect.stringContaining('no record of a member')])
  })

  test('retire ends a member', async () => {
    const gone = await fleet('retire', '--name', 'desk-1')
    expect(gone.out).toContain('$5.00 that it used of shared budgets are written off')
    expect(gone).toMatchObject({ code: 0, out: expect.stringContaining('hears no kill') })
    expect(gone.out).toContain('opens nothing any more, 10 s from now at the latest')
    const again = await fleet('retire', '--name', 'desk-1')
    expect([again.code, again.err]).toEqual([2, expect.stringContaining('no member of this fleet')])
  })

  test('a server that is gone: exit 3', async () => {
    await server.kill()
    const told = await fleet('kill', '--scope', 'fleet', '--reason', 'x')
    expect(told).toMatchObject({ code: 3, err: expect.stringContaining('nothing was raised') })
    await server.start()
  })

  test('a server that hangs: exit 3, within its time', async () => {
    server.signal('SIGSTOP')
    const told = await fleet('kill', '--scope', 'fleet', '--reason', 'x')
    server.signal('SIGCONT')
    expect(told).toMatchObject({ code: 3, err: expect.stringContaining('nothing was raised') })
  })
})
