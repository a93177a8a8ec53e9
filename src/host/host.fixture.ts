import type { Timers } from '../engine/ports.ts'
import { TurnTaken } from './hostLedger.ts'
import { HostMember } from './hostMember.ts'
import type { HostIdentity, Ledger } from './hostMember.ts'
import type { HostProcess, Sight } from './hostProcess.ts'
import { isSameGuard } from './ledgerRow.ts'
import type { LedgerRow } from './ledgerRow.ts'

const wallStartMs = 1_800_000_000_000

/** A machine whose time passes when it is told to, with processes that live until they are ended. */
export class TestHost {
  nowMs = 1_000_000
  #lastPid = 100
  readonly #running = new Set<number>()
  readonly #ledger = new MemoryLedger()
  /** Whether the ledger answers. */
  isReachable = true

  /** A new process, which sees the others of this machine. */
  spawn(): Sight {
    this.#lastPid += 1
    const own = { pid: this.#lastPid, started: '7', space: 'here', boot: 'one' }
    this.#running.add(own.pid)
    return { own, isRunning: ({ pid }) => this.#running.has(pid) }
  }

  end({ pid }: HostProcess): void {
    this.#running.delete(pid)
  }

  /** A Guard of this machine; its ledger is in memory unless another one is given. */
  member(
    name: string,
    sight: Sight,
    timers: Timers,
    openLedger: (directory: string) => Promise<Ledger> = () => this.#open(),
    directory = '/host',
    home = `/homes/${name}`,
  ): HostMember {
    return new HostMember(
      { ...identityOf(name), home },
      {
        ...{ directory, sight, timers, openLedger, hostMs: () => this.nowMs },
        note: async () => undefined,
        wallMs: () => wallStartMs + this.nowMs,
      },
    )
  }

  row(name: string): LedgerRow | undefined {
    return this.#ledger.rows.find((row) => isSameGuard(row, identityOf(name)))
  }

  async #open(): Promise<Ledger> {
    const ledger = this.#ledger
    const reached = (): void => {
      if (!this.isReachable) throw new Error('database is locked')
    }
    reached()
    return {
      read: async () => {
        reached()
        return { turn: ledger.turn, rows: [...ledger.rows] }
      },
      write: async (turn, row, gone, nowMs) => {
        reached()
        ledger.write(turn, row, gone, nowMs)
      },
      tell: async (guard, spent, atMs) => {
        reached()
        ledger.tell(guard, spent, atMs)
      },
      isInPlace: async () => true,
      close: async () => undefined,
    }
  }
}

export function identityOf(name: string): HostIdentity {
  return {
    ...{ home: `/homes/${name}`, network: 'testnet', account: `0x${name}`, venue: 'testnet' },
    ...{ mode: 'testnet', api_wallet: `0xw${name}`, state_dir: `/homes/${name}/state` },
    ...{ state_place: `place of ${name}` },
    ...{ version: '0.0.0-test', weight_limit: 1_200 },
  }
}

/** The ledger's rules without its disk. */
class MemoryLedger {
  turn = 0
  rows: readonly LedgerRow[] = []

  write(turn: number, row: LedgerRow, gone: readonly LedgerKey[], nowMs: number): void {
    if (turn !== this.turn) throw new TurnTaken()
    this.turn += 1
    const isGone = (each: LedgerRow): boolean => gone.some((one) => isSameGuard(one, each))
    const others = this.rows
      .filter((each) => !isSameGuard(each, row))
      .map((each) => (isGone(each) ? { ...each, gone_at_ms: each.gone_at_ms ?? nowMs } : each))
    this.rows = [...others, row]
  }

  tell(guard: LedgerKey, spent: readonly number[], atMs: number): void {
    this.rows = this.rows.map((each) =>
      isSameGuard(each, guard)
        ? { ...each, spent: JSON.stringify(spent), spent_at_ms: atMs }
        : each,
    )
  }
}

type LedgerKey = Pick<LedgerRow, 'home' | 'network' | 'account'>

/** Timers that a test runs by hand. */
export class HandTimers implements Timers {
  readonly #repeated = new Set<() => void>()
  readonly #once = new Set<() => void>()

  after(_ms: number, task: () => void): () => void {
    this.#once.add(task)
    return () => this.#once.delete(task)
  }

  every(_ms: number, task: () => void): () => void {
    this.#repeated.add(task)
    return () => this.#repeated.delete(task)
  }

  /** Runs what was asked for once, such as telling what was spent. */
  runOnce(): void {
    const due = [...this.#once]
    this.#once.clear()
    for (const task of due) task()
  }

  /** Runs what repeats, such as renewals. */
  runRepeated(): void {
    for (const task of this.#repeated) task()
  }
}

/** Lets everything go on that waits for no disk. */
export async function settled(): Promise<void> {
  for (let step = 0; step < 40; step += 1) await Promise.resolve()
}
