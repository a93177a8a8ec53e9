import { expect, test } from 'vitest'
import type { Durable } from '../engine/ports.ts'
import { ChainKey } from './chainKey.ts'
import { FakeDisk } from '../../lab/fakes/fakeDisk.ts'
import type { CrashMode } from '../../lab/fakes/fakeFile.ts'
import { verifyJournal } from './inspect.ts'
import {
  LogLines,
  ManualTime,
  account,
  allRecords,
  decision,
  directory,
  errorEvent,
  openFake,
  sent,
  settle,
} from './journal.fixture.ts'
import type { World } from './journal.fixture.ts'
import type { JournalOptions, OpenedJournal } from './opened.ts'

/** What a scenario was promised: the records it was told are on disk. */
interface Promised {
  readonly seqs: Map<number, string>
  readonly emergencies: string[]
}

interface Step {
  readonly world: World
  /** How every start opens the journal. */
  readonly access: Access
  readonly promised: Promised
  open(more?: Partial<JournalOptions>): Promise<OpenedJournal>
  /** Appends an error event and remembers it once it is acknowledged. */
  say(opened: OpenedJournal, text: string, flush?: 'now' | 'ride'): Promise<Durable | null>
}

type Access = Pick<JournalOptions, 'key' | 'isRekeying'>
type Scenario = (step: Step) => Promise<void>

const scenarios: Readonly<Record<string, Scenario>> = {
  'a first record': async ({ open, say }) => {
    const opened = await open()
    await say(opened, 'first')
  },
  'records one by one, closed': async ({ open, say }) => {
    const opened = await open()
    for (let i = 0; i < 4; i += 1) await say(opened, `one ${i}`)
    await opened.journal.close()
  },
  batches: async ({ open, say }) => {
    const opened = await open()
    for (let batch = 0; batch < 3; batch += 1) {
      await Promise.all([0, 1, 2, 3, 4].map((i) => say(opened, `batch ${batch} ${i}`)))
    }
  },
  'riding records': async ({ open, say, world }) => {
    const opened = await open()
    const riding = say(opened, 'rides', 'ride')
    await say(opened, 'goes')
    const late = say(opened, 'rides later', 'ride')
    await world.time.pass(5)
    await Promise.all([riding, late])
  },
  'rotation by size': async ({ open, say }) => {
    const opened = await open({ bounds: { segmentBytes: 600 } })
    for (let i = 0; i < 6; i += 1) await say(opened, `rotate ${i}`)
    await opened.journal.close()
  },
  'rotation by day': async ({ open, say, world }) => {
    const opened = await open()
    await say(opened, 'today')
    await world.time.pass(86_400_000)
    await say(opened, 'tomorrow')
  },
  'closed and opened again': async ({ open, say }) => {
    const first = await open()
    await say(first, 'before')
    await first.journal.close()
    const second = await open()
    await say(second, 'after')
    await second.journal.close()
  },
  'killed and opened again with a torn tail': async ({ open, say, world }) => {
    const first = await open()
    await say(first, 'before')
    world.disk.kill()
    const path = world.disk.paths().find((name) => /\d{16}-/.test(name)) ?? ''
    const torn = Buffer.concat([world.disk.bytes(path) ?? Buffer.alloc(0), Buffer.from('{"seq":2')])
    world.disk.put(path, torn)
    const second = await open()
    expect(second.tornTail?.afterSeq).toBe(1)
    await say(second, 'after')
  },
  snapshots: async ({ open, say }) => {
    const opened = await open()
    await say(opened, 'a')
    await opened.saveSnapshot('risk', 1, { peak: '1' })
    await say(opened, 'b')
    await opened.saveSnapshot('risk', 2, { peak: '2' })
    await opened.journal.close()
  },
  'a failed sync and what follows': async ({ open, say, world }) => {
    const opened = await open()
    await say(opened, 'good')
    await failOnce(world, 'sync', 'EIO', async () => {
      await say(opened, 'refused')
    })
    await world.time.pass(2_000)
    await say(opened, 'good again')
    await opened.journal.close()
  },
  'a full disk, an emergency, space again': async ({ open, say, world, promised }) => {
    const opened = await open()
    await say(opened, 'good')
    world.disk.capacityBytes = 0
    await say(opened, 'refused')
    for (const text of ['flatten 1', 'flatten 2']) {
      const durable = await opened.journal.appendEmergency(errorEvent(text), null)
      if (durable.onDisk) promised.emergencies.push(text)
    }
    world.disk.capacityBytes = Infinity
    await world.time.pass(2_000)
    await say(opened, 'good again')
    await opened.journal.close()
  },
  'an emergency left by a killed process': async ({ open, say, world, promised }) => {
    const first = await open()
    await say(first, 'good')
    world.disk.capacityBytes = 0
    await say(first, 'refused')
    for (const text of ['flatten 1', 'flatten 2', 'flatten 3']) {
      const durable = await first.journal.appendEmergency(errorEvent(text), null)
      if (durable.onDisk) promised.emergencies.push(text)
    }
    world.disk.kill()
    world.disk.capacityBytes = Infinity
    const second = await open()
    await say(second, 'after')
    await second.journal.close()
  },
}

