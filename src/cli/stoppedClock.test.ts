import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { Json } from '../core/protocol/action.ts'
import { address } from '../core/values/address.ts'
import { millis } from '../core/values/millis.ts'
import { snapshotName } from '../engine/start/engineMemory.ts'
import { MemoryIndex } from '../journal/memoryIndex.ts'
import { nodeIo } from '../journal/nodeIo.ts'
import { openJournal } from '../journal/openJournal.ts'
import type { OpenedJournal } from '../journal/opened.ts'
import { systemTimers } from '../system/systemTimers.ts'
import { StoppedClock } from './stoppedClock.ts'

const directory = mkdtempSync(join(tmpdir(), 'guard-stopped-'))
afterEach(() => {
  rmSync(directory, { recursive: true, force: true })
})

const hourMs = 3_600_000
const noon = Date.UTC(2026, 0, 5, 12)
const machineAt = (ms: number) => ({ now: () => millis(ms), monotonicMs: () => 0 })

function opening(clock: StoppedClock | ReturnType<typeof machineAt>): Promise<OpenedJournal> {
  return openJournal({
    ...{ directory, io: nodeIo, clock, timers: systemTimers },
    identity: { account: address(`0x${'a'.repeat(40)}`), network: 'testnet' },
    log: { log: () => undefined },
    openIndex: () => new MemoryIndex(),
  })
}

const knownTo = (aheadMs: number): Json => ({
  version: 1,
  clock: { machine_ms: noon - 1_000 + aheadMs, venue_ms: noon - 1_000 },
})
const body = { kind: 'reviewed', what: 'kill', reason: 'checked', equity: null } as const

test.each<[string, Json, number, number]>([
  ['nine hours behind, as the last run knew', knownTo(-9 * hourMs), -9 * hourMs, noon + 60_000],
  ['nine hours ahead, as the last run knew', knownTo(9 * hourMs), 9 * hourMs, noon + 60_000],
  ['right', knownTo(0), 0, noon + 60_000],
  ['nine hours behind, and no run knew it', null, -9 * hourMs, noon],
])('a record of a command where the machine is %s', async (_, memory, aheadMs, expected) => {
  const before = await opening(machineAt(noon))
  await before.journal.append(body, 'now').durable
  await before.saveSnapshot(snapshotName, before.reader.lastSeq, memory)
  await before.journal.close()
  // The person runs the command a minute after Guard has stopped.
  const clock = new StoppedClock(machineAt(noon + 60_000 + aheadMs))
  const opened = await opening(clock)
  await clock.recall(opened)
  await opened.journal.append(body, 'now').durable
  expect(opened.reader.since(0).map(({ at_ms }) => at_ms)).toEqual([noon, expected])
  await opened.journal.close()
})
