import { beforeAll, expect, test } from 'vitest'
import { FakeDisk } from '../../lab/fakes/fakeDisk.ts'
import {
  LogLines,
  ManualTime,
  account,
  allRecords,
  decision,
  directory,
  errorEvent,
  openFake,
} from './journal.fixture.ts'
import { JournalError } from './journalError.ts'
import { genesis } from './record.ts'
import { readTail } from './tail.ts'
import type { JournalIo } from './journalIo.ts'
import { parseMark } from './layout.ts'
import type { Mark } from './layout.ts'

const records = 1_000
const genesisHash = genesis({ account, network: 'testnet' })
let segment = ''
let bytes: Uint8Array = new Uint8Array(0)
let markBytes: Uint8Array = new Uint8Array(0)
let mark: Mark | null = null
let hashes: readonly string[] = []
/** The byte after each record's line. */
let ends: readonly number[] = []
let world = { disk: new FakeDisk(), time: new ManualTime(), log: new LogLines() }

beforeAll(async () => {
  const opened = await openFake(world)
  for (let i = 1; i <= records; i += 1) {
    const body = i % 50 === 0 ? decision(i) : errorEvent(`record ${i}`)
    const appended = opened.journal.append(body, 'now')
    // Batches of one to four records, as real work makes them.
    if (i % 4 === 0 || i % 3 === 0) await appended.durable
  }
  await opened.journal.close()
  hashes = (
    await (async () => {
      const again = await openFake(world)
      const all = await allRecords(again)
      await again.journal.close()
      return all
    })()
  ).map(({ hash }) => hash)
  segment = world.disk.paths().find((path) => /\d{16}-/.test(path)) ?? ''
  bytes = world.disk.bytes(segment) ?? bytes
  markBytes = world.disk.bytes(`${directory}/durable`) ?? markBytes
  mark = parseMark(Buffer.from(markBytes).toString('utf8'))
  ends = [...bytes.entries()].filter(([, byte]) => byte === 0x0a).map(([at]) => at + 1)
})

/** A disk that holds only these bytes as its segment, without copying them. */
function ioOf(content: Uint8Array): JournalIo {
  const refuse = () => Promise.reject(new Error('read only'))
  const name = segment.split('/').at(-1) ?? ''
  return {
    makeDirectory: refuse,
    list: () => Promise.resolve([name]),
    open: () =>
      Promise.resolve({
        isInPlace: () => true,
        size: () => Promise.resolve(content.length),
        read: (into, position) => {
          const part = content.subarray(position, position + into.length)
          into.set(part)
          return Promise.resolve(part.length)
        },
        write: refuse,
        sync: refuse,
        truncate: refuse,
        close: () => Promise.resolve(),
      }),
    rename: refuse,
    remove: refuse,
    syncDirectory: refuse,
    freeBytes: refuse,
    lock: refuse,
  }
}

const read = (content: Uint8Array, mark: Mark | null, count = records) =>
  readTail(ioOf(content), directory, { seq: 0, hash: genesisHash }, mark, count)

/** The number of records that a whole prefix of the segment holds. */
const wholeBefore = (byte: number) => {
  let low = 0
  let high = ends.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ends[middle] ?? Infinity) <= byte) low = middle + 1
    else high = middle
  }
  return low
}

test('the journal under test has 1,000 records', () => {
  expect(ends).toHaveLength(records)
  expect(hashes).toHaveLength(records)
})

test('cut at every byte, what opens is exactly its whole records', async () => {
  // Two records of the tail are verified at each cut, so that every byte of all can be tried.
  const wrong: number[] = []
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const tail = await read(bytes.subarray(0, cut), null, 2)
    const whole = wholeBefore(cut)
    const hash = whole === 0 ? genesisHash : hashes[whole - 1]
    const isTorn = cut !== (ends[whole - 1] ?? 0)
    const isRight = tail.last.seq === whole && tail.last.hash === hash
    if (!isRight || (tail.torn !== null) !== isTorn) wrong.push(cut)
  }
  expect(wrong).toEqual([])
})

test('cut before its durable point, at every seventh byte, it is refused with the place', async () => {
  const wrong: number[] = []
  for (let cut = 0; cut < bytes.length; cut += 7) {
    const whole = wholeBefore(cut)
    const error = await read(bytes.subarray(0, cut), mark, 2).catch((reason: unknown) => reason)
    const place =
      error instanceof JournalError && error.code === 'damaged' ? error.place : undefined
    const isRight =
      cut === 0
        ? place === null
        : place?.line === whole + 1 && place.byte === (ends[whole - 1] ?? 0)
    if (!isRight) wrong.push(cut)
  }
  expect(wrong).toEqual([])
})

