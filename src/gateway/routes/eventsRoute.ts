import type { GuardEvent } from '../../core/events/guardEvent.ts'
import { limits } from '../../core/values/limits.ts'
import type { EventReader, Log, Timers } from '../../engine/ports.ts'
import { arrayOf, arrayPieces, fewEvents } from '../events/eventBytes.ts'
import type { EventHub } from '../events/eventHub.ts'
import { Frames } from '../events/frames.ts'
import { parseEventsQuery, parseLastEventId } from '../events/eventsQuery.ts'
import type { EventsQuery } from '../events/eventsQuery.ts'
import { SseStream } from '../events/sseStream.ts'
import { Turns, nextTurn } from '../events/turns.ts'
import { badQuery, headOf, sendBytes, sendError, sendPieces } from '../http/reply.ts'
import type { HttpError } from '../http/reply.ts'
import type { Call, Handler } from '../http/router.ts'
import type { HttpMetrics } from '../metrics/guardMetrics.ts'

type Find = () => readonly GuardEvent[] | Promise<readonly GuardEvent[]>

interface Deps {
  readonly reader: EventReader
  readonly hub: EventHub
  readonly timers: Timers
  readonly metrics: HttpMetrics
  readonly log: Log
}

/** `GET /guard/events` in its four forms: array, long poll, journal pages, server-sent events. */
interface EventsRoute {
  readonly handler: Handler
  readonly sseReaders: () => number
  readonly longPolls: () => number
}

export function createEventsRoute(deps: Deps): EventsRoute {
  let sseReaders = 0
  let longPolls = 0
  const frames = new Frames(deps.reader)
  const longFromMemory = new AnswerLine(deps, new Turns())
  // Two lines for the journal: who asks for a few events of it does not wait behind those who ask for a
  // thousand each and take them slowly. Streams that catch up from the journal share the first one's turns.
  const fewFromJournal = new AnswerLine(deps, frames.past)
  const manyFromJournal = new AnswerLine(deps, new Turns())
  const fromMemoryNow = async (call: Call, query: EventsQuery): Promise<void> => {
    const { reader } = deps
    const find = (): readonly GuardEvent[] => fromMemory(reader, query)
    const most = reader.lastSeq - Math.max(query.since, reader.firstSeq - 1)
    if (Math.min(most, query.limit) <= fewEvents) answer(deps, call, find())
    else await longFromMemory.take(call, find)
  }
  const handler: Handler = async (call) => {
    const parsed = parseEventsQuery(call.query)
    if (!parsed.ok) {
      sendError(call.response, badQuery(parsed.error))
      return
    }
    const query = parsed.value
    const isFull = sseReaders + longPolls >= limits.eventFollowersMax
    if (isFull && (wantsStream(call) || query.waitMs > 0)) {
      sendError(call.response, full)
      return
    }
    if (wantsStream(call)) {
      const last = parseLastEventId(header(call.request.headers['last-event-id']))
      if (!last.ok) {
        sendError(call.response, badQuery(last.error))
        return
      }
      sseReaders += 1
      stream(deps, frames, call, { ...query, since: last.value ?? query.since }, () => {
        sseReaders -= 1
      })
      return
    }
    if (query.source === 'journal') {
      const page = (): Promise<readonly GuardEvent[]> =>
        deps.reader.page(query.since, query.limit, query.kinds)
      await (query.limit <= fewEvents ? fewFromJournal : manyFromJournal).take(call, page)
      return
    }
    if (query.waitMs > 0) {
      longPolls += 1
      await untilThereAreSome(deps, call, query)
      longPolls -= 1
    }
    await fromMemoryNow(call, query)
  }
  return { handler, sseReaders: () => sseReaders, longPolls: () => longPolls }
}

/**
 * Finds, makes and writes one answer at a time, because each takes several times its bytes in memory
 * until it is written. A request that waits here for its turn has nothing made for it yet.
 */
class AnswerLine {
  readonly #deps: Deps
  readonly #turns: Turns
  #waiting = 0

  constructor(deps: Deps, turns: Turns) {
    this.#deps = deps
    this.#turns = turns
  }

  async take(call: Call, find: Find): Promise<void> {
    if (this.#waiting >= limits.eventAnswersWaitingMax) {
      sendError(call.response, busy)
      return
    }
    this.#waiting += 1
    const answered = this.#turns.take(async () => {
      if (call.response.isWorthMaking()) await answerPieces(this.#deps, call, await find())
    })
    await answered.finally(() => {
      this.#waiting -= 1
    })
  }
}

const full: HttpError = {
  status: 503,
  code: 'too_many_readers',
  text: `Guard tells events to at most ${limits.eventFollowersMax} readers at once`,
  headers: { 'Retry-After': '10' },
}

const busy: HttpError = {
  ...full,
  text: `${limits.eventAnswersWaitingMax} requests for many events wait already`,
}

const wantsStream = ({ request }: Call): boolean =>
  request.headers.accept?.toLowerCase().includes('text/event-stream') === true

const rangeHeaders = ({ firstSeq, lastSeq }: EventReader): Record<string, string> => ({
  'X-Guard-First-Seq': String(firstSeq),
  'X-Guard-Last-Seq': String(lastSeq),
})

function answer({ reader }: Deps, { response }: Call, events: readonly GuardEvent[]): void {
  sendBytes(response, 200, 'application/json', arrayOf(events), rangeHeaders(reader))
}

/** Of a long one a piece is made and written in each turn of the loop. */
async function answerPieces(deps: Deps, call: Call, events: readonly GuardEvent[]): Promise<void> {
  if (events.length <= fewEvents) {
    answer(deps, call, events)
    return
  }
  const headers = rangeHeaders(deps.reader)
  const pieces: (readonly Buffer[])[] = []
  for (const piece of arrayPieces(events)) {
    pieces.push(piece)
    await nextTurn()
  }
  await sendPieces(call.response, 'application/json', pieces, headers, nextTurn)
}

function fromMemory(
  reader: EventReader,
  { since, kinds, limit }: EventsQuery,
): readonly GuardEvent[] {
  const events = reader.since(since)
  const wanted = kinds === null ? events : events.filter(({ kind }) => kinds.includes(kind))
  return wanted.length > limit ? wanted.slice(0, limit) : wanted
}

/** Until there is something to tell, the time is up, or nobody listens any more. */
async function untilThereAreSome(deps: Deps, call: Call, query: EventsQuery): Promise<void> {
  const isThere = (): boolean => fromMemory(deps.reader, query).length > 0
  if (isThere()) return
  await new Promise<void>((finish) => {
    const unfollow = deps.hub.follow({
      wake: () => {
        if (isThere()) done()
      },
      heartbeat: () => undefined,
      end: done,
    })
    const cancel = deps.timers.after(query.waitMs, done)
    call.response.whenOver(done)
    function done(): void {
      unfollow()
      cancel()
      finish()
    }
  })
}

function stream(
  deps: Deps,
  frames: Frames,
  { response }: Call,
  query: EventsQuery,
  ended: () => void,
): void {
  // The end of the connection is the end of the stream: events go out without being wrapped again.
  response.useChunkedEncodingByDefault = false
  response.writeHead(
    200,
    headOf(response, 'text/event-stream', {
      'X-Accel-Buffering': 'no',
      ...rangeHeaders(deps.reader),
    }),
  )
  response.write('retry: 1000\n\n')
  const { reader, metrics, log } = deps
  const follower = new SseStream(response, reader, frames, query, metrics, log)
  const unfollow = deps.hub.follow(follower)
  follower.wake()
  response.whenOver(() => {
    unfollow()
    ended()
  })
}

const header = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.[0]
