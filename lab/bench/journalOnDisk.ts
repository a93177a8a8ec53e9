import { open } from 'node:fs/promises'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { EventBody } from '../../src/core/events/guardEvent.ts'
import { millis, nonce } from '../../src/core/values/millis.ts'
import type { Timers } from '../../src/engine/ports.ts'
import { nodeIo } from '../../src/journal/nodeIo.ts'
import { openJournal } from '../../src/journal/openJournal.ts'
import type { OpenedJournal } from '../../src/journal/opened.ts'
import type { Identity } from '../../src/journal/identity.ts'
import { openSqliteIndex } from '../../src/journal/sqliteIndex.ts'

const lineBytes = 800

/** Raw writes and syncs a second, one after the other. */
export async function rawAppends(path: string, appends: number): Promise<number> {
  const file = await open(path, 'a')
  const bytes = Buffer.alloc(lineBytes, 0x61)
  const count = appends / 4
  const begun = performance.now()
  for (let n = 0; n < count; n += 1) {
    await file.write(bytes)
    await file.datasync()
  }
  const ms = performance.now() - begun
  await file.close()
  return (count * 1_000) / ms
}

/** Appends to a journal of its own, so many of them waiting at any time. */
export async function durableAppends(directory: string, inFlight: number, appends: number) {
  const opened = await openReal(directory, anyone)
  const { journal } = opened
  const count = inFlight === 1 ? appends / 4 : appends * Math.min(inFlight, 16)
  const times: number[] = []
  let next = 0
  const delay = monitorEventLoopDelay({ resolution: 1 })
  const worker = async (): Promise<void> => {
    while (next < count) {
      next += 1
      const begun = performance.now()
      await journal.append(sample(next), 'now').durable
      times.push(performance.now() - begun)
    }
  }
  delay.enable()
  const begun = performance.now()
  await Promise.all(Array.from({ length: inFlight }, worker))
  const ms = performance.now() - begun
  delay.disable()
  const bytes = Math.round(journal.stats.bytes / journal.stats.events)
  await journal.close()
  times.sort((a, b) => a - b)
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0
  return {
    perSecond: (count * 1_000) / ms,
    p50: at(0.5),
    p99: at(0.99),
    loopMs: delay.percentile(99) / 1e6,
    bytes,
  }
}

/** Makes a journal of so many decisions, with its index, and closes it. */
export async function fillJournal(
  directory: string,
  size: number,
  identity: Identity,
): Promise<void> {
  const filled = await openReal(directory, identity)
  for (let n = 1; n <= size; n += 1) {
    const { durable } = filled.journal.append(sample(n), 'ride')
    if (n % 2_000 === 0) await durable
  }
  await filled.journal.append({ kind: 'stopped', reason: 'SIGTERM' }, 'now').durable
  await filled.indexed()
  await filled.journal.close()
}

/** Milliseconds to open a filled journal, and to look a decision up in it, at the median. */
export async function startAndLookUp(directory: string, size: number, identity: Identity) {
  const starts: number[] = []
  const lookUps: number[] = []
  for (let round = 0; round < 5; round += 1) {
    const begun = performance.now()
    const opened = await openReal(directory, identity)
    starts.push(performance.now() - begun)
    for (let n = 0; n < 50; n += 1) {
      const asked = performance.now()
      const found = await opened.reader.decision(nonce(1 + ((n * 37) % (size - 1))), null)
      lookUps.push(performance.now() - asked)
      if (found === null) throw new Error('the benchmark lost a decision')
    }
    await opened.journal.close()
  }
  return { start: median(starts), lookUp: median(lookUps) }
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0
}

const timers: Timers = {
  after(ms, task) {
    const timer = setTimeout(task, ms)
    return () => {
      clearTimeout(timer)
    }
  },
  every(ms, task) {
    const timer = setInterval(task, ms)
    return () => {
      clearInterval(timer)
    }
  },
}

const anyone: Identity = { account: `0x${'1'.repeat(40)}`, network: 'testnet' }

/** A journal as Guard has it, with its index. */
export function openReal(directory: string, identity: Identity): Promise<OpenedJournal> {
  return openJournal({
    directory,
    identity,
    clock: { now: () => millis(Date.now()), monotonicMs: () => performance.now() },
    timers,
    io: nodeIo,
    log: { log: () => undefined },
    openIndex: openSqliteIndex,
  })
}

/** The decision about a usual order. */
export function sample(n: number): EventBody {
  return {
    kind: 'decision',
    via: 'http',
    client: `0x${'2'.repeat(40)}`,
    signed_as: 'mainnet',
    nonce: n,
    action: 'order',
    verdict: 'allow',
    code: 'allowed',
    text: 'within every rule, forwarded as sent',
    changes: [],
    change_records: [],
    request: { type: 'order', orders: [{ a: 0, b: true, p: '100.5', s: '0.2', r: false }] },
    pre: [],
    forward: null,
    forward_more: [],
    post: [],
  }
}
