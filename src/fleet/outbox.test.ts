import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { parseAddress } from '../core/values/address.ts'
import { limits } from '../core/values/limits.ts'
import { MemoryIndex } from '../journal/memoryIndex.ts'
import { nodeIo } from '../journal/nodeIo.ts'
import { openJournal } from '../journal/openJournal.ts'
import type { OpenedJournal } from '../journal/opened.ts'
import { systemTimers } from '../system/systemTimers.ts'
import { Cutting } from './cutting.fixture.ts'
import { account, addressOf, clock, startFleet, until } from './fleet.fixture.ts'
import type { TestFleet } from './fleet.fixture.ts'
import { Outbox } from './outbox.ts'
import { isPostgresThere } from './postgres.fixture.ts'
import { openSession } from './storeSession.ts'

const folders: string[] = []
const outboxes: Outbox[] = []
const journals: OpenedJournal[] = []
afterEach(async () => {
  for (const outbox of outboxes.splice(0)) outbox.stop()
  for (const { journal } of journals.splice(0)) await journal.close()
})
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'outbox-'))
  folders.push(folder)
  return folder
}

async function journalIn(directory = newFolder()): Promise<OpenedJournal> {
  const whose = parseAddress(account)
  if (!whose.ok) throw new Error(whose.error)
  const opened = await openJournal({
    ...{ directory, identity: { network: 'testnet', account: whose.value }, clock },
    ...{ timers: systemTimers, io: nodeIo, log: { log: () => undefined } },
    openIndex: () => new MemoryIndex(),
  })
  journals.push(opened)
  return opened
}

const ended = async (opened: OpenedJournal): Promise<void> => {
  journals.splice(journals.indexOf(opened), 1)
  await opened.journal.close()
}

/** Text that a store must keep as it is, to the byte. */
const awkward = 'quote " slash \\ \u0001 \u{1f600} nul \\u0000 "hash":"'

async function write({ journal }: OpenedJournal, count: number, text = awkward): Promise<void> {
  let last: Promise<unknown> = Promise.resolve()
  for (let each = 0; each < count; each += 1) {
    last = journal.append(
      { kind: 'error', text: `${text} ${each}`, _: { secret: each } },
      'ride',
    ).durable
  }
  await last
}

function outboxOf(journal: OpenedJournal, url: string): Outbox {
  const outbox = new Outbox({
    ...{ address: addressOf(url), open: openSession, timers: systemTimers, clock, journal },
    ...{
      log: { log: () => undefined },
      identity: { network: 'testnet', account, instance: 'home-1' },
    },
  })
  outboxes.push(outbox)
  return outbox
}