const identity = { account, network: 'testnet' }
const key = ChainKey.of(Buffer.alloc(32, 7), identity)

/** An earlier run with another key, or with none, leaves a snapshot and emergency records. */
async function leave({ open, say, world, promised }: Step, access: Access): Promise<void> {
  const first = await open(access)
  await say(first, 'good')
  await first.saveSnapshot('risk', 1, { peak: '1' })
  world.disk.capacityBytes = 0
  await say(first, 'refused')
  for (const text of ['flatten 1', 'flatten 2', 'flatten 3']) {
    const durable = await first.journal.appendEmergency(errorEvent(text), null)
    if (durable.onDisk) promised.emergencies.push(text)
  }
  world.disk.kill()
  world.disk.capacityBytes = Infinity
}

/** The next one has the key; after it, `access` is how it is opened. */
async function goOn({ open, say }: Step): Promise<void> {
  const second = await open()
  expect(await second.loadSnapshot('risk')).toMatchObject({ state: { peak: '1' } })
  await say(second, 'after')
  await second.journal.close()
}

/** Scenarios in which the journal comes to a key, with how a person starts it from then on. */
const changes: Readonly<Record<string, readonly [Access, Scenario]>> = {
  'an old journal gets a key': [
    { key },
    async (step) => {
      await leave(step, { key: null })
      await goOn(step)
    },
  ],
  'the key is changed': [
    { key, isRekeying: true },
    async (step) => {
      const other = ChainKey.of(Buffer.alloc(32, 8), identity)
      await leave(step, { key: other, isRekeying: false })
      await goOn(step)
    },
  ],
}

async function failOnce(world: World, kind: string, code: string, during: () => Promise<void>) {
  const plan = world.disk.plan
  let isDone = false
  world.disk.plan = (op) => {
    const fault = plan(op)
    if (fault !== null || isDone || op.kind !== kind || !/\d{16}-/.test(op.path)) return fault
    isDone = true
    return { kind: 'error', code }
  }
  await during()
  world.disk.plan = plan
}

function begin(access: Access = {}): Step {
  const world = { disk: new FakeDisk(), time: new ManualTime(), log: new LogLines() }
  const promised: Promised = { seqs: new Map(), emergencies: [] }
  return {
    world,
    access,
    promised,
    open: (more) => openFake(world, { ...access, ...more }),
    async say(opened, text, flush = 'now') {
      try {
        const appended = opened.journal.append(errorEvent(text), flush)
        const durable = await appended.durable
        promised.seqs.set(durable.seq, text)
        return durable
      } catch {
        return null
      }
    },
  }
}

/** Runs a scenario until it ends or the process is stopped at an operation. */
async function runUntilCrash(scenario: Scenario, step: Step): Promise<void> {
  let isOver = false
  const run = scenario(step).finally(() => {
    isOver = true
  })
  run.catch(() => undefined)
  for (let turn = 0; turn < 200 && !isOver && !step.world.disk.crashed; turn += 1) await settle()
  if (!step.world.disk.crashed) await run
}

