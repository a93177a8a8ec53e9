import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseAddress } from '../../core/values/address.ts'
import { limits } from '../../core/values/limits.ts'
import { ChainKey } from '../../journal/chainKey.ts'
import { MemoryIndex } from '../../journal/memoryIndex.ts'
import { nodeIo } from '../../journal/nodeIo.ts'
import { openJournal } from '../../journal/openJournal.ts'
import type { OpenedJournal } from '../../journal/opened.ts'
import { genesis, seal } from '../../journal/record.ts'
import { systemTimers } from '../../system/systemTimers.ts'
import { account, addressOf, clock, startFleet, until } from '../fleet.fixture.ts'
import type { TestFleet } from '../fleet.fixture.ts'
import { fleetAdmin } from '../fleetProgram.ts'
import { Outbox } from '../outbox.ts'
import { isPostgresThere } from '../postgres.fixture.ts'
import { openSession } from '../storeSession.ts'
import type { VerifiedChain } from './verifyFleet.ts'

const records = limits.fleetVerifyRowsMax + 20
const identity = { network: 'testnet' as const, account }

describe.skipIf(!isPostgresThere)('every chain in a real store', () => {
  let fleet: TestFleet
  let folder: string
  let opened: OpenedJournal
  let outbox: Outbox
  const asOwner = (statement: string): Promise<string> => fleet.server.psql(statement)

  beforeAll(async () => {
    fleet = await startFleet()
    await asOwner("create role watcher login password 'pw'; grant guard_monitor to watcher")
  })
  afterAll(() => fleet.stop())

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'verify-'))
    const whose = parseAddress(account)
    if (!whose.ok) throw new Error(whose.error)
    const own = { network: 'testnet' as const, account: whose.value }
    opened = await openJournal({
      ...{ directory: folder, identity: own, clock, timers: systemTimers, io: nodeIo },
      ...{ log: { log: () => undefined }, openIndex: () => new MemoryIndex() },
      key: ChainKey.of(new Uint8Array(32).fill(7), own),
    })
    await write(records)
    outbox = new Outbox({
      ...{ address: addressOf(fleet.memberUrl), open: openSession, timers: systemTimers, clock },
      ...{
        log: { log: () => undefined },
        journal: opened,
        identity: { ...identity, instance: 'home-1' },
      },
    })
    await until(() => outbox.lag === 0)
    outbox.stop()
    await tellHead()
  })
  afterEach(async () => {
    outbox.stop()
    await opened.journal.close()
    rmSync(folder, { recursive: true, force: true })
    for (const table of ['events', 'streams', 'forks', 'gaps', 'reports', 'heads', 'writers']) {
      await asOwner(`delete from guard.${table}`)
    }
    await asOwner(
      'update guard.guards set copied_seq = null, head_seq = null, head_hash = null, writer_epoch = 0',
    )
  })

  async function write(count: number): Promise<void> {
    let last: Promise<unknown> = Promise.resolve()
    for (let each = 0; each < count; each += 1) {
      const text = `nul \\u0000 quote " ${each} \u{1f600}`
      last = opened.journal.append({ kind: 'error', text }, 'ride').durable
    }
    await last
  }

  /** As a Guard that lives does every few seconds. */
  const tellHead = (): Promise<string> => {
    const { seq, hash } = opened.journal.head
    const told = `select guard.report(${seq}, '${hash}', ${outbox.copied ?? 0}, '{}')`
    return fleet.server.psqlAs(fleet.memberUrl, told)
  }

  /** With a monitor's rights alone. */
  async function verified(keptFrom: string | null = null): Promise<VerifiedChain> {
    const [chain, more] = await all(keptFrom)
    if (chain === undefined || more !== undefined) throw new Error('not one chain')
    return chain
  }

  async function all(keptFrom: string | null = null): Promise<readonly VerifiedChain[]> {
    const store = fleetAdmin(fleet.server.urlOf('watcher', 'pw'), systemTimers)
    if (!store.ok) throw new Error(store.error)
    const chains: VerifiedChain[] = []
    const onProgress = (): void => undefined
    await store.value.verify({ name: null, keptFrom, onProgress }, (chain) => chains.push(chain))
    return chains
  }

  test('whole, over several batches', async () => {
    expect(await verified()).toMatchObject({
      ...{ name: 'desk-1', records, first: 1, last: records, missing: 0, proven: records },
      ...{ fault: null, behind: 0, unconfirmed: 0, forks: 0, isRetired: false },
      lastHash: opened.journal.head.hash,
    })
  })

  test('a Guard that is ahead of the store lags, and that is no fault', async () => {
    await write(5)
    await tellHead()
    expect(await verified()).toMatchObject({ fault: null, behind: 5, last: records })
  })

  test('what a home that does not act has and the store has not is told by its numbers', async () => {
    const asMember = (statement: string): Promise<string> =>
      fleet.server.psqlAs(fleet.memberUrl, statement)
    const hold = (home: string, epoch = 0): Promise<string> =>
      asMember(`select outcome from guard.tell_writer('${home}', 'of ${home}', ${epoch}, '{}')`)
    const tell = (home: string, seq: number, hash: string): Promise<string> =>
      asMember(`select guard.tell_head('${home}', 'host of ${home}', ${seq}, '${hash}')`)
    expect(await hold('home-1')).toBe('held')
    await write(5)
    await tell('home-1', opened.journal.head.seq, opened.journal.head.hash)
    // While it acts they are on their way, and its own report says so.
    await tellHead()
    expect(await verified()).toMatchObject({ behind: 5, isActing: true, isComing: true })
    // Another home takes over, with records of its own; a third one only stands by.
    await asOwner("update guard.writers set until = until - interval '1 minute'")
    expect(await hold('home-2')).toBe('held')
    await tell('home-3', 4, 'ab'.repeat(32))
    const [first, ...more] = await all()
    expect(first).toMatchObject({
      ...{ writerEpoch: 0, isActing: false, isComing: false, host: 'host of home-1' },
      ...{ last: records, behind: 5, fault: null, head: { seq: records + 5 } },
    })
    expect(more).toMatchObject([
      { writerEpoch: null, isActing: false, host: 'host of home-3', records: 0, behind: 4 },
    ])
    // What it had copied is still compared with what it said.
    await tell('home-1', records, 'cd'.repeat(32))
    expect((await all())[0]).toMatchObject({ fault: { what: 'changed', seq: records }, behind: 0 })
  })

  test('what the store has had and has no more is not on its way', async () => {
    await write(5)
    await tellHead()
    await asOwner('delete from guard.events where seq > 500')
    const cut = await verified()
    expect(cut.fault).toMatchObject({ what: 'cut_off', seq: 501 })
    expect([cut.last, cut.behind]).toEqual([500, 5])
    await asOwner('delete from guard.events where seq > 300 and seq < 400')
    expect(await verified()).toMatchObject({ fault: { what: 'removed', seq: 301 }, behind: 5 })
    await asOwner('delete from guard.events')
    expect(await verified('2026-02')).toMatchObject({ fault: null, last: null, behind: 5 })
  })

  test('so does one that has copied since it told its head', async () => {
    await asOwner('update guard.guards set head_seq = null, head_hash = null, head_at = null')
    expect(await verified()).toMatchObject({ fault: null, head: null, unconfirmed: 0 })
  })

  test.each([
    ['its text', `body = replace(body::text, 'quote', 'quite')::json`, 'not what its own hash'],
    ['its kind', `kind = 'kill'`, 'its columns'],
    ['its time', `at = at + interval '1 second'`, 'its columns'],
    ['its hash', `hash = repeat('ab', 32)`, 'its columns'],
  ])('a record of which %s was changed', async (_what, change, words) => {
    await asOwner(`update guard.events set ${change} where seq = 510`)
    const { fault } = await verified()
    expect(fault).toMatchObject({ what: 'changed', seq: 510 })
    expect(fault?.text).toContain(words)
  })

  test('a record that was changed, and chained anew with all behind it and the store’s own word', async () => {
    await asOwner(`delete from guard.events where seq >= 518`)
    let prev = await asOwner('select hash from guard.events where seq = 517')
    for (let seq = 518; seq <= records; seq += 1) prev = await forge(seq, prev)
    await asOwner(`update guard.streams set last_hash = '${prev}'`)
    // What the Guard itself has told is what it is found by; the missing proofs even without.
    const { fault } = await verified()
    expect(fault).toMatchObject({ what: 'added', seq: 518 })
    expect(fault?.text).toContain('no proof')
    await asOwner(`delete from guard.events where seq < ${records}`)
    await asOwner(`update guard.gaps set next_seq = next_seq`)
    await asOwner(
      `insert into guard.gaps select id, 0, 0, ${records} from guard.guards where name = 'desk-1'`,
    )
    expect((await verified()).fault).toMatchObject({ what: 'changed', seq: records })
  })

  /** A record that somebody without the key could write. */
  async function forge(seq: number, prev: string): Promise<string> {
    const { line, hash } = seal(
      `{"seq":${seq},"at_ms":1789000000000,"kind":"error","text":"forged"`,
      seq - 1,
      prev,
    )
    await asOwner(
      `insert into guard.events select id, 0, ${seq}, to_timestamp(1789000000), '2026-09-01', 'error', '${line.trim()}', '${hash}' from guard.guards where name = 'desk-1'`,
    )
    return hash
  }

  test.each([
    ['one', 'seq = 200', 200, 'missing: 200'],
    ['several', 'seq between 100 and 120', 100, 'missing: 100 to 120'],
    ['the first', 'seq < 5', 1, 'missing: 1 to 4'],
  ])('%s that was removed', async (_what, where, seq, text) => {
    await asOwner(`delete from guard.events where ${where}`)
    expect((await verified()).fault).toEqual({ what: 'removed', seq, text })
  })

  test('what was dropped on purpose is said, and is no fault', async () => {
    await asOwner('delete from guard.events where seq < 5')
    const month = new Date().toISOString().slice(0, 7)
    expect(await verified(month)).toMatchObject({ fault: null, missing: 4, first: 5 })
    expect((await verified('2099-01')).fault).toMatchObject({ what: 'removed' })
  })

  test('a record that was added at the end', async () => {
    const { hash } = opened.journal.head
    await forge(records + 1, hash)
    expect((await verified()).fault).toMatchObject({ what: 'added', seq: records + 1 })
  })

  test('one that is there twice', async () => {
    await asOwner(
      `insert into guard.events select guard_id, writer_epoch, seq, at, '2024-01-01', kind, body, hash from guard.events where seq = 300`,
    )
    expect((await verified()).fault).toMatchObject({ seq: 300 })
  })

  test.each([
    ['by the store’s own word', ''],
    ['by the Guard’s word', 'update guard.streams set last_seq = 400, last_hash = x.hash'],
  ])('records that were cut off at the end: found %s', async (_what, hide) => {
    await asOwner('delete from guard.events where seq > 400')
    const from = ' from guard.events x where x.seq = 400'
    if (hide !== '') await asOwner(hide + from)
    const { fault } = await verified()
    expect(fault).toMatchObject({ what: 'cut_off', seq: 401 })
    await asOwner('delete from guard.streams')
    expect((await verified()).fault).toMatchObject({ what: 'added' })
  })

  test('all of it removed, and what said how much there was', async () => {
    await asOwner('delete from guard.events; delete from guard.streams')
    expect((await verified()).fault).toMatchObject({ what: 'cut_off', seq: 1 })
  })

  test('a chain of another account is not this one’s', async () => {
    await asOwner('delete from guard.events')
    const other = genesis({ network: 'testnet', account: `0x${'00'.repeat(20)}` })
    const hash = await forge(1, other)
    await asOwner(`update guard.streams set last_seq = 1, last_hash = '${hash}'`)
    expect((await verified()).fault).toMatchObject({ what: 'changed', seq: 1 })
  })

  test('a fork that was refused is told', async () => {
    await asOwner(
      "insert into guard.forks select id, 0, 7, 'a', 'b' from guard.guards where name = 'desk-1'",
    )
    expect(await verified()).toMatchObject({ fault: null, forks: 1 })
  })

  test('more than a live Guard has ever written', async () => {
    const copied = outbox.copied ?? 0
    const told = (seq: number, hash: string): Promise<string> =>
      fleet.server.psqlAs(
        fleet.memberUrl,
        `select guard.report(${seq}, '${hash}', ${copied - 1}, '{}')`,
      )
    const hash = await asOwner(`select hash from guard.events where seq = ${records - 1}`)
    await told(records - 1, hash)
    const checking = verified()
    // It is asked once more before anything is said; here it says the same again.
    let isOver = false
    const telling = until(async () => {
      await told(records - 1, hash)
      return isOver
    })
    expect((await checking).fault).toMatchObject({ what: 'added', seq: records })
    isOver = true
    await telling
  })
})
