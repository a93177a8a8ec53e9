import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { EventKind } from '../core/events/guardEvent.ts'
import { nonce } from '../core/values/millis.ts'
import type { Durable } from '../engine/ports.ts'
import { exportJournal, journalStats, verifyJournal } from './inspect.ts'
import { LogLines, account, decision, errorEvent, sent, startMs } from './journal.fixture.ts'
import { millis } from '../core/values/millis.ts'
import { nodeIo } from './nodeIo.ts'
import { openJournal } from './openJournal.ts'
import { openSqliteIndex } from './sqliteIndex.ts'

let directory = ''
const log = new LogLines()
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'guard-journal-'))
})
afterEach(() => {
  rmSync(directory, { recursive: true, force: true })
})

const timers = {
  after: (ms: number, task: () => void) => {
    const timer = setTimeout(task, ms)
    return () => clearTimeout(timer)
  },
  every: (ms: number, task: () => void) => {
    const timer = setInterval(task, ms)
    return () => clearInterval(timer)
  },
}

const openReal = () =>
  openJournal({
    directory,
    identity: { account, network: 'testnet' },
    clock: { now: () => millis(startMs), monotonicMs: () => performance.now() },
    timers,
    io: nodeIo,
    log,
    openIndex: openSqliteIndex,
    bounds: { segmentBytes: 100_000, reserveBytes: 4_096 },
  })

type Opened = Awaited<ReturnType<typeof openReal>>

/** 1,500 decisions, every second one sent: more than memory holds, over many segments. */
async function fill({ journal }: Opened) {
  for (let n = 1; n <= 1_500; n += 1) {
    const { seq, durable } = journal.append(decision(n), 'ride')
    if (n % 2 === 0) journal.append(sent(seq), 'ride')
    if (n % 150 === 0) await durable
  }
  await journal.append(errorEvent('end'), 'now').durable
}

async function lookUp({ reader }: Opened) {
  const old = await reader.decision(nonce(2), null)
  expect(old?.decision).toMatchObject({ seq: 2, nonce: 2 })
  expect(old?.sent).toMatchObject([{ kind: 'sent', decision: 2 }])
  expect((await reader.decision(nonce(1_499), null))?.sent).toEqual([])
  expect(await reader.decision(nonce(99_999), null)).toBeNull()
  const kinds: readonly EventKind[] = ['sent', 'error']
  const page = await reader.page(0, 3, kinds)
  expect(page.map(({ seq }) => seq)).toEqual([3, 6, 9])
  expect((await reader.page(2_249, 10, kinds)).map(({ seq }) => seq)).toEqual([2_250, 2_251])
  expect((await reader.page(100, 2, null)).map(({ seq }) => seq)).toEqual([101, 102])
}

test('lookups and pages are right before, while and after the index is filled', async () => {
  const opened = await openReal()
  await fill(opened)
  await lookUp(opened)
  await opened.indexed()
  await lookUp(opened)
  await opened.journal.close()
  const again = await openReal()
  await lookUp(again)
  await again.journal.close()
})

const damages: readonly [string, () => void][] = [
  ['missing', () => rmSync(join(directory, 'index.sqlite'))],
  ['not a database', () => writeFileSync(join(directory, 'index.sqlite'), 'x'.repeat(9_000))],
  ['cut short', () => cutShort(join(directory, 'index.sqlite'))],
]

function cutShort(path: string) {
  writeFileSync(path, readFileSync(path).subarray(0, 20_480))
}

test.each(damages)('an index that is %s is made anew', async (_, harm) => {
  const opened = await openReal()
  await fill(opened)
  await opened.indexed()
  await opened.journal.close()
  harm()
  const again = await openReal()
  await lookUp(again)
  await again.journal.append(decision(5_000), 'now').durable
  await again.journal.close()
  const third = await openReal()
  await lookUp(third)
  expect((await third.reader.decision(nonce(5_000), null))?.decision.seq).toBe(2_252)
  await third.journal.close()
})

test('verify, stats and export read beside a running journal', async () => {
  const opened = await openReal()
  await fill(opened)
  const progress: number[] = []
  const report = await verifyJournal(directory, ({ records }) => progress.push(records))
  expect(report).toMatchObject({ records: 2_251, problem: null, unfinishedBytes: 0 })
  expect(progress.at(-1)).toBe(2_251)
  expect(await journalStats(directory)).toMatchObject({
    events: 2_251,
    bytes: opened.journal.stats.bytes,
    kinds: { decision: 1_500, sent: 750, error: 1 },
    emergency: 0,
  })
  const lines: string[] = []
  for await (const line of exportJournal(directory, 2_000, 2_251)) lines.push(line)
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(opened.reader.since(1_999))
  await opened.journal.close()

  const segment = readdirSync(directory).filter((name) => /^\d{16}-/.test(name))[1] ?? ''
  const bytes = readFileSync(join(directory, segment))
  bytes[5_000] = (bytes[5_000] ?? 0) ^ 4
  writeFileSync(join(directory, segment), bytes)
  const { problem } = await verifyJournal(directory)
  expect(problem?.place?.segment).toBe(segment)
})

const hasPython = spawnSync('python3', ['--version']).status === 0

test.skipIf(!hasPython)('the reader in the documentation reads what was written', async () => {
  const opened = await openReal()
  await fill(opened)
  await opened.journal.close()
  const page = readFileSync(join(import.meta.dirname, '../../docs/journal-format.md'), 'utf8')
  const program = /```python\n([\s\S]*?)```/.exec(page)?.[1] ?? ''
  const output = execFileSync('python3', ['-c', program, directory], { encoding: 'utf8' })
  const lines: string[] = []
  for await (const line of exportJournal(directory)) lines.push(line)
  expect(output).toBe(`${lines.join('\n')}\n`)
})

test('only the journal mints what the outbox takes', () => {
  const send = (proof: Durable): number => proof.seq
  // @ts-expect-error a hand-made object is no proof
  expect(send({ seq: 1, emergency: false, onDisk: true })).toBe(1)
})

test('a disk that takes no index leaves it empty until it can be made', async () => {
  const folder = join(directory, 'not', 'there')
  const index = await openSqliteIndex(folder)
  expect(index.head.seq).toBe(0)
  await expect(index.position(1)).rejects.toThrow()
  mkdirSync(folder, { recursive: true })
  await index.clear()
  expect(await index.position(1)).toBeNull()
  await index.close()
})

test.each([
  'emergency.ndjson',
  'durable',
  'journal.json',
  'snapshot-venue.json',
  'snapshot-risk.json',
  'lock',
  'lock.sqlite',
])('a pipe in the place of %s is refused at once, by its name', async (name) => {
  const journal = await openReal()
  await journal.journal.close()
  rmSync(join(directory, name), { force: true })
  execFileSync('mkfifo', ['-m', '600', join(directory, name)])
  const refusal = {
    code: 'invalid',
    message: `journal: ${join(directory, name)} is no regular file`,
  }
  const opened = openReal()
  if (name.startsWith('snapshot-')) {
    const again = await opened
    await expect(again.loadSnapshot(name.slice(9, -5))).rejects.toMatchObject(refusal)
    await again.journal.close()
  } else await expect(opened).rejects.toMatchObject(refusal)
})

test('a lock that is no database is refused by its name', async () => {
  const journal = await openReal()
  await journal.journal.close()
  writeFileSync(
    join(directory, 'lock.sqlite'),
    'this is no database, but long enough to be looked at',
  )
  await expect(openReal()).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringContaining(join(directory, 'lock.sqlite')),
  })
})
