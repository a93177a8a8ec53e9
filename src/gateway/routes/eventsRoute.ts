import type { GuardEvent } from '../../core/events/guardEvent.ts'
import type { EventReader, Log, Timers } from '../../engine/ports.ts'
import { arrayOf } from '../events/eventBytes.ts'
import type { EventHub } from '../events/eventHub.ts'
import { parseEventsQuery, parseLastEventId } from '../events/eventsQuery.ts'
import type { EventsQuery } from '../events/eventsQuery.ts'
import { SseStream } from '../events/sseStream.ts'
import { badQuery, sendBytes, sendError } from '../http/reply.ts'
import type { Call, Handler } from '../http/router.ts'
import type { HttpMetrics } from '../metrics/guardMetrics.ts'

interface Deps {
  readonly reader: EventReader
  readonly hub: EventHub
  readonly timers: Timers
  readonly metrics: HttpMetrics
  readonly log: Log
}

/** `GET /guard/events` in its four forms: array, long poll, journal pages, server-sent events. */
export interface EventsRoute {
  readonly handler: Handler
  readonly sseReaders: () => number
  readonly longPolls: () => number
}

export function createEventsRoute(deps: Deps): EventsRoute {
  let sseReaders = 0
  let longPolls = 0
  const handler: Handler = async (call) => {
    const parsed = parseEventsQuery(call.query)
    if (!parsed.ok) {
      sendError(call.response, badQuery(parsed.error))
      return
    }
    if (wantsStream(call)) {
      sseReaders += 1
      await stream(deps, call, parsed.value)
      sseReaders -= 1
      return
    }
    if (parsed.value.source === 'memory' && parsed.value.waitMs > 0) {
      longPolls += 1
      await untilThereAreSome(deps, call, parsed.value)
      longPolls -= 1
    }
    const events = await select(deps.reader, parsed.value)
    sendBytes(call.response, 200, 'application/json', arrayOf(events), rangeHeaders(deps.reader))
  }
  return { handler, sseReaders: () => sseReaders, longPolls: () => longPolls }
}

const wantsStream = ({ request }: Call): boolean =>
  request.headers.accept?.includes('text/event-stream') === true

const rangeHeaders = ({ firstSeq, lastSeq }: EventReader): Record<string, string> => ({
  'X-Guard-First-Seq': String(firstSeq),
  'X-Guard-Last-Seq': String(lastSeq),
})

async function select(reader: EventReader, query: EventsQuery): Promise<readonly GuardEvent[]> {
  const { since, limit, kinds, source } = query
  if (source === 'journal') return reader.page(since, limit, kinds)
  return fromMemory(reader, query).slice(0, limit)
}

function fromMemory(reader: EventReader, { since, kinds }: EventsQuery): readonly GuardEvent[] {
  const events = reader.since(since)
  return kinds === null ? events : events.filter(({ kind }) => kinds.includes(kind))
}

/** Resolves when there is something to tell, when the time is up, or when nobody listens any more. */
function untilThereAreSome(deps: Deps, call: Call, query: EventsQuery): Promise<void> {
  return new Promise((resolve) => {
    if (fromMemory(deps.reader, query).length > 0) {
      resolve()
      return
    }
    const done = (): void => {
      unfollow()
      cancel()
      resolve()
    }
    const unfollow = deps.hub.follow({
      wake: () => {
        if (fromMemory(deps.reader, query).length > 0) done()
      },
      heartbeat: () => undefined,
      end: done,
    })
    const cancel = deps.timers.after(query.waitMs, done)
    call.response.on('close', done)
  })
}

/** Resolves when the stream has ended. */
function stream(deps: Deps, call: Call, query: EventsQuery): Promise<void> {
  const { response, request } = call
  const since = parseLastEventId(header(request.headers['last-event-id'])) ?? query.since
  response.writeHead(200, {
    'Content-Type': 'text/event-stream',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    'X-Accel-Buffering': 'no',
    ...rangeHeaders(deps.reader),
  })
  response.write('retry: 1000\n\n')
  const reader = new SseStream(response, deps.reader, { ...query, since }, deps.metrics, deps.log)
  const unfollow = deps.hub.follow(reader)
  reader.wake()
  return new Promise((resolve) => {
    response.on('close', () => {
      unfollow()
      resolve()
    })
  })
}

const header = (value: string | readonly string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : value?.[0]