/** Bits flipped with the whole journal verified each time, spread evenly over it. */
const flipsOfWhole = 400

async function flip(at: number, bit: number, point: Mark | null, count: number) {
  const was = bytes[at] ?? 0
  bytes[at] = was ^ (1 << bit)
  try {
    return { tail: await read(bytes, point, count), error: null }
  } catch (error) {
    return { tail: null, error }
  } finally {
    bytes[at] = was
  }
}

test(`each of ${flipsOfWhole} flipped bits is refused with its place`, async () => {
  const bits = bytes.length * 8
  for (let n = 0; n < flipsOfWhole; n += 1) {
    const bit = Math.floor((n * bits) / flipsOfWhole)
    const at = bit >> 3
    const { tail, error } = await flip(at, bit & 7, mark, records)
    const broken = wholeBefore(at)
    expect(tail).toBeNull()
    expect(error).toBeInstanceOf(JournalError)
    const place = { line: broken + 1, byte: ends[broken - 1] ?? 0 }
    expect((error as JournalError).place).toMatchObject(place)
  }
})

test('every flipped bit of the last three records is refused, or cuts them when no sync is known', async () => {
  let flips = 0
  for (let at = ends[records - 4] ?? 0; at < bytes.length; at += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      flips += 1
      const known = await flip(at, bit, mark, 6)
      if (!(known.error instanceof JournalError)) expect.fail(`byte ${at} bit ${bit} accepted`)
      const unknown = await flip(at, bit, null, 6)
      const broken = wholeBefore(at)
      if (unknown.tail === null) expect(unknown.error).toBeInstanceOf(JournalError)
      else expect(unknown.tail.last).toEqual({ seq: broken, hash: hashes[broken - 1] })
    }
  }
  expect(flips).toBeGreaterThan(5_000)
})

test('a flipped bit of the durable point never makes another point', () => {
  for (let at = 0; at < 250; at += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      const flipped = Uint8Array.from(markBytes)
      flipped[at] = (flipped[at] ?? 0) ^ (1 << bit)
      const read = parseMark(Buffer.from(flipped).toString('utf8'))
      if (read !== null) expect(read).toEqual(mark)
    }
  }
})

test('a torn tail is moved aside, recorded once, and numbering goes on', async () => {
  const cut = (ends[records - 1] ?? 0) - 10
  world = { disk: new FakeDisk(), time: new ManualTime(), log: new LogLines() }
  world.disk.put(segment, bytes.slice(0, cut))
  const opened = await openFake(world)
  const tornBytes = cut - (ends[records - 2] ?? 0)
  const file = 'torn-0000000000000999.bin'
  expect(opened.tornTail).toEqual({ afterSeq: records - 1, bytes: tornBytes, file })
  expect(opened.reader.since(records - 1)).toEqual([
    {
      seq: records,
      at_ms: world.time.now(),
      kind: 'error',
      text: `journal: ${tornBytes} bytes after record 999 were torn; moved to ${file}`,
    },
  ])
  expect(Buffer.from(world.disk.bytes(`${directory}/${file}`) ?? [])).toEqual(
    Buffer.from(bytes.slice(ends[records - 2], cut)),
  )
  await opened.journal.close()
  const again = await openFake(world)
  expect(again.tornTail).toBeNull()
  expect(again.journal.lastSeq).toBe(records)
  await again.journal.close()
})

test('a damaged record inside is named by replay even when opening does not reach it', async () => {
  const w = { disk: new FakeDisk(), time: new ManualTime(), log: new LogLines() }
  const opened = await openFake(w)
  for (let i = 1; i <= 1_100; i += 1) opened.journal.append(errorEvent(`r${i}`), 'ride')
  await opened.journal.close()
  const path = w.disk.paths().find((name) => /\d{16}-/.test(name)) ?? ''
  const content = Uint8Array.from(w.disk.bytes(path) ?? [])
  content[400] = 0x20
  w.disk.put(path, content)
  const again = await openFake(w)
  await expect(allRecords(again)).rejects.toThrow(/record 2 does not verify .*line 2, byte \d+/)
  await again.journal.close()
})
