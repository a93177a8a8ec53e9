import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Timers } from '../engine/ports.ts'
import { systemTimers } from '../system/systemTimers.ts'
import { identityOf } from './host.fixture.ts'
import { HostLedger, ledgerFile, TurnTaken } from './hostLedger.ts'
import { HostMember } from './hostMember.ts'
import { noteGuard, notedGuards, withNoted } from './knownHomes.ts'
import type { HostIdentity } from './hostMember.ts'
import { hostMs, ownSight } from './hostProcess.ts'
import type { Sight } from './hostProcess.ts'

let directory: string
const members: HostMember[] = []
const children: ChildProcess[] = []
beforeEach(() => {
  directory = join(mkdtempSync(join(tmpdir(), 'guard-host-')), 'host')
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  for (const member of members.splice(0)) await member.leave()
  rmSync(join(directory, '..'), { recursive: true, force: true })
})

function memberOf(identity: HostIdentity, sight: Sight = ownSight()): HostMember {
  const member = new HostMember(identity, {
    ...{ directory, sight, timers: patient, hostMs, wallMs: () => Date.now() },
    openLedger: (place) => HostLedger.open(place),
    note: noteGuard,
  })
  members.push(member)
  return member
}

/** However slow the machine is, a test waits for the ledger's answer. */
const patient: Timers = {
  every: systemTimers.every,
  after: (ms, task) => (ms < 100 ? systemTimers.after(ms, task) : () => undefined),
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 10))
}

/** Another process of this machine, and how this one would see it. */
async function otherProcess(program: string): Promise<{ child: ChildProcess; sight: Sight }> {
  const child = spawn(process.execPath, ['-e', program], { stdio: ['pipe', 'pipe', 'inherit'] })
  children.push(child)
  await new Promise((resolve) => child.stdout?.once('data', resolve))
  const stat = readFileSync(`/proc/${child.pid ?? 0}/stat`, 'utf8')
  const started = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null
  const { own, isRunning } = ownSight()
  return { child, sight: { own: { ...own, pid: child.pid ?? 0, started }, isRunning } }
}

const waits = `process.stdin.resume(); console.log('ready')`

test('the folder and what is in it are the owner’s alone, and hold no key', async () => {
  const member = memberOf(identityOf('a'))
  expect(await member.join()).toBeNull()
  expect(statSync(directory).mode & 0o777).toBe(0o700)
  for (const name of readdirSync(directory, { recursive: true, encoding: 'utf8' })) {
    const stat = statSync(join(directory, name))
    const mode = stat.isDirectory() ? 0o700 : 0o600
    expect([name, stat.mode & 0o777]).toEqual([name, mode])
  }
  expect(member.status()).toEqual({ guards: 1, weight_share: 1_200, floor: 120, others: [] })
})

test('Guards know of each other, and of those that have stopped', async () => {
  const [one, other] = [memberOf(identityOf('a')), memberOf(identityOf('b'))]
  other.describe(() => ({
    url: 'http://b',
    state: 'active',
    equity: '5',
    positions: 1,
    kill: null,
  }))
  await one.join()
  await other.join()
  await until(() => one.status().guards === 2)
  expect(one.status().others).toEqual([{ account: '0xb', network: 'testnet', url: 'http://b' }])
  await other.leave()
  await until(() => one.status().guards === 1)
  const ledger = await HostLedger.find(directory)
  const rows = (await ledger?.read())?.rows ?? []
  await ledger?.close()
  expect(rows).toMatchObject([
    { home: '/homes/a', running: 1 },
    { home: '/homes/b', running: 0, equity: '5', positions: 1 },
  ])
})

test.each([1, 2, 3])('who decided before %i others wrote is told so', async (writes) => {
  const member = memberOf(identityOf('a'))
  await member.join()
  await member.leave()
  const ledger = await HostLedger.open(directory)
  const { turn, rows } = await ledger.read()
  const [row] = rows
  if (row === undefined) throw new Error('there is a row')
  for (let each = 0; each < writes; each += 1) await ledger.write(turn + each, row, [], 0)
  await expect(ledger.write(turn, row, [], 0)).rejects.toThrow(TurnTaken)
  expect((await ledger.read()).turn).toBe(turn + writes)
  await ledger.close()
})

test.each([
  ['account', { ...identityOf('b'), account: '0xa' }],
  ['API wallet', { ...identityOf('b'), api_wallet: '0xwa' }],
])('a second Guard with the same %s is refused, until the first is dead', async (_what, twin) => {
  const { child, sight } = await otherProcess(waits)
  const first = memberOf(identityOf('a'), sight)
  expect(await first.join()).toBeNull()
  expect(await memberOf(twin).join()).toMatchObject({ home: '/homes/a', pid: child.pid })
  expect(await memberOf({ ...twin, venue: 'mainnet' }).join()).toBeNull()
  expect(await memberOf({ ...twin, mode: 'paper', home: '/paper' }).join()).toBeNull()
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
  expect(await memberOf(twin).join()).toBeNull()
})

