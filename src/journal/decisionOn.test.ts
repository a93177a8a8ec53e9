import { DatabaseSync } from '@photostructure/sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cloid } from '../core/values/cloid.ts'
import { nonce as toNonce } from '../core/values/millis.ts'
import { systemClock } from '../system/systemClock.ts'
import { systemTimers } from '../system/systemTimers.ts'
import type { EventIndex } from './eventIndex.ts'
import { LogLines, account, decision, sent } from './journal.fixture.ts'
import { MemoryIndex } from './memoryIndex.ts'
import { nodeIo } from './nodeIo.ts'
import { openJournal } from './openJournal.ts'
import type { OpenedJournal } from './opened.ts'
import { openSqliteIndex } from './sqliteIndex.ts'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'guard-cloids-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

type OpenIndex = (directory: string) => EventIndex | Promise<EventIndex>

const open = (openIndex: OpenIndex) =>
  openJournal({
    ...{ directory, clock: systemClock, timers: systemTimers, io: nodeIo, log: new LogLines() },
    ...{ identity: { account, network: 'testnet' }, openIndex },
    bounds: { reserveBytes: 4_096 },
  })

const id = (n: number) => cloid(`0x${n.toString(16).padStart(32, '0')}`)
const order = (n: number) => ({ type: 'order', orders: [{ a: 0, c: id(n) }] })
const passed = (nonce: number, n: number) => decision(nonce, { request: order(n) })
const vetoed = (nonce: number, n: number) =>
  decision(nonce, { request: order(n), verdict: 'veto', code: 'market' })

/** Order 1 passed and was refused when sent again; 2 was refused twice; 3 was refused, then passed. */
async function fill({ journal }: OpenedJournal) {
  journal.append(passed(1, 1), 'ride')
  journal.append(sent(1), 'ride')
  for (const record of [vetoed(2, 1), vetoed(3, 2), vetoed(4, 2), vetoed(5, 3), passed(6, 3)]) {
    journal.append(record, 'ride')
  }
  for (let n = 100; n < 300; n += 1) journal.append(passed(n, n), 'ride')
  await journal.append(passed(7, 4), 'now').durable
}

async function lookUp({ reader }: OpenedJournal) {
  const found = await Promise.all([1, 2, 3, 4, 5].map((n) => reader.decisionOn(id(n))))
  const nonces = found.map((each) =>
    each?.decision.kind === 'decision' ? each.decision.nonce : null,
  )
  expect(nonces).toEqual([1, 4, 6, 7, null])
  expect(found[0]?.sent).toMatchObject([{ kind: 'sent', decision: 1 }])
}

const indexes: readonly [string, OpenIndex][] = [
  ['in memory', () => new MemoryIndex()],
  ['on disk', (path) => openSqliteIndex(path)],
]

test.each(indexes)(
  'an order is found by its id before and after it is in an index %s',
  async (_, openIndex) => {
    const opened = await open(openIndex)
    await fill(opened)
    await lookUp(opened)
    await opened.indexed()
    await lookUp(opened)
    await opened.journal.close()
    const again = await open(openIndex)
    await lookUp(again)
    await again.indexed()
    await lookUp(again)
    await again.journal.close()
  },
)

test('an index of the version that knew no ids is made anew behind the journal', async () => {
  const opened = await open(openSqliteIndex)
  await fill(opened)
  await opened.indexed()
  await opened.journal.close()
  const database = new DatabaseSync(join(directory, 'index.sqlite'))
  database.exec('DROP TABLE cloid; PRAGMA user_version = 1')
  database.close()
  const again = await open(openSqliteIndex)
  await lookUp(again)
  await again.indexed()
  await lookUp(again)
  await again.journal.close()
})

test('what is not kept any more is not found by its id', async () => {
  const index = await openSqliteIndex(directory)
  const row = (seq: number) => ({
    ...{ seq, segment: 1, offset: seq * 10, length: 9, atMs: seq, kind: 'decision' as const },
    ...{ code: null, nonce: seq, client: null, decision: null, coins: [], isPassed: true },
    cloids: [id(seq)],
  })
  await index.add([row(1), row(2)], { seq: 2, hash: 'h' })
  await index.forget(1)
  expect(await index.decisionOn(id(1))).toBeNull()
  expect(await index.decisionOn(id(2))).toMatchObject({ seq: 2, isPassed: true })
  await index.close()
})

test('who asks right after a send is told of it: the record that waits for the disk is waited for', async () => {
  const opened = await open(() => new MemoryIndex())
  await opened.journal.append(passed(1, 1), 'now').durable
  const { durable } = opened.journal.append(sent(1), 'ride')
  const found = await opened.reader.decision(toNonce(1), null)
  expect(found?.sent).toMatchObject([{ kind: 'sent', decision: 1 }])
  await durable
  await opened.journal.close()
})