/** After a restart: all that was promised is there, numbered without gaps, nothing twice. */
async function checkAfterRestart({ world, access, promised }: Step): Promise<void> {
  world.disk.plan = () => null
  world.disk.capacityBytes = Infinity
  const opened = await openFake(world, access)
  const isRead = (await opened.loadSnapshot('risk')) !== 'unreadable'
  const next = await opened.journal.append(errorEvent('after the restart'), 'now').durable
  const records = await allRecords(opened)
  expect(records.map(({ seq }) => seq)).toEqual(records.map((_, index) => index + 1))
  expect(next.seq).toBe(records.length)
  const texts = records.map(({ event }) => (event.kind === 'error' ? event.text : ''))
  for (const [seq, text] of promised.seqs) expect(texts[seq - 1]).toBe(text)
  for (const text of promised.emergencies) expect(texts).toContain(text)
  expect(new Set(texts).size).toBe(texts.length)
  expect(isRead).toBe(true)
  await opened.journal.close()
  const { key: usual = null } = access
  const { problem, proofs } = await verifyJournal(directory, undefined, world.disk.io, usual)
  expect(problem).toBeNull()
  if (usual !== null) expect(proofs?.keys).toContain(usual.id)
  const again = await openFake(world, { ...access, isRekeying: false })
  expect(again.standing).toBe(usual === null ? 'unkeyed' : 'proven')
  expect(await again.loadSnapshot('risk')).not.toBe('unreadable')
  await again.journal.close()
}

function randomOf(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 4_294_967_296
  }
}

const table: readonly (readonly [string, Access, Scenario])[] = [
  ...Object.entries(scenarios).map(([name, scenario]) => [name, {}, scenario] as const),
  ...Object.entries(scenarios).map(
    ([name, scenario]) => [`${name}, with a key`, { key }, scenario] as const,
  ),
  ...Object.entries(changes).map(([name, [access, scenario]]) => [name, access, scenario] as const),
]

test.each(table)('a crash anywhere in: %s', async (name, access, scenario) => {
  const whole = begin(access)
  await runUntilCrash(scenario, whole)
  const operations = whole.world.disk.operations
  whole.world.disk.kill()
  await checkAfterRestart(whole)
  expect(operations).toBeGreaterThan(10)

  for (let at = 0; at < operations; at += 1) {
    for (const kind of ['crash_before', 'crash_after'] as const) {
      const modes: CrashMode[] = ['lost', 'kept', randomOf(at), randomOf(at + 7_919)]
      for (const [index, mode] of modes.entries()) {
        const step = begin(access)
        step.world.disk.plan = (op) => (op.index === at ? { kind } : null)
        await runUntilCrash(scenario, step)
        if (!step.world.disk.crashed) continue
        step.world.disk.crash(mode)
        try {
          await checkAfterRestart(step)
        } catch (error) {
          throw new Error(`${name}: ${kind} of operation ${at}, mode ${index}`, { cause: error })
        }
      }
    }
  }
})

test('there are at least ten scenarios', () => {
  expect(Object.keys(scenarios).length).toBeGreaterThanOrEqual(10)
})

test('decisions and sends of an emergency refer to each other once they have joined', async () => {
  const { world, open } = begin()
  const opened = await open()
  await opened.journal.append(errorEvent('good'), 'now').durable
  world.disk.capacityBytes = 0
  await expect(opened.journal.append(errorEvent('no'), 'now').durable).rejects.toThrow('ENOSPC')
  const exit = await opened.journal.appendEmergency(decision(77), null)
  expect(exit).toMatchObject({ seq: -1, emergency: true, onDisk: true })
  await opened.journal.appendEmergency(sent(exit.seq), null)
  world.disk.capacityBytes = Infinity
  await world.time.pass(2_000)
  expect(opened.journal.error).toBeNull()
  await opened.journal.append(sent(exit.seq, 1), 'now').durable
  const records = await allRecords(opened)
  expect(records.map(({ event }) => event.kind)).toEqual([
    'error',
    'decision',
    'sent',
    'error',
    'sent',
  ])
  expect(records[2]?.event).toMatchObject({ decision: 2, index: 0 })
  expect(records[4]?.event).toMatchObject({ decision: 2, index: 1 })
  await opened.journal.close()
})

test('the crashes would show a journal that does not wait for the disk', async () => {
  const { world } = begin()
  const { io } = world.disk
  const lying = {
    ...io,
    open: async (path: string, mode: 'read' | 'write' | 'create') => {
      const file = await io.open(path, mode)
      return /\d{16}-/.test(path) ? { ...file, sync: () => Promise.resolve() } : file
    },
  }
  const opened = await openFake(world, { io: lying })
  await opened.journal.append(errorEvent('promised'), 'now').durable
  world.disk.crash('lost')
  const again = await openFake(world)
  expect(again.journal.lastSeq).toBe(0)
  await again.journal.close()
})