test('the number of a dead process that another one has now refuses nobody', async () => {
  const { sight } = await otherProcess(waits)
  const own = { ...sight.own, started: '1' }
  expect(await memberOf(identityOf('a'), { ...sight, own }).join()).toBeNull()
  expect(await memberOf({ ...identityOf('b'), account: '0xa' }).join()).toBeNull()
})

test('with a broken ledger a Guard lives on its floor, and shares once it was removed', async () => {
  await (await HostLedger.open(directory)).close()
  writeFileSync(ledgerFile(directory), 'this is no database, but long enough to be looked at')
  const member = memberOf(identityOf('a'))
  expect(await member.join()).toBeNull()
  expect(member.limit()).toBe(120)
  await until(() => member.problem !== null)
  expect(member.problem).toMatch(/not a database.*floor of 120/)
  rmSync(directory, { recursive: true })
  await until(() => member.limit() === 1_200)
  expect(member.problem).toBeNull()
})

test.each(['', '-wal', '-shm', '-journal'])(
  'a pipe in the place of ledger.db%s holds nobody up and is named',
  async (suffix) => {
    mkdirSync(directory, { mode: 0o700 })
    const path = `${ledgerFile(directory)}${suffix}`
    execFileSync('mkfifo', [path])
    await expect(HostLedger.open(directory)).rejects.toThrow(`${path} is not a regular file`)
  },
)

test('a lock that another process holds is not waited for, and its end is noticed', async () => {
  await (await HostLedger.open(directory)).close()
  const sqlite = createRequire(import.meta.url).resolve('@photostructure/sqlite')
  const { child } = await otherProcess(`
    const { DatabaseSync } = require(${JSON.stringify(sqlite)})
    new DatabaseSync(${JSON.stringify(ledgerFile(directory))}).exec('BEGIN EXCLUSIVE')
    process.stdin.resume()
    console.log('held')
  `)
  // A frozen process keeps what it holds.
  child.kill('SIGSTOP')
  const member = memberOf(identityOf('a'))
  expect(await member.join()).toBeNull()
  expect(member.limit()).toBe(120)
  await until(() => member.problem?.includes('locked') === true)
  child.kill('SIGKILL')
  await until(() => member.limit() === 1_200)
  expect(member.problem).toBeNull()
})

test('a Guard that cannot tell its boot, as in a hardened unit, is seen to run by others', async () => {
  const { sight } = await otherProcess(waits)
  const hidden = { ...sight.own, boot: 'unknown' }
  expect(await memberOf(identityOf('a'), { ...sight, own: hidden }).join()).toBeNull()
  expect(await memberOf({ ...identityOf('b'), account: '0xa' }).join()).not.toBeNull()
})

test('a run that ended in a container that is gone does not refuse the next one of its home', async () => {
  const { sight } = await otherProcess(waits)
  const own = { ...sight.own, space: 'a container that is gone' }
  const isRunning = () => null
  expect(await memberOf(identityOf('a'), { own, isRunning }).join()).toBeNull()
  const twin = { ...identityOf('a'), state_place: 'another place' }
  expect(await memberOf(twin).join()).toMatchObject({ home: '/homes/a' })
  expect(await memberOf(identityOf('a')).join()).toBeNull()
})

test('a Guard is noted beside the ledger, also where that is broken, and found without it', async () => {
  await (await HostLedger.open(directory)).close()
  writeFileSync(ledgerFile(directory), 'this is no database, but long enough to be looked at')
  const [one, other] = [memberOf(identityOf('a')), memberOf(identityOf('b'))]
  one.describe(() => ({ url: 'http://a', state: 'active', equity: '5', positions: 1, kill: null }))
  for (const each of [one, other]) await each.join()
  const homes = async () => (await notedGuards(directory)).map(({ home }) => home).sort()
  while ((await homes()).length < 2) continue
  const noted = await notedGuards(directory)
  expect(await homes()).toEqual(['/homes/a', '/homes/b'])
  expect(noted.find(({ home }) => home === '/homes/a')).toMatchObject({
    url: 'http://a',
    running: 1,
  })
  writeFileSync(join(directory, 'guards', 'odd.json'), '{')
  const large = { ...noted[0], home: '/homes/large', state: 'x'.repeat(70_000) }
  writeFileSync(join(directory, 'guards', 'large.json'), JSON.stringify(large))
  expect(await homes()).toHaveLength(2)
  const [first] = noted
  if (first === undefined) throw new Error('there is one')
  expect(withNoted([{ ...first, positions: 9 }], noted)).toHaveLength(2)
  expect(withNoted([{ ...first, positions: 9 }], noted)[0]?.positions).toBe(9)
})

test('a ledger of an earlier version is made anew', async () => {
  await (await HostLedger.open(directory)).close()
  const sqlite = createRequire(import.meta.url).resolve('@photostructure/sqlite')
  const old = `
    const { DatabaseSync } = require(${JSON.stringify(sqlite)})
    const database = new DatabaseSync(${JSON.stringify(ledgerFile(directory))})
    database.exec('ALTER TABLE guard DROP COLUMN state_place; PRAGMA user_version = 1')
    database.close()
    process.stdin.resume()
    console.log('old')
  `
  await otherProcess(old)
  const member = memberOf(identityOf('a'))
  expect(await member.join()).toBeNull()
  expect(member.limit()).toBe(1_200)
})
