import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, expect, test } from 'vitest'
import { childProgram } from '../system/childProgram.fixture.ts'
import type { ChildProgram } from '../system/childProgram.fixture.ts'
import { ChainKey } from './chainKey.ts'
import { LogLines, ManualTime, account, allRecords } from './journal.fixture.ts'
import { exportJournal, journalStats, verifyJournal } from './inspect.ts'
import { MemoryIndex } from './memoryIndex.ts'
import { nodeIo } from './nodeIo.ts'
import { openJournal } from './openJournal.ts'

const kills = 200
const identity = { account, network: 'testnet' }
const key = ChainKey.of(Buffer.alloc(32, 7), identity)
let program: ChildProgram

beforeAll(async () => {
  program = await childProgram(join(import.meta.dirname, 'killed.fixture.ts'))
  return program.remove
})

/** Runs the program until it has said so many lines, kills it, and returns all it said. */
function runAndKill(
  directory: string,
  run: string,
  lines: number,
  keyed: 'keyed' | 'plain',
): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program.path, directory, run, 'memory', keyed])
    const said: string[] = []
    let errors = ''
    child.stderr.on('data', (text) => (errors += String(text)))
    const reader = createInterface({ input: child.stdout })
    reader.on('line', (line) => {
      said.push(line)
      if (said.length === lines) child.kill('SIGKILL')
    })
    reader.on('close', () => {
      if (said.length >= lines) resolve(said)
      else reject(new Error(`it ended after ${said.length} lines: ${errors}`))
    })
  })
}

function openReal(directory: string, by: ChainKey | null = null) {
  const time = new ManualTime()
  return openJournal({
    directory,
    identity,
    key: by,
    clock: time,
    timers: time,
    io: nodeIo,
    log: new LogLines(),
    openIndex: () => new MemoryIndex(),
    bounds: { reserveBytes: 4_096 },
  })
}

async function killRepeatedly(
  name: string,
  times: number,
  keyed: 'keyed' | 'plain',
): Promise<number> {
  const by = keyed === 'keyed' ? key : null
  const directory = join(program.folder, name)
  const promised = new Map<number, string>()
  for (let n = 0; n < times; n += 1) {
    for (const line of await runAndKill(directory, `${name}${n}`, 1 + ((n * 7) % 23), keyed)) {
      const [seq = '', text = ''] = line.split(' ')
      // A line that the kill cut short promises nothing.
      if (/^\w+-\d+-\d+$/.test(text)) promised.set(Number(seq), text)
    }
  }
  const opened = await openReal(directory, by)
  const records = await allRecords(opened)
  await opened.journal.close()
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1))
  const texts = records.map(({ event }) => (event.kind === 'error' ? event.text : ''))
  for (const [seq, text] of promised) expect(texts[seq - 1]).toMatch(text)
  expect(new Set(texts).size).toBe(texts.length)
  const { problem, proofs } = await verifyJournal(directory, undefined, nodeIo, by)
  expect(problem).toBeNull()
  expect(proofs?.checked ?? 0).toBe(by === null ? 0 : records.length)
  expect((await journalStats(directory)).events).toBe(records.length)
  const lines: string[] = []
  for await (const line of exportJournal(directory, 3, 5)) lines.push(line)
  expect(lines.map((line) => (JSON.parse(line) as { seq: number }).seq)).toEqual([3, 4, 5])
  return promised.size
}

/** One of them proves each record by a key. */
test(`a process killed ${kills} times loses nothing it was told is on disk`, async () => {
  const counts = await Promise.all([
    killRepeatedly('left', kills / 2, 'plain'),
    killRepeatedly('right', kills / 2, 'keyed'),
  ])
  expect(Math.min(...counts)).toBeGreaterThan(kills)
}, 300_000)

test('the lock of a living process refuses, that of a killed one is taken over', async () => {
  const directory = join(program.folder, 'locked')
  const child = spawn(process.execPath, [program.path, directory, 'x', 'sqlite'])
  await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()))
  await expect(openReal(directory)).rejects.toThrow(`in use by process ${child.pid} on`)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
  const opened = await openReal(directory)
  await expect(openReal(directory)).rejects.toThrow(`in use by process ${process.pid} on`)
  await opened.journal.close()
})
