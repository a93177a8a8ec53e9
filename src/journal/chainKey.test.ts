import { createHmac, hash as digest, hkdfSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { ChainKey } from './chainKey.ts'
import { FakeDisk } from '../../lab/fakes/fakeDisk.ts'
import { forgedChain } from '../../lab/fakes/forgedChain.ts'
import { verifyJournal } from './inspect.ts'
import {
  LogLines,
  ManualTime,
  account,
  allRecords,
  directory,
  errorEvent,
  openFake,
} from './journal.fixture.ts'
import type { World } from './journal.fixture.ts'
import { markText } from './layout.ts'
import type { JournalOptions } from './opened.ts'
import { genesis, readSeal } from './record.ts'

const identity = { account, network: 'testnet' }
const key = ChainKey.of(Buffer.alloc(32, 7), identity)
const other = ChainKey.of(Buffer.alloc(32, 8), identity)
const kill = { kind: 'kill', reason: 'enough' } as const

const world = () => ({ disk: new FakeDisk(), time: new ManualTime(), log: new LogLines() })
const open = (w: World, more: Partial<JournalOptions> = {}) => openFake(w, { key, ...more })

/** Opens, appends some texts, and closes. */
async function write(w: World, texts: readonly string[], more: Partial<JournalOptions> = {}) {
  const { journal } = await open(w, more)
  for (const text of texts) await journal.append(errorEvent(text), 'now').durable
  await journal.close()
}

const segmentOf = (w: World) => w.disk.paths().find((path) => /\/\d{16}-/.test(path)) ?? ''
const linesOf = (w: World) =>
  Buffer.from(w.disk.bytes(segmentOf(w)) ?? [])
    .toString()
    .trim()
    .split('\n')

/** The segment and its mark as somebody without the key can write them. */
function chainAgain(w: World, lines: readonly string[], keepsProofs: boolean) {
  const { text, last } = forgedChain(lines, genesis(identity), keepsProofs)
  w.disk.put(segmentOf(w), Buffer.from(text))
  const segment = segmentOf(w).split('/').at(-1) ?? ''
  const mark = { ...last, segment, end: Buffer.byteLength(text) }
  w.disk.put(`${directory}/durable`, Buffer.from(markText(mark)))
}

/** A journal with a kill that somebody takes out. */
async function killed() {
  const w = world()
  const { journal } = await open(w)
  await journal.append(errorEvent('before'), 'now').durable
  await journal.append(kill, 'now').durable
  await journal.append(errorEvent('after'), 'now').durable
  await journal.close()
  return w
}

const withoutKill = (w: World) => linesOf(w).filter((line) => !line.includes('"kind":"kill"'))

test('a journal by its key opens, verifies with it, and by its hashes alone', async () => {
  const w = await killed()
  const proofs = { from: 1, records: 3, keys: [key.id] }
  expect(await verifyJournal(directory, undefined, w.disk.io, key)).toMatchObject({
    problem: null,
    proofs: { ...proofs, checked: 3 },
  })
  expect(await verifyJournal(directory, undefined, w.disk.io)).toMatchObject({
    problem: null,
    proofs: { ...proofs, checked: 0 },
  })
  const opened = await open(w)
  expect(opened.standing).toBe('proven')
  expect((await allRecords(opened)).map(({ event }) => Object.keys(event))).not.toContain('proof')
  expect((await allRecords(opened)).map(({ seq }) => seq)).toEqual([1, 2, 3])
})

test('a kill that is taken out, with the rest chained again, is refused', async () => {
  const w = await killed()
  chainAgain(w, withoutKill(w), true)
  // By the hashes alone nothing is wrong: that is what the key is for.
  expect(await verifyJournal(directory, undefined, w.disk.io)).toMatchObject({ problem: null })
  const report = await verifyJournal(directory, undefined, w.disk.io, key)
  expect(report.problem?.text).toContain("record 2 was not written with this Guard's key")
  await expect(open(w)).rejects.toMatchObject({ code: 'damaged' })
})

test('proofs that are left out from some record on are refused', async () => {
  const w = await killed()
  const [first = '', , third = ''] = linesOf(w)
  const { proof, ...bare } = JSON.parse(third) as { [key: string]: unknown }
  chainAgain(w, [first, JSON.stringify(bare)], true)
  const report = await verifyJournal(directory, undefined, w.disk.io)
  expect(report.problem?.text).toContain('record 2 lacks its proof')
  await expect(open(w)).rejects.toMatchObject({ code: 'damaged' })
})

test('a journal rewritten without any proof is refused while its mark knows better, and else told of', async () => {
  const w = await killed()
  const mark = w.disk.bytes(`${directory}/durable`) ?? Buffer.alloc(0)
  chainAgain(w, linesOf(w), false)
  const unkeyed = Buffer.from(w.disk.bytes(`${directory}/durable`) ?? [])
  w.disk.put(`${directory}/durable`, mark)
  await expect(open(w)).rejects.toMatchObject({ code: 'damaged' })
  w.disk.put(`${directory}/durable`, unkeyed)
  const opened = await open(w)
  expect(opened.standing).toBe('begins')
  const last = (await allRecords(opened)).at(-1)
  expect(last?.event).toMatchObject({
    kind: 'error',
    text: expect.stringContaining('records up to 3 have no proof of who wrote them'),
  })
})

test('an old journal gets proofs from its next record on, and says so once', async () => {
  const w = world()
  await write(w, ['old', 'older'], { key: null })
  await write(w, ['new'])
  await write(w, ['newer'])
  const report = await verifyJournal(directory, undefined, w.disk.io, key)
  expect(report).toMatchObject({ problem: null, records: 5, proofs: { from: 3, checked: 3 } })
})

test('another key is refused, until a person says that it was changed', async () => {
  const w = world()
  await write(w, ['by the first'])
  await expect(open(w, { key: other })).rejects.toMatchObject({ code: 'key' })
  await expect(open(w, { key: null })).rejects.toMatchObject({ code: 'key' })
  const opened = await open(w, { key: other, isRekeying: true })
  expect(opened.standing).toBe('rekeyed')
  await opened.journal.close()
  await write(w, ['by the second'], { key: other })
  const report = await verifyJournal(directory, undefined, w.disk.io, other)
  expect(report).toMatchObject({
    problem: null,
    proofs: { from: 1, records: 3, checked: 2, keys: [key.id, other.id] },
  })
  await expect(open(w)).rejects.toMatchObject({ code: 'key' })
})

test.each([
  ['missing', null],
  ['without a proof', (mark: string) => mark.replace(/,"proof":"[^"]*"/, '')],
  [
    'with a proof of something else',
    (mark: string) => mark.replace(/-[0-9a-f]{32}"/, `-${'0'.repeat(32)}"`),
  ],
] as const)('a mark that is %s is told of: records may be missing', async (_, harm) => {
  const w = await killed()
  const path = `${directory}/durable`
  const mark = Buffer.from(w.disk.bytes(path) ?? []).toString()
  if (harm === null) await w.disk.io.remove(path)
  else w.disk.put(path, Buffer.from(harm(mark)))
  const opened = await open(w)
  expect(opened.standing).toBe('unmarked')
  expect((await allRecords(opened)).at(-1)?.event).toMatchObject({
    text: expect.stringContaining('nothing proves that record 3 was its last'),
  })
})

test('a snapshot that somebody else wrote is not used', async () => {
  const w = world()
  const opened = await open(w)
  await opened.journal.append(errorEvent('one'), 'now').durable
  await opened.saveSnapshot('engine', 1, { latch: 'pulled' })
  await opened.journal.close()
  const path = `${directory}/snapshot-engine.json`
  const [head = '', text = ''] = Buffer.from(w.disk.bytes(path) ?? [])
    .toString()
    .split('\n')
  const again = await open(w)
  expect(await again.loadSnapshot('engine')).toMatchObject({ state: { latch: 'pulled' } })
  await again.journal.close()
  const changed = text.replace('pulled', 'gone')
  const sum = { ...(JSON.parse(head) as object), sum: digest('sha256', changed) }
  w.disk.put(path, Buffer.from(`${JSON.stringify(sum)}\n${changed}\n`))
  expect(await (await open(w)).loadSnapshot('engine')).toBe('unreadable')
})

test('an emergency record that somebody else wrote is refused', async () => {
  const w = world()
  const opened = await open(w)
  await opened.journal.append(errorEvent('one'), 'now').durable
  w.disk.plan = (op) => (/\/\d{16}-/.test(op.path) ? { kind: 'error', code: 'EIO' } : null)
  await opened.journal.appendEmergency(kill, null)
  w.disk.kill()
  w.disk.plan = () => null
  const path = `${directory}/emergency.ndjson`
  const bytes = Buffer.from(w.disk.bytes(path) ?? [])
  const line = bytes.subarray(0, bytes.indexOf(0x0a))
  expect(readSeal(line)?.proof).toMatch(new RegExp(`^${key.id}-`))
  const body = line.subarray(0, -75).toString().replace('enough', 'forged')
  const forged = `${body},"hash":"${digest('sha256', body)}"}\n`
  w.disk.put(path, Buffer.from(forged))
  await expect(open(w)).rejects.toThrow('emergency record -1 was not written with this key')
  w.disk.put(path, bytes)
  const again = await open(w)
  expect((await allRecords(again)).map(({ event }) => event)).toContainEqual(
    expect.objectContaining({ kind: 'kill', reason: 'enough' }),
  )
})

/** Another key, or none, has left an emergency record in two places and on a full disk. */
async function left(before: Partial<JournalOptions>) {
  const w = world()
  const places = { emergencyDirectory: '/second' }
  const opened = await open(w, { ...before, ...places })
  await opened.journal.append(errorEvent('one'), 'now').durable
  w.disk.plan = (op) => (/\/\d{16}-/.test(op.path) ? { kind: 'error', code: 'EIO' } : null)
  await opened.journal.appendEmergency(kill, null)
  w.disk.kill()
  w.disk.plan = () => null
  return { w, places }
}

test.each([
  ['no key', { key: null }],
  ['another key', { key: other }],
])(
  'what a Guard with %s left in a second place joins once and hinders no later start',
  async (_, before) => {
    const { w, places } = await left(before)
    // The second disk lets nobody begin a new file there: its lines stay.
    const path = w.disk.paths().find((each) => each.startsWith('/second')) ?? ''
    const lines = Buffer.from(w.disk.bytes(path) ?? [])
    const first = await open(w, { ...places, isRekeying: true })
    await first.journal.close()
    w.disk.put(path, lines)
    const second = await open(w, places)
    const kills = (await allRecords(second)).filter(({ event }) => event.kind === 'kill')
    expect(kills).toHaveLength(1)
  },
)

test('a full disk does not keep a Guard from starting whose key is new, and the next start goes on', async () => {
  const w = world()
  const before = await open(w, { key: null })
  await before.journal.append(errorEvent('one'), 'now').durable
  await before.saveSnapshot('engine', 1, { peak: '1' })
  await before.journal.close()
  w.disk.plan = (op) =>
    op.kind === 'write' && op.path.includes('snapshot') ? { kind: 'error', code: 'ENOSPC' } : null
  const full = await open(w)
  expect(await full.loadSnapshot('engine')).toMatchObject({ state: { peak: '1' } })
  await full.journal.append(errorEvent('two'), 'now').durable
  w.disk.kill()
  w.disk.plan = () => null
  const again = await open(w)
  expect(again.standing).toBe('begins')
  expect(await again.loadSnapshot('engine')).toMatchObject({ state: { peak: '1' } })
  await again.journal.close()
  const last = await open(w)
  expect(last.standing).toBe('proven')
  expect(await last.loadSnapshot('engine')).toMatchObject({ state: { peak: '1' } })
})

test('a full disk does not keep a Guard from starting that finds a mark without a proof', async () => {
  const w = await killed()
  // As a backup has it: it covers every record, and no key proves it.
  const mark = Buffer.from(w.disk.bytes(`${directory}/durable`) ?? []).toString()
  w.disk.put(`${directory}/durable`, Buffer.from(mark.replace(/,"proof":"[^"]*"/, '')))
  w.disk.plan = (op) =>
    op.kind === 'write' && /\/\d{16}-/.test(op.path) ? { kind: 'error', code: 'ENOSPC' } : null
  const opened = await open(w)
  expect(opened.standing).toBe('unmarked')
  expect(opened.journal.error).toContain('ENOSPC')
  w.disk.plan = () => null
  await w.time.pass(2_000)
  expect(opened.journal.error).toBeNull()
  expect((await allRecords(opened)).map(({ event }) => event)).toContainEqual(
    expect.objectContaining({ text: expect.stringContaining('nothing proves that record 3') }),
  )
})

test('a key is of one journal: another account or network has another', () => {
  const ids = [
    key.id,
    ChainKey.of(Buffer.alloc(32, 7), { ...identity, network: 'mainnet' }).id,
    ChainKey.of(Buffer.alloc(32, 7), { ...identity, account: `0x${'3'.repeat(40)}` }).id,
    other.id,
  ]
  expect(new Set(ids).size).toBe(4)
  expect(JSON.stringify(key)).toBe(JSON.stringify({ id: key.id }))
  expect(key.proves(key.prove('record', 'x'), 'mark', 'x')).toBe(false)
})

test('the key is HKDF-SHA256 of the wallet’s, as the documentation says', () => {
  const info = `guard-journal-key-1\n${identity.network}\n${identity.account}\n`
  const derived = Buffer.from(hkdfSync('sha256', Buffer.alloc(32, 7), '', info, 32))
  const code = (text: string): string => createHmac('sha256', derived).update(text).digest('hex')
  const name = code('guard-journal-key-id\n').slice(0, 16)
  expect(key.id).toBe(name)
  const proof = code('guard-record-1\nab').slice(0, 32)
  expect(key.prove('record', 'a', Buffer.from('b'))).toBe(`${name}-${proof}`)
})
