import type { Json } from '../../core/protocol/action.ts'
import { limits } from '../../core/values/limits.ts'
import type { Clock, ReadFailure, VenueHttp } from '../../engine/ports.ts'
import type { GatewayGuard } from '../gatewayGuard.ts'
import type { HttpMetrics } from '../metrics/guardMetrics.ts'
import { shownInRead } from '../shownToBots.ts'
import { keepFor, keyOf } from './infoPolicy.ts'
import type { InfoRequest } from './infoPolicy.ts'

/** An answer as it goes out; the bytes are shared by all who asked the same. */
type InfoAnswer =
  | { readonly ok: true; readonly status: number; readonly value: Json; readonly bytes: Buffer }
  | { readonly ok: false; readonly error: ReadFailure }

interface Kept {
  readonly answer: InfoAnswer
  readonly until: number
  readonly size: number
}

/** Reads of the venue, shared: kept for a while by type, and asked once when many ask at once. */
export class InfoReader {
  readonly #guard: Pick<GatewayGuard, 'accountRead' | 'names'>
  readonly #venue: Pick<VenueHttp, 'info'>
  readonly #clock: Clock
  readonly #metrics: HttpMetrics
  readonly #account: string
  readonly #kept = new Map<string, Kept>()
  readonly #asked = new Map<string, Promise<InfoAnswer>>()
  #keptBytes = 0
  #writes = 0

  constructor(
    guard: Pick<GatewayGuard, 'accountRead' | 'names'>,
    venue: Pick<VenueHttp, 'info'>,
    clock: Clock,
    metrics: HttpMetrics,
    /** Whose orders Guard gives ids to. */
    account: string,
  ) {
    this.#account = account.toLowerCase()
    this.#guard = guard
    this.#venue = venue
    this.#clock = clock
    this.#metrics = metrics
  }

  /** A bot's request was answered: a read asked before it must not answer one asked after it. */
  wrote(): void {
    this.#writes += 1
  }

  async read(question: InfoRequest): Promise<InfoAnswer> {
    const request = this.#byVenueId(question)
    const own = this.#guard.accountRead(request)
    if (own !== null) {
      this.#metrics.infoRead('account')
      return this.#answerOf(request, 200, own)
    }
    const key = keyOf(request)
    const kept = this.#fresh(key)
    if (kept) {
      this.#metrics.infoRead('cache')
      return kept
    }
    const shared = request['user'] === undefined ? key : `${this.#writes} ${key}`
    const asked = this.#asked.get(shared)
    if (asked) {
      this.#metrics.infoRead('joined')
      return asked
    }
    const answer = this.#ask(request, key)
    this.#asked.set(shared, answer)
    try {
      return await answer
    } finally {
      this.#asked.delete(shared)
    }
  }

  /** An order that a bot calls by its own id is asked for by the one that it has at the venue. */
  #byVenueId(request: InfoRequest): InfoRequest {
    const { type, oid } = request
    if (type !== 'orderStatus' || typeof oid !== 'string' || !this.#isOwn(request)) return request
    const name = oid.toLowerCase()
    const id = this.#guard.names.idOf(name)
    return id === name ? request : { ...request, oid: id }
  }

  #isOwn({ user }: InfoRequest): boolean {
    return typeof user === 'string' && user.toLowerCase() === this.#account
  }

  async #ask(request: InfoRequest, key: string): Promise<InfoAnswer> {
    const result = await this.#venue.info(request, 'read')
    if (!result.ok) {
      this.#metrics.infoRead('failed')
      return result
    }
    this.#metrics.infoRead('venue')
    const { status, body, bytes } = result.value
    const answer = this.#answerOf(request, status, body, bytes)
    const keep = keepFor(request)
    const isShort = key.length <= limits.infoKeyCharsMax
    if (keep > 0 && isShort && answer.status === 200 && answer.value !== null) {
      // Its bytes, its value beside them, and the question.
      this.#keep(key, answer, 4 * answer.bytes.length + 2 * key.length, keep)
    }
    return answer
  }

  /** The venue's own bytes, as bots may see them. */
  #answerOf(
    request: InfoRequest,
    status: number,
    value: Json,
    told?: Buffer,
  ): InfoAnswer & { readonly ok: true } {
    const whole = told ?? Buffer.from(JSON.stringify(value))
    const bytes = this.#isOwn(request) ? shownInRead(request.type, whole, this.#guard.names) : whole
    return { ok: true, status, value, bytes }
  }

  #fresh(key: string): InfoAnswer | null {
    const kept = this.#kept.get(key)
    if (!kept) return null
    if (kept.until > this.#clock.monotonicMs()) return kept.answer
    this.#forget(key, kept)
    return null
  }

  #keep(key: string, answer: InfoAnswer, size: number, ms: number): void {
    const old = this.#kept.get(key)
    if (old) this.#forget(key, old)
    this.#kept.set(key, { answer, size, until: this.#clock.monotonicMs() + ms })
    this.#keptBytes += size
    for (const [oldest, kept] of this.#kept) {
      if (this.#kept.size <= limits.infoKeptMax && this.#keptBytes <= limits.infoKeptBytesMax) break
      this.#forget(oldest, kept)
    }
  }

  #forget(key: string, kept: Kept): void {
    this.#kept.delete(key)
    this.#keptBytes -= kept.size
  }
}
