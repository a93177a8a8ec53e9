import type { Internal } from '../../core/events/guardEvent.ts'
import { limits } from '../../core/values/limits.ts'
import type { Millis } from '../../core/values/millis.ts'
import type { Alerts } from '../alerts.ts'
import type { Clock, KillFile, Log, Timers } from '../ports.ts'
import type { Recorder } from '../recorder.ts'
import { within } from '../within.ts'

export interface Latched {
  readonly reason: string
  readonly at: Millis
  /** On disk, as the kill file or as the `kill` event. */
  readonly durable: boolean
}

/** The last kill of the fleet that this Guard has obeyed, and when. */
export interface Obeyed {
  readonly epoch: number
  readonly at: Millis
}

interface Pulled {
  readonly reason: string
  readonly at: Millis
  readonly already: boolean
  readonly durable: boolean
  /**
   * The `flatten` event that followed; null when the account has not been seen yet, and while no disk
   * has the latch: a number that is not on disk may be given to another event.
   */
  readonly flattenSeq: number | null
}

interface LatchDeps {
  readonly clock: Clock
  readonly timers: Pick<Timers, 'after'>
  readonly log: Log
  readonly alerts: Pick<Alerts, 'raise' | 'clear'>
  readonly killFile: KillFile
  readonly recorder: Recorder
  /** Begins to flatten in this tick; the `seq` of the flatten event. */
  readonly flatten: (reason: string) => number | null
}

type Kept = 'missing' | 'writing' | 'kept'

/** Where a latch came from is the last part of its reason; a file may already say it. */
const originPattern = /\((?:command line|kill file|client 0x[0-9a-f]{40}|fleet epoch \d+)\)$/

export function killFileReason(firstLine: string): string {
  if (originPattern.test(firstLine)) return firstLine
  return `${firstLine === '' ? 'kill file' : firstLine} (kill file)`
}

/**
 * The kill switch. It latches in the tick it is pulled and flattens in the same tick. It is
 * acknowledged as durable once the file or the event is on disk; a disk that does not take them in
 * time is not waited for: the latch holds in memory, and is on disk when a disk takes it. There is no
 * way to release it from here.
 */
export class Latch {
  private readonly deps: LatchDeps
  private state: (Omit<Latched, 'durable'> & { durable: boolean }) | null = null
  /** Resolves when what was tried last has come to an end, well or not. */
  private written: Promise<void> = Promise.resolve()
  private flattenSeq: number | null = null
  private event: Kept = 'missing'
  private file: Kept = 'missing'
  private whoWait: (() => void)[] = []
  private lastObeyed: Obeyed | null = null

  constructor(deps: LatchDeps) {
    this.deps = deps
  }

  get current(): Latched | null {
    return this.state
  }

  get isLatched(): boolean {
    return this.state !== null
  }

  get obeyed(): Obeyed | null {
    return this.lastObeyed
  }

  /** What an earlier run had obeyed: a release does not undo that. */
  restoreObeyed(obeyed: Obeyed | null): void {
    this.lastObeyed = obeyed
  }

  /**
   * A kill of the fleet: latches as every other does, and its epoch is in the record. Where it is
   * latched already, another record says that it was heard. Resolves once the latch is on disk; an
   * epoch that was obeyed before does nothing.
   */
  async obey(reason: string, epoch: number): Promise<void> {
    const isHeard = epoch <= (this.lastObeyed?.epoch ?? 0)
    if (!isHeard) {
      this.lastObeyed = { epoch, at: this.deps.clock.now() }
      if (this.state === null) this.latchNow(reason)
      else this.deps.recorder.record({ kind: 'kill', reason, _: { fleet_epoch: epoch } }, 'now')
    }
    if (this.state !== null) await this.kept()
  }

  /** What an earlier run left: already on disk. A file that was lost is written again. */
  restore(reason: string, at: Millis): void {
    this.state = { reason, at, durable: true }
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
    await within(this.deps.timers, this.written, limits.latchPatienceMs)
    const { at, durable } = state
    if (!durable) this.tellInMemory()
    const flattenSeq = durable ? this.flattenSeq : null
    return { reason: state.reason, at, already, durable, flattenSeq }
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
    this.written = this.write(state.reason)
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
  private async write(reason: string): Promise<void> {
    const parts: Promise<void>[] = []
    if (this.event === 'missing') parts.push(this.writeEvent(reason))
    if (this.file === 'missing') parts.push(this.writeFile(reason))
    try {
      await Promise.any(parts)
    } catch {
      if (this.state?.durable !== true) this.tellInMemory()
      return
    }
    if (this.state !== null) this.state.durable = true
    this.deps.alerts.clear('kill_in_memory')
    for (const go of this.whoWait.splice(0)) go()
  }

  /** In the journal, or in an emergency file while the journal takes nothing. */
  private async writeEvent(reason: string): Promise<void> {
    this.event = 'writing'
    const { recorder } = this.deps
    const body = { kind: 'kill', reason, ...this.epochIn(reason) } as const
    try {
      // Its number is given in this tick, so that it stands before its flatten.
      const proof = await recorder.proofFor(body, recorder.record(body, 'now'))
      // What lowers risk may go with a proof from memory; a latch is durable by a disk alone.
      await proof.later
      this.event = 'kept'
    } finally {
      if (this.event !== 'kept') this.event = 'missing'
    }
  }

  /** With a latch that the fleet pulled its epoch is kept. */
  private epochIn(reason: string): Internal {
    const epoch = this.lastObeyed?.epoch
    const isItsOwn = epoch !== undefined && reason.endsWith(`(fleet epoch ${epoch})`)
    return isItsOwn ? { _: { fleet_epoch: epoch } } : {}
  }

  private tellInMemory(): void {
    const { alerts, clock, log } = this.deps
    log.log('error', 'the latch is on no disk yet: it holds in memory only')
    alerts.raise('kill_in_memory', inMemoryText, clock.now())
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

const inMemoryText =
  'the kill switch is latched and no disk has taken it: it holds while this process runs, and a ' +
  'restart would forget it'

function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
