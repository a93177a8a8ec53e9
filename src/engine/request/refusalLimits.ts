import type { Recorder } from '../recorder.ts'
import type { Address } from '../../core/values/address.ts'
import { limits } from '../../core/values/limits.ts'
import { utcDay } from '../../core/values/millis.ts'
import type { Millis } from '../../core/values/millis.ts'

/** A moment by both clocks: durations by the one that never goes back, days by the calendar. */
interface Moment {
  readonly now: Millis
  readonly monotonicMs: number
}

/**
 * Bounds what refusals may cost, so that nobody fills a disk: without a client 50 a second for the
 * whole port, 20 a second for each client, both in bursts of 200, and so many bytes of record a
 * day. Beyond that a refusal is shed: no record, HTTP 429, counted for one `error` event a minute.
 * What passes is never asked about here, so that nothing that reduces risk is held up; and what
 * was sent only to get out takes nothing of the rate where it is refused, nor is it shed for it.
 */
export class RefusalLimits {
  private readonly withoutClient = new Meter(
    limits.refusalsPerSecond,
    limits.refusalsBurst,
    limits.strangerRecordBytesPerDay,
  )
  private readonly byClient = new Map<Address, Meter>()

  /**
   * Whether this refusal is answered and recorded; false means it is shed. What a client asked only
   * to get out is refused in words however often it was: only the bytes of the day bound it.
   */
  admit(client: Address | null, moment: Moment, getsOut = false): boolean {
    return this.meterOf(client).admit(moment, getsOut && client !== null)
  }

  /** A refusal that was admitted took so many bytes of the journal. */
  recorded(client: Address | null, bytes: number): void {
    this.meterOf(client).recorded(bytes)
  }

  /** Writes down what was shed since the last report, where anything was. */
  report(recorder: Pick<Recorder, 'record'>): void {
    const text = this.takeReport()
    if (text !== null) recorder.record({ kind: 'error', text }, 'now')
  }

  /** What was shed since the last call, in words; null when nothing was. */
  takeReport(): string | null {
    const meters = [...this.byClient].map(([client, meter]) =>
      meter.takeReport(`of client ${client}`),
    )
    const said = [this.withoutClient.takeReport('without a client'), ...meters]
    const [first, ...rest] = said.filter((each) => each !== null)
    if (first === undefined) return null
    const all = [first.replace(' ', ' requests '), ...rest].join(', ')
    return `${all} were shed in the last minute (HTTP 429)`
  }

  /** Only who has signed with a client's key is ever asked for, so there are as many as clients. */
  private meterOf(client: Address | null): Meter {
    if (client === null) return this.withoutClient
    const known = this.byClient.get(client)
    if (known !== undefined) return known
    const meter = new Meter(
      limits.clientRefusalsPerSecond,
      limits.clientRefusalsBurst,
      limits.clientRefusalBytesPerDay,
    )
    this.byClient.set(client, meter)
    return meter
  }
}

/** A bucket that refills steadily, and what one UTC day may write. */
class Meter {
  private readonly perSecond: number
  private readonly burst: number
  private readonly bytesPerDay: number
  private tokens: number
  private refilledAt: number | null = null
  private day = ''
  private dayBytes = 0
  private shedCount = 0

  constructor(perSecond: number, burst: number, bytesPerDay: number) {
    this.perSecond = perSecond
    this.burst = burst
    this.bytesPerDay = bytesPerDay
    this.tokens = burst
  }

  admit({ now, monotonicMs }: Moment, isFree: boolean): boolean {
    this.refill(monotonicMs)
    const day = utcDay(now)
    if (day !== this.day) {
      this.day = day
      this.dayBytes = 0
    }
    if ((this.tokens < 1 && !isFree) || this.isDayFull) {
      this.shedCount += 1
      return false
    }
    if (!isFree) this.tokens -= 1
    return true
  }

  recorded(bytes: number): void {
    this.dayBytes += bytes
  }

  takeReport(who: string): string | null {
    const count = this.shedCount
    this.shedCount = 0
    if (count === 0) return null
    return `${count} ${who}${this.isDayFull ? ' (all the record of this day is used)' : ''}`
  }

  private get isDayFull(): boolean {
    return this.dayBytes >= this.bytesPerDay
  }

  private refill(monotonicMs: number): void {
    const elapsed = monotonicMs - (this.refilledAt ?? monotonicMs)
    this.refilledAt = monotonicMs
    this.tokens = Math.min(this.burst, this.tokens + (elapsed * this.perSecond) / 1_000)
  }
}