describe.skipIf(!isPostgresThere)('with a real store', () => {
  let fleet: TestFleet
  beforeAll(async () => {
    fleet = await startFleet()
  })
  afterEach(async () => {
    for (const table of ['events', 'streams', 'forks', 'gaps']) {
      await fleet.server.psql(`delete from guard.${table}`)
    }
  })
  afterAll(() => fleet.stop())

  /** What the store has: each record once, and each as it is in the journal. */
  async function expectWhole(opened: OpenedJournal, from = 1): Promise<void> {
    const { lastSeq } = opened.reader
    const kept = await fleet.server.psql(
      'select count(*), count(distinct seq), min(seq), max(seq) from guard.events',
    )
    expect(kept).toBe(`${lastSeq - from + 1}|${lastSeq - from + 1}|${from}|${lastSeq}`)
    const lines: string[] = []
    for await (const group of opened.lines(0)) {
      for (const { bytes } of group) lines.push(bytes.toString('utf8'))
    }
    const stored = await fleet.server.psql('select body from guard.events order by seq')
    const isEqual = stored === lines.slice(-(lastSeq - from + 1)).join('\n')
    expect(isEqual).toBe(true)
    // The hash is that of the line, by the server's own reckoning.
    const wrong = `select count(*) from guard.events where hash <> encode(sha256(convert_to(left(body::text, -75), 'UTF8')), 'hex')`
    expect(await fleet.server.psql(wrong)).toBe('0')
  }

  test('every record is copied, byte for byte, into the month it is of', async () => {
    const opened = await journalIn()
    const count = limits.fleetCopyRecordsMax * 5 + 7
    await write(opened, count)
    const outbox = outboxOf(opened, fleet.memberUrl)
    await until(() => outbox.lag === 0)
    await expectWhole(opened)
    const month = new Date().toISOString().slice(0, 7).replace('-', '_')
    expect(await fleet.server.psql(`select count(*) from guard.events_${month}`)).toBe(
      String(count),
    )
    await write(opened, 3)
    expect(outbox.lag).toBeGreaterThan(0)
    await until(() => outbox.lag === 0)
    await expectWhole(opened)
    expect(outbox.fork).toBe(null)
  })

  test('a batch is bounded in bytes, and a record larger than that goes alone', async () => {
    const opened = await journalIn()
    await write(opened, 3, 'x'.repeat(limits.fleetCopyBytesMax))
    await write(opened, 3)
    const sizes: number[] = []
    const outbox = new Outbox({
      ...{ address: addressOf(fleet.memberUrl), timers: systemTimers, clock, journal: opened },
      ...{
        log: { log: () => undefined },
        identity: { network: 'testnet', account, instance: 'home-1' },
      },
      open: async (...how) => {
        const session = await openSession(...how)
        return {
          get isOpen() {
            return session.isOpen
          },
          close: () => {
            session.close()
          },
          query: (text, values = []) => {
            if (text.includes('copy_events')) sizes.push(JSON.parse(String(values[1])).length)
            return session.query(text, values)
          },
        }
      },
    })
    outboxes.push(outbox)
    await until(() => outbox.lag === 0)
    expect(sizes).toEqual([1, 1, 1, 3])
    await expectWhole(opened)
  })

  test('the server is killed again and again while records are written: none is lost, none doubled', async () => {
    const opened = await journalIn()
    const outbox = outboxOf(opened, fleet.memberUrl)
    for (let round = 0; round < 3; round += 1) {
      await write(opened, 400)
      await until(async () => {
        const count = await fleet.server.psql('select count(*) from guard.events')
        return /^\d+$/.test(count) && Number(count) > round * 400
      })
      await write(opened, 400)
      await fleet.server.kill()
      await write(opened, 50)
      await fleet.server.start()
    }
    await until(() => outbox.lag === 0)
    await expectWhole(opened)
    expect(outbox.fork).toBe(null)
  })

  test('an answer to a commit that is lost costs a repetition and nothing else', async () => {
    const line = await Cutting.before(fleet.server.port)
    const opened = await journalIn()
    await write(opened, 5)
    const outbox = outboxOf(opened, fleet.memberUrl.replace(/:\d+\//, `:${line.port}/`))
    await until(() => outbox.lag === 0)
    line.isDeaf = true
    await write(opened, 5)
    // The store has them, and this side does not know it.
    await until(async () => (await fleet.server.psql('select count(*) from guard.events')) === '10')
    await until(() => line.swallowed > 0)
    expect(outbox.lag).toBe(5)
    line.cut()
    line.mend()
    await until(() => outbox.lag === 0)
    await expectWhole(opened)
    await line.close()
  })

  test('a network that is cut: records wait on disk, and go when it is mended', async () => {
    const line = await Cutting.before(fleet.server.port)
    const opened = await journalIn()
    const outbox = outboxOf(opened, fleet.memberUrl.replace(/:\d+\//, `:${line.port}/`))
    line.cut()
    await write(opened, 20)
    await until(() => outbox.lag === 20)
    line.mend()
    await until(() => outbox.lag === 0)
    await expectWhole(opened)
    await line.close()
  })

  test('the next run goes on where the store is, with a cursor or without', async () => {
    const folder = newFolder()
    const first = await journalIn(folder)
    await write(first, 30)
    const one = outboxOf(first, fleet.memberUrl)
    await until(() => one.lag === 0)
    one.stop()
    await ended(first)
    const second = await journalIn(folder)
    await write(second, 5)
    const two = outboxOf(second, fleet.memberUrl)
    await until(() => two.lag === 0)
    await expectWhole(second)
  })

  test('a store that was put back gets again what it lost', async () => {
    const opened = await journalIn()
    await write(opened, 30)
    const one = outboxOf(opened, fleet.memberUrl)
    await until(() => one.lag === 0)
    one.stop()
    await fleet.server.psql(
      'delete from guard.events where seq > 12; update guard.streams set last_seq = 12, last_hash = (select hash from guard.events where seq = 12)',
    )
    await write(opened, 1)
    const two = outboxOf(opened, fleet.memberUrl)
    await until(() => two.lag === 0)
    await expectWhole(opened)
  })

  const forks = 'select seq, kept_hash <> offered_hash from guard.forks'

  test('a journal that forked is refused, kept apart and told: nothing is overwritten', async () => {
    const opened = await journalIn()
    await write(opened, 20)
    const one = outboxOf(opened, fleet.memberUrl)
    await until(() => one.lag === 0)
    const before = await fleet.server.psql('select seq, hash from guard.events order by seq')
    // A home that was put back from an older copy, and went on: the same numbers, other records.
    const other = await journalIn()
    await write(other, 25, 'another')
    const two = outboxOf(other, fleet.memberUrl)
    await until(() => two.fork !== null)
    expect(two.fork).toContain('guard fleet retire')
    expect(await fleet.server.psql(forks)).toBe('20|t')
    expect(await fleet.server.psql('select seq, hash from guard.events order by seq')).toBe(before)
    // One that is shorter than what the store has is one, too.
    const shorter = await journalIn()
    await write(shorter, 2, 'a third')
    const three = outboxOf(shorter, fleet.memberUrl)
    await until(() => three.fork !== null)
  })

  test('the same number with another hash is refused by the store itself', async () => {
    const [mine, other] = [await journalIn(), await journalIn()]
    await write(mine, 5)
    await write(other, 5, 'another')
    const rows = async (opened: OpenedJournal): Promise<string> => {
      const all = []
      for await (const group of opened.lines(0)) {
        for (const { seal, bytes } of group) {
          const { seq, atMs, kind, hash, prev } = seal
          all.push({ seq, at_ms: atMs, kind, hash, prev, line: bytes.toString('utf8') })
        }
      }
      return JSON.stringify(all)
    }
    const session = await openSession(addressOf(fleet.memberUrl), { timers: systemTimers })
    const copy = async (text: string): Promise<unknown> =>
      (
        await session.query('select outcome, last_seq::int from guard.copy_events($1, $2, true)', [
          ...['home-1', text],
        ])
      )[0]
    expect(await copy(await rows(mine))).toEqual({ outcome: 'kept', last_seq: 5 })
    expect(await copy(await rows(mine))).toEqual({ outcome: 'kept', last_seq: 5 })
    expect(await copy(await rows(other))).toEqual({ outcome: 'fork', last_seq: 5 })
    expect(await fleet.server.psql(forks)).toBe('1|t')
    const good = JSON.parse(await rows(mine))
    for (const bad of [
      [{ ...good[0], line: good[0].line.replace('quote', 'quota') }],
      [{ ...good[0], hash: good[1].hash }],
      [{ ...good[0], kind: 'kill' }],
      [{ ...good[0], seq: 7 }],
      [good[0], good[2]],
      [],
    ]) {
      const refused = copy(JSON.stringify(bad))
      await expect(refused).rejects.toMatchObject({ kind: 'refused', code: 'GF004' })
    }
    session.close()
  })

  test('what was taken out of the store is copied again over the same connection, and is no gap', async () => {
    const opened = await journalIn()
    await write(opened, 10)
    const outbox = outboxOf(opened, fleet.memberUrl)
    await until(() => outbox.lag === 0)
    await fleet.server.psql(
      'delete from guard.events where seq > 4; update guard.streams set last_seq = 4, last_hash = (select hash from guard.events where seq = 4)',
    )
    await write(opened, 1)
    await until(() => outbox.copied === 11)
    await expectWhole(opened)
    expect(await fleet.server.psql('select count(*) from guard.gaps')).toBe('0')
  })

  test('a home whose right to act was taken adds nothing to the chain of the one that has it', async () => {
    const opened = await journalIn()
    await write(opened, 5)
    const outbox = outboxOf(opened, fleet.memberUrl)
    await until(() => outbox.lag === 0)
    await fleet.server.psql(
      "insert into guard.writers (guard_id, epoch, instance, run, until) select id, 9, 'home-2', 'r', now() from guard.guards; update guard.guards set writer_epoch = 9",
    )
    const session = await openSession(addressOf(fleet.memberUrl), { timers: systemTimers })
    const asked = [
      session.query('select guard.copied_by($1, $2, $3)', ['home-1', 'testnet', account]),
      session.query('select guard.copy_events($1, $2, false)', ['home-1', '[]']),
    ]
    for (const each of asked) await expect(each).rejects.toMatchObject({ code: 'GF006' })
    await write(opened, 3)
    await fleet.server.psql("update guard.writers set instance = 'home-1'")
    // With its right back it goes on in a chain that nobody else has begun.
    await until(() => outbox.copied === 8)
    expect(
      await fleet.server.psql(
        'select writer_epoch, count(*) from guard.events group by 1 order by 1',
      ),
    ).toBe('0|5\n9|8')
    session.close()
    await fleet.server.psql('delete from guard.writers; update guard.guards set writer_epoch = 0')
  })

  test('a journal whose oldest records were removed for their age leaves a gap that is on record', async () => {
    const opened = await journalIn()
    await write(opened, 10)
    const cut = {
      ...opened,
      reader: opened.reader,
      lines: (since: number) => opened.lines(Math.max(since, 4)),
    }
    const outbox = new Outbox({
      ...{ address: addressOf(fleet.memberUrl), open: openSession, timers: systemTimers, clock },
      ...{
        log: { log: () => undefined },
        identity: { network: 'testnet', account, instance: 'home-1' },
      },
      journal: { ...cut, loadSnapshot: async () => null, saveSnapshot: async () => undefined },
    })
    outboxes.push(outbox)
    await until(() => outbox.lag === 0)
    expect(await fleet.server.psql('select after_seq, next_seq from guard.gaps')).toBe('0|5')
    await expectWhole(opened, 5)
  })
})
