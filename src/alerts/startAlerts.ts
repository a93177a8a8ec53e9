import type { EventKind, GuardEvent } from '../core/events/guardEvent.ts'
import { utcDay } from '../core/values/millis.ts'
import type { Clock, EventReader, JournalHead, Log, Timers } from '../engine/ports.ts'
import type { StatusView } from '../engine/statusView.ts'
import type { AlertsConfig } from './alertsConfig.ts'
import type { AlertsObserver } from './alertsObserver.ts'
import type { Channel } from './channel.ts'
import { composeMessage } from './composeMessage.ts'
import { conditionsOf } from './condition.ts'
import type { AgentEnd } from './condition.ts'
import { cursorPath, loadCursor, saveCursor } from './cursorFile.ts'
import type { Cursor } from './cursorFile.ts'
import { Delivery } from './delivery.ts'
import { startHeartbeat } from './heartbeat.ts'
import { LastingAlerts } from './lastingAlerts.ts'
import { meaningOf } from './notice.ts'
import type { Heartbeat } from './openHeartbeat.ts'
import type { Send } from './send.ts'
import { isLoud, WaitingLines } from './waitingLines.ts'

export interface AlertsDeps {
  readonly config: AlertsConfig
  readonly channels: readonly Channel[]
  readonly heartbeat: Heartbeat | null
  readonly reader: EventReader
  readonly status: () => StatusView
  /** When the API wallet ends; null where there is none, or it has no end. */
  readonly agentEnd: () => Promise<AgentEnd>
  /** The last record on disk. */
  readonly head: () => JournalHead
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  readonly stateDir: string
  readonly send: Send
  readonly observer: AlertsObserver
}

export interface RunningAlerts {
  /** Resolves once nothing is being read, told or written. */
  settled(): Promise<void>
  /** Tells what is still to be told, as far as the channels take it, and stops. */
  stop(): Promise<void>
}

const tickMs = 1_000
const pageSize = 1_000
const stopMsMax = 5_000
const agentEveryMs = 6 * 3_600_000
const agentFirstMs = 30_000
/** What is not critical and older than this is no news after a restart. */
const newsMsMax = 3_600_000

/** Follows the events and the status, and tells a person what matters. */
export async function startAlerts(deps: AlertsDeps): Promise<RunningAlerts> {
  const { timers, reader, log } = deps
  // Taken before anything is awaited: what this run says from now on is told.
  const lastSeq = reader.lastSeq
  const loaded = await loadCursor(cursorPath(deps.stateDir))
  if (loaded === 'damaged') log.log('warn', 'alerts.json cannot be used; a message may come twice')
  const cursor = loaded === 'damaged' ? fresh(Math.max(0, reader.firstSeq - 1)) : loaded
  const alerts = new Alerts(deps, cursor ?? fresh(lastSeq))
  const cancels = [
    timers.every(tickMs, () => {
      void alerts.pump()
    }),
    timers.after(agentFirstMs, () => {
      void alerts.readAgent()
    }),
    timers.every(agentEveryMs, () => {
      void alerts.readAgent()
    }),
    startHeartbeat(deps, () => alerts.urgentSince()),
  ]
  return {
    settled: () => alerts.settled(),
    stop: async () => {
      for (const cancel of cancels) cancel()
      await within(timers, stopMsMax, alerts.finish())
    },
  }
}

/** A silent channel must not hold up the end of the process; what is untold is on disk. */
function within(timers: Timers, ms: number, work: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const cancel = timers.after(ms, resolve)
    void work.finally(() => {
      cancel()
      resolve()
    })
  })
}

function fresh(seq: number): Cursor {
  return { seq, lasting: [], waiting: [], sentAt: [] }
}

class Alerts {
  readonly #deps: AlertsDeps
  readonly #lasting: LastingAlerts
  readonly #waiting: WaitingLines
  readonly #delivery: Delivery
  readonly #kinds: readonly EventKind[]
  #seq: number
  #agentEnd: AgentEnd = null
  #running: Promise<void> | null = null
  #saved = ''
  #isDiskTold = false
  #isReaderTold = false
  /** The day the journal's head was told last; of the day of the start it is not. */
  #headDay: string

  constructor(deps: AlertsDeps, cursor: Cursor) {
    this.#deps = deps
    this.#seq = Math.min(cursor.seq, deps.reader.lastSeq)
    this.#lasting = new LastingAlerts(deps.config.severity, cursor.lasting)
    this.#waiting = new WaitingLines(deps.config, cursor.waiting, cursor.sentAt)
    this.#delivery = new Delivery({ ...deps, timeoutMs: deps.config.timeoutMs })
    this.#kinds = kindsWanted(deps.config)
    this.#headDay = utcDay(deps.clock.now())
  }

  urgentSince(): number | null {
    return this.#waiting.urgentSince()
  }

  /** Reads, decides, tells, remembers; one at a time. */
  pump(isLast = false): Promise<void> {
    this.#running ??= this.#work(isLast)
      .catch((error: unknown) => {
        const text = error instanceof Error ? error.message : String(error)
        this.#deps.log.log('error', 'alerts failed', { error: text })
      })
      .finally(() => {
        this.#running = null
      })
    return this.#running
  }

