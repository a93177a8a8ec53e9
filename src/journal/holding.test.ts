import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FakeDisk } from '../../lab/fakes/fakeDisk.ts'
import { verifyJournal } from './inspect.ts'
import {
  LogLines,
  ManualTime,
  account,
  allRecords,
  directory,
  errorEvent,
  openFake,
  settle,
} from './journal.fixture.ts'
import { MemoryIndex } from './memoryIndex.ts'
import { nodeIo } from './nodeIo.ts'
import { openJournal } from './openJournal.ts'

const world = () => ({ disk: new FakeDisk(), time: new ManualTime(), log: new LogLines() })

/** The bytes of every file of the journal, but for what only names the owner. */
function contents(disk: FakeDisk): readonly string[] {
  return disk.paths().map((path) => `${path} ${Buffer.from(disk.bytes(path) ?? []).toString()}`)
}

test('once its lock is removed a journal writes nothing more, in no file, and says so once', async () => {
  const w = world()
  const told: string[] = []
  const opened = await openFake(w, { onLockLost: (error) => told.push(error.message) })
  await opened.journal.append(errorEvent('mine'), 'now').durable
  await w.time.pass(10)
  w.disk.removeLock(directory)
  const before = contents(w.disk)
  await expect(opened.journal.append(errorEvent('lost'), 'now').durable).rejects.toThrow('removed')
  expect(() => opened.journal.append(errorEvent('lost'), 'ride')).toThrow('removed')
  await expect(opened.saveSnapshot('engine', 1, {})).rejects.toThrow('removed')
  const kill = { kind: 'kill', reason: 'now' } as const
  const proof = await opened.journal.appendEmergency(kill, null)
  expect(proof.onDisk).toBe(false)
  expect(opened.journal.error).toContain('another Guard may write there')
  await w.time.pass(60_000)
  expect(told).toHaveLength(1)
  expect(contents(w.disk)).toEqual(before)
  await opened.journal.close()
  expect(contents(w.disk)).toEqual(before)
})

test('the second Guard that a removed lock lets in finds and keeps a whole journal', async () => {
  const w = world()
  const first = await openFake(w)
  await first.journal.append(errorEvent('of the first'), 'now').durable
  w.disk.removeLock(directory)
  const second = await openFake(w)
  for (let n = 0; n < 5; n += 1) {
    await second.journal.append(errorEvent(`of the second ${n}`), 'now').durable
    await expect(async () => {
      await first.journal.append(errorEvent('too late'), 'now').durable
    }).rejects.toThrow('removed')
  }
  await first.journal.close()
  // The first one must not have let go of the second one's lock.
  await expect(openFake(w)).rejects.toMatchObject({ code: 'locked' })
  await second.journal.close()
  const texts = (await allRecords(await openFake(w))).map(
    ({ event }) => 'text' in event && event.text,
  )
  expect(texts).toEqual(['of the first', ...[0, 1, 2, 3, 4].map((n) => `of the second ${n}`)])
})

test('an idle journal notices too', async () => {
  const w = world()
  const told: string[] = []
  const onLockLost = (error: Error) => told.push(error.message)
  await openFake(w, { onLockLost, bounds: { lockMs: 1_000 } })
  await w.time.pass(5_000)
  expect(told).toEqual([])
  w.disk.removeLock(directory)
  await w.time.pass(1_000)
  expect(told).toHaveLength(1)
})

test('a segment that was moved takes no record, and the journal goes on when it is back', async () => {
  const w = world()
  const opened = await openFake(w)
  await opened.journal.append(errorEvent('before'), 'now').durable
  const path = w.disk.paths().find((each) => /\/\d{16}-/.test(each)) ?? ''
  await w.disk.io.rename(path, `${path}.away`)
  await expect(opened.journal.append(errorEvent('no'), 'now').durable).rejects.toThrow('was moved')
  await w.time.pass(10_000)
  expect(w.disk.bytes(path)).toBeNull()
  expect(opened.journal.error).toContain('was moved')
  // What lowers risk is recorded beside it meanwhile.
  const kill = { kind: 'kill', reason: 'now' } as const
  expect(await opened.journal.appendEmergency(kill, null)).toMatchObject({ onDisk: true })
  await w.disk.io.rename(`${path}.away`, path)
  await w.time.pass(1_000)
  await settle()
  expect(opened.journal.error).toBeNull()
  const kinds = (await allRecords(opened)).map(({ event }) => event.kind)
  expect(kinds).toEqual(['error', 'kill', 'error'])
})

function openReal(home: string) {
  const time = new ManualTime()
  return openJournal({
    directory: home,
    identity: { account, network: 'testnet' },
    clock: time,
    timers: time,
    io: nodeIo,
    log: new LogLines(),
    openIndex: () => new MemoryIndex(),
    bounds: { reserveBytes: 4_096 },
  })
}

test.each([
  ['removed', (path: string) => rmSync(path)],
  [
    'replaced by a copy of itself',
    (path: string) => {
      copyFileSync(path, `${path}.copy`)
      renameSync(`${path}.copy`, path)
    },
  ],
])(
  'on a real disk: a lock file %s stops the first one, and the second verifies',
  async (_, harm) => {
    const home = mkdtempSync(join(tmpdir(), 'guard-lock-'))
    try {
      const first = await openReal(home)
      await first.journal.append(errorEvent('of the first'), 'now').durable
      await expect(openReal(home)).rejects.toMatchObject({ code: 'locked' })
      harm(join(home, 'lock.sqlite'))
      const second = await openReal(home)
      const owner = readFileSync(join(home, 'lock'), 'utf8')
      await second.journal.append(errorEvent('of the second'), 'now').durable
      await expect(first.journal.append(errorEvent('no'), 'now').durable).rejects.toThrow('removed')
      await first.journal.close()
      expect(readFileSync(join(home, 'lock'), 'utf8')).toBe(owner)
      await second.journal.append(errorEvent('more'), 'now').durable
      await second.journal.close()
      expect(await verifyJournal(home)).toMatchObject({ problem: null, records: 3 })
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  },
)
