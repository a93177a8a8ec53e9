import type { DecisionBody, EventBody, Internal, SentBody } from '../core/events/guardEvent.ts'
import type { Clock, Log, Timers } from '../engine/ports.ts'
import { millis } from '../core/values/millis.ts'
import type { FakeDisk } from '../../lab/fakes/fakeDisk.ts'
import { MemoryIndex } from './memoryIndex.ts'
import { openJournal } from './openJournal.ts'
import type { JournalOptions, OpenedJournal } from './opened.ts'

export const startMs = 1_789_000_000_000

/** Time that passes only when told. */
export class ManualTime implements Clock, Timers {
  #nowMs = startMs
  #monotonicMs = 0
  #nextId = 0
  #tasks: { readonly id: number; readonly at: number; readonly task: () => void }[] = []

  now() {
    return millis(this.#nowMs)
  }

  monotonicMs() {
    return this.#monotonicMs
  }

  after(ms: number, task: () => void) {
    const id = this.#nextId++
    this.#tasks.push({ id, at: this.#monotonicMs + ms, task })
    return () => {
      this.#tasks = this.#tasks.filter((other) => other.id !== id)
    }
  }

  every(ms: number, task: () => void) {
    let cancel = (): void => undefined
    const again = (): void => {
      cancel = this.after(ms, () => {
        again()
        task()
      })
    }
    again()
    return () => cancel()
  }

  get pending() {
    return this.#tasks.length
  }

  /** Lets time pass, running what falls due in order, and microtasks between. */
  async pass(ms: number) {
    const until = this.#monotonicMs + ms
    await settle()
    for (;;) {
      const next = this.#tasks
        .filter(({ at }) => at <= until)
        .sort((a, b) => a.at - b.at || a.id - b.id)[0]
      if (next === undefined) break
      this.#tasks = this.#tasks.filter(({ id }) => id !== next.id)
      this.#step(next.at)
      next.task()
      await settle()
    }
    this.#step(until)
    await settle()
  }

  #step(until: number) {
    this.#nowMs += Math.max(0, until - this.#monotonicMs)
    this.#monotonicMs = Math.max(until, this.#monotonicMs)
  }
}

/** Runs microtasks until those of a fake disk have all been done. */
export async function settle() {
  for (let turn = 0; turn < 200; turn += 1) await Promise.resolve()
}

export class LogLines implements Log {
  readonly lines: string[] = []

  log(level: string, message: string) {
    this.lines.push(`${level} ${message}`)
  }
}

export const account = '0x1111111111111111111111111111111111111111'
export const client = '0x2222222222222222222222222222222222222222'
export const directory = '/state/journal'

export function decision(nonce: number, more: Partial<DecisionBody> = {}): DecisionBody & Internal {
  return {
    kind: 'decision',
    via: 'http',
    client,
    signed_as: 'mainnet',
    nonce,
    action: 'order',
    verdict: 'allow',
    code: 'allowed',
    text: 'within every rule – forwarded as sent',
    changes: [],
    change_records: [],
    request: { type: 'order', orders: [{ a: 0, b: true, p: '100.5', s: '0.2', r: false }] },
    pre: [],
    forward: null,
    forward_more: [],
    post: [],
    ...more,
    _: { coins: ['BTC'], secret: `internal-${nonce}` },
  }
}

export function sent(of: number, index = 0): SentBody {
  return { kind: 'sent', decision: of, index, nonce: 7_000 + of, ok: true, reply: { status: 'ok' } }
}

export function errorEvent(text: string): EventBody {
  return { kind: 'error', text }
}

export interface World {
  readonly disk: FakeDisk
  readonly time: ManualTime
  readonly log: LogLines
}

function fakeOptions(world: World, more: Partial<JournalOptions> = {}): JournalOptions {
  return {
    directory,
    identity: { account, network: 'testnet' },
    clock: world.time,
    timers: world.time,
    io: world.disk.io,
    log: world.log,
    openIndex: () => new MemoryIndex(),
    ...more,
    // Some let days pass: each look at the room or the lock would be one more moment to crash at.
    bounds: {
      reserveBytes: 4_096,
      spaceMs: 30 * 86_400_000,
      lockMs: 30 * 86_400_000,
      ...more.bounds,
    },
  }
}

export function openFake(world: World, more: Partial<JournalOptions> = {}) {
  return openJournal(fakeOptions(world, more))
}

export async function allRecords(opened: OpenedJournal) {
  const records = []
  for await (const record of opened.replay()) records.push(record)
  return records
}
