import type { Clock, Durable, KillFile, Log } from './ports.ts'
import type { Millis } from '../core/values/millis.ts'
import type { Recorder } from './recorder.ts'

export interface Latched {
  readonly reason: string
  readonly at: Millis
  /** On disk, as the kill file or as the `kill` event. */
  readonly durable: boolean
}

export interface Pulled {
  readonly reason: string
  readonly at: Millis
  readonly already: boolean
  readonly durable: boolean
  /** The `flatten` event that followed; null when the account has not been seen yet. */
  readonly flattenSeq: number | null
}

export interface LatchDeps {
  readonly clock: Clock
  readonly log: Log
  readonly killFile: KillFile
  readonly recorder: Recorder
  /** Begins to flatten in this tick; the `seq` of the flatten event. */
  readonly flatten: (reason: string) => number | null
}

type Kept = 'missing' | 'writing' | 'kept'

/** Where a latch came from is the last part of its reason; a file may already say it. */
const originPattern = /\((?:command line|kill file|client 0x[0-9a-f]{40})\)$/

export function killFileReason(firstLine: string): string {
  if (originPattern.test(firstLine)) return firstLine
  return `${firstLine === '' ? 'kill file' : firstLine} (kill file)`
}

/**
 * The kill switch. It latches in the tick it is pulled and flattens in the same tick; it is
 * acknowledged once the file or the event is on disk. There is no way to release it from here.
 */
export class Latch {
  private readonly deps: LatchDeps
  private state: (Omit<Latched, 'durable'> & { durable: boolean }) | null = null
  private written: Promise<boolean> = Promise.resolve(false)
  private flattenSeq: number | null = null
  private event: Kept = 'missing'
  private file: Kept = 'missing'
  /** The emergency file has the event and writes it when it can; the journal alone is asked again. */
  private isInMemory = false
  private whoWait: (() => void)[] = []

  constructor(deps: LatchDeps) {
    this.deps = deps
  }

  get current(): Latched | null {
    return this.state
  }

  get isLatched(): boolean {
    return this.state !== null
  }

  /** What an earlier run left: already on disk. A file that was lost is written again. */
  restore(reason: string, at: Millis): void {
    this.state = { reason, at, durable: true }
    this.written = Promise.resolve(true)
    this.event = 'kept'
    this.file = 'kept'
    if (this.deps.killFile.seen() !== null) return
    this.deps.killFile.write(reason).catch((error: unknown) => {
      this.deps.log.log('error', 'the kill file could not be written again', { error: said(error) })
    })
  }

  /** Looks for the kill file; latches when it is there. */
  checkFile(): void {
    if (this.state !== null) return
    const seen = this.deps.killFile.seen()
    if (seen !== null) this.pull(killFileReason(seen.firstLine)).catch(() => undefined)
  }

  async pull(reason: string): Promise<Pulled> {
    const already = this.state !== null
    const state = this.state ?? this.latchNow(reason)
    const durable = await this.written
    const { at } = state
    return { reason: state.reason, at, already, durable, flattenSeq: this.flattenSeq }
  }

  /** Resolves once the latch is on disk, however often that has to be tried. */
  async kept(): Promise<void> {
    if (this.state?.durable === true) return
    await new Promise<void>((resolve) => this.whoWait.push(resolve))
  }

  /** What of the latch no disk took is tried again, for as long as it takes; never twice at once. */
  retryUnwritten(): void {
    const { state, event, file } = this
    if (state === null || (event !== 'missing' && file !== 'missing')) return
    const written = this.write(state.reason)
    if (!state.durable) this.written = written
  }

  private latchNow(reason: string): Latched {
    const state = { reason, at: this.deps.clock.now(), durable: false }
    this.state = state
    this.deps.log.log('warn', 'the kill switch is latched', { reason })
    this.written = this.write(reason)
    this.flattenSeq = this.deps.flatten(reason)
    return state
  }

  /**
   * The event first, so that it stands before its flatten. Either of the two makes the latch
   * durable; the other is tried again until both are on disk.
   */
  private async write(reason: string): Promise<boolean> {
    const parts: Promise<void>[] = []
    if (this.event === 'missing') parts.push(this.writeEvent(reason))
    if (this.file === 'missing') parts.push(this.writeFile(reason))
    try {
      await Promise.any(parts)
    } catch {
      if (parts.length > 0 && this.state?.durable !== true) {
        this.deps.log.log('error', 'the latch is on no disk yet: it holds in memory only')
      }
      return this.state?.durable === true
    }
    if (this.state !== null) this.state.durable = true
    for (const go of this.whoWait.splice(0)) go()
    return true
  }

  /** In the journal, or in the emergency file beside it while the journal takes nothing. */
  private async writeEvent(reason: string): Promise<void> {
    this.event = 'writing'
    const { recorder } = this.deps
    const body = { kind: 'kill', reason } as const
    // In this tick, so that it stands before its flatten in the emergency file too.
    const inEmergency = (): Promise<Durable> =>
      this.isInMemory ? Promise.reject(notOnDisk()) : recorder.proofFor(body, null, { waitMs: 0 })
    const appended = recorder.record(body, 'now')
    try {
      const proof = await (appended === null ? inEmergency() : appended.durable.catch(inEmergency))
      // What lowers risk may go with a proof from memory; a latch is acknowledged by a disk alone.
      this.isInMemory = !proof.onDisk
      if (this.isInMemory) throw notOnDisk()
      this.event = 'kept'
    } finally {
      if (this.event !== 'kept') this.event = 'missing'
    }
  }

  private async writeFile(reason: string): Promise<void> {
    this.file = 'writing'
    const { killFile } = this.deps
    try {
      await killFile.write(reason)
    } catch (error) {
      // Any entry of that name counts, also one that cannot be written to.
      if (killFile.seen() === null) {
        this.file = 'missing'
        throw error
      }
    }
    this.file = 'kept'
  }
}

const notOnDisk = (): Error => new Error('no disk has taken the event')

function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
