import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { nonce } from '../core/values/millis.ts'
import { systemClock } from '../system/systemClock.ts'
import { systemTimers } from '../system/systemTimers.ts'
import { LogLines, account, decision, errorEvent, sent } from './journal.fixture.ts'
import { nodeIo } from './nodeIo.ts'
import { openJournal } from './openJournal.ts'
import { openSqliteIndex } from './sqliteIndex.ts'

let directory: string
let stalls: string
let hangs: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'guard-stalled-'))
  stalls = join(directory, 'index.sqlite.stalls')
  hangs = join(directory, 'index.sqlite.hangs')
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const stallingSqlite = join(import.meta.dirname, 'stallingSqlite.fixture.cjs')

test('a disk that stalls the index holds up neither records nor readers', async () => {
  const log = new LogLines()
  const opened = await openJournal({
    directory,
    identity: { account, network: 'testnet' },
    clock: systemClock,
    timers: systemTimers,
    io: nodeIo,
    log,
    openIndex: (path) => openSqliteIndex(path, stallingSqlite),
    bounds: { reserveBytes: 4_096 },
  })
  const { journal, reader } = opened
  let isIndexed = false
  writeFileSync(stalls, '')
  for (let n = 1; n <= 100; n += 1) journal.append(decision(n), 'ride')
  await journal.append(sent(7), 'now').durable
  void opened.indexed().then(() => (isIndexed = true))
  // From now on the index hangs in a write, and records are still taken and read.
  while (!existsSync(hangs)) await journal.append(errorEvent('before'), 'now').durable
  for (let n = 1; n <= 20; n += 1) await journal.append(errorEvent('while'), 'now').durable
  const found = await reader.page(0, 1_000_000, null)
  expect(found.slice(-20).map((event) => event.kind === 'error' && event.text)).toEqual(
    Array.from({ length: 20 }, () => 'while'),
  )
  expect(isIndexed).toBe(false)

  rmSync(stalls)
  await opened.indexed()
  expect(await reader.decision(nonce(7), null)).toMatchObject({
    decision: { nonce: 7 },
    sent: [{ decision: 7 }],
  })
  expect(await reader.page(0, 1_000, ['decision'])).toHaveLength(100)
  // SQLite gave up waiting at no time: the stall ended because this thread went on and ended it.
  expect(log.lines).toEqual([])
  await journal.close()
})