  async settled(): Promise<void> {
    while (this.#running !== null) await this.#running
  }

  async finish(): Promise<void> {
    await this.settled()
    await this.pump(true)
  }

  async readAgent(): Promise<void> {
    try {
      this.#agentEnd = await this.#deps.agentEnd()
    } catch {
      // The last known end stands; the next read will tell.
    }
  }

  async #work(isLast: boolean): Promise<void> {
    try {
      await this.#tell(isLast)
    } finally {
      this.#deps.observer.untold(this.#waiting.lines().filter(isLoud).length)
    }
  }

  async #tell(isLast: boolean): Promise<void> {
    await this.#tryToReadEvents()
    this.#readStatus()
    this.#tellHead()
    await this.#save()
    const now = this.#deps.clock.now()
    const lines = this.#waiting.due(now, isLast)
    if (lines === null) return
    const message = composeMessage(lines, this.#deps.status(), now)
    if (!(await this.#delivery.deliver(message))) return
    this.#waiting.told(lines, this.#deps.clock.now())
    await this.#save()
  }

  /** A journal that cannot be read is no reason to keep quiet about what the status says. */
  async #tryToReadEvents(): Promise<void> {
    try {
      await this.#readEvents()
      this.#isReaderTold = false
    } catch (error) {
      if (this.#isReaderTold) return
      this.#isReaderTold = true
      const text = error instanceof Error ? error.message : String(error)
      this.#deps.log.log('warn', 'the journal could not be read for alerts', { error: text })
    }
  }

  async #readEvents(): Promise<void> {
    const { reader } = this.#deps
    while (this.#seq < reader.lastSeq) {
      if (this.#seq + 1 >= reader.firstSeq) {
        const events = reader.since(this.#seq)
        if (events.length === 0) return
        for (const event of events) this.#hear(event)
        continue
      }
      const memoryStart = reader.firstSeq
      const page = await reader.page(this.#seq, pageSize, this.#kinds)
      for (const event of page) this.#hear(event)
      if (page.length < pageSize) this.#seq = Math.max(this.#seq, memoryStart - 1)
    }
  }

  #hear(event: GuardEvent): void {
    this.#seq = event.seq
    const meaning = meaningOf(event)
    if (meaning === null) return
    const now = this.#deps.clock.now()
    if ('happened' in meaning) {
      const isCritical = this.#deps.config.severity[meaning.happened.kind] === 'critical'
      if (isCritical || now - event.at_ms <= newsMsMax) this.#waiting.add(meaning.happened)
      return
    }
    // Told before the status is looked at: it may be over again, and is news all the same.
    this.#lasting.raise(meaning.began)
    for (const notice of this.#lasting.take(now)) this.#waiting.add(notice)
  }

  #readStatus(): void {
    const status = this.#deps.status()
    const now = this.#deps.clock.now()
    const conditions = conditionsOf(status, this.#agentEnd, (key) => this.#lasting.kindOf(key))
    for (const condition of conditions) this.#lasting.raise(condition)
    const present = new Set(conditions.map(({ key }) => key))
    this.#lasting.missing(present, now, status.risk.equity !== null)
    for (const notice of this.#lasting.take(now)) this.#waiting.add(notice)
  }

  /** Once a day: a journal that is written anew later does not hold this record any more. */
  #tellHead(): void {
    const at = this.#deps.clock.now()
    const day = utcDay(at)
    if (day <= this.#headDay) return
    this.#headDay = day
    const { seq, hash } = this.#deps.head()
    const text = `event ${seq}, hash ${hash}`
    this.#waiting.add({ key: `head:${day}`, kind: 'journal_head', phase: 'happened', text, at })
  }

  /** A disk that refuses does not keep anyone from being told. */
  async #save(): Promise<void> {
    const cursor: Cursor = {
      seq: this.#seq,
      lasting: this.#lasting.list(),
      waiting: this.#waiting.lines(),
      sentAt: this.#waiting.sentAt(),
    }
    const text = JSON.stringify(cursor)
    if (text === this.#saved) return
    try {
      await saveCursor(cursorPath(this.#deps.stateDir), cursor)
      this.#saved = text
      this.#isDiskTold = false
    } catch (error) {
      if (this.#isDiskTold) return
      this.#isDiskTold = true
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
      this.#deps.log.log('warn', 'alerts.json cannot be written; a restart may repeat', { code })
    }
  }
}

/** Events that nobody is told about are not read from disk. */
function kindsWanted({ severity }: AlertsConfig): readonly EventKind[] {
  const always: EventKind[] = [
    'started',
    'risk',
    'flatten',
    'protect',
    'kill',
    'error',
    'stopped',
    'recovered',
    'reviewed',
  ]
  return [
    ...always,
    ...(severity.veto === 'off' ? [] : (['decision'] as const)),
    ...(severity.undelivered === 'off' ? [] : (['sent'] as const)),
  ]
}
