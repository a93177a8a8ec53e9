import type { IncomingMessage } from 'node:http'
import type { GatewayOptions } from '../gatewayOptions.ts'
import type { Answer } from './answer.ts'
import type { BodyRoom } from './bodyRoom.ts'
import type { Connections } from './connections.ts'
import type { Door } from './door.ts'
import { noteAnswer } from './noteAnswer.ts'
import type { PendingAnswers } from './pendingAnswers.ts'
import { internalError, sendError } from './reply.ts'
import type { HttpError } from './reply.ts'
import { checkQuery, findHandler, parseTarget } from './router.ts'
import type { Call, Handler, Routes } from './router.ts'
import type { UnreadAnswers } from './unreadAnswers.ts'

interface Deps extends Pick<GatewayOptions, 'metrics' | 'clock' | 'log'> {
  readonly door: Door
  readonly routes: Routes
  readonly unread: UnreadAnswers
  readonly room: BodyRoom
  readonly nextId: () => string
  readonly pending: PendingAnswers
  readonly connections: Connections
}

/** Has each request of the local port handled, counted, and cleared away once its answer is over. */
export function requestListener(deps: Deps): (request: IncomingMessage, response: Answer) => void {
  return (request, response) => {
    if (!deps.pending.takeUp(request.socket, response)) return
    const requestId = deps.nextId()
    const { path, query } = parseTarget(request.url ?? '/')
    response.requestId = requestId
    response.isWorthMaking = () => deps.pending.stillReads(request.socket)
    watchAnswer(deps, request, response, path)
    const room = deps.room.enter(request.socket)
    const call = { request, response, query: new URLSearchParams(query), requestId, room }
    void handle(deps, path, call).finally(() => {
      // Not as soon as the connection goes: a body that has been read may still be in line.
      response.whenOver(() => {
        room.end()
      })
    })
  }
}

/** Looks after an answer until it is over, and then counts it. */
function watchAnswer(deps: Deps, request: IncomingMessage, response: Answer, path: string): void {
  const { metrics, clock, log, routes, unread, connections } = deps
  const startedAt = clock.monotonicMs()
  const unwatch = watchUnread(unread, request, response)
  const ended = connections.began(request.socket, {
    isWorkedOn: () => request.complete && !response.writableEnded,
    isWhole: () => request.complete,
  })
  response.whenOver(() => {
    unwatch()
    ended()
    const { method = '' } = request
    const { requestId, statusCode: status } = response
    const route = routes.has(path) ? path : 'unknown'
    const ms = clock.monotonicMs() - startedAt
    noteAnswer(metrics, log, { method, route, requestId, status, ms })
  })
}

/** Of several requests on one connection each keeps its own answer until it is its turn. */
function watchUnread(
  unread: UnreadAnswers,
  { socket }: IncomingMessage,
  response: Answer,
): () => void {
  const holder = {
    get unreadBytes() {
      return response.writableLength
    },
    drop: () => {
      socket.destroy()
    },
  }
  response.wasWritten = () => {
    unread.wrote(holder)
  }
  return unread.watch(holder)
}

async function handle(
  { door, routes, metrics, log }: Deps,
  path: string,
  call: Call,
): Promise<void> {
  const { response, requestId } = call
  try {
    const found = handlerOf(door, routes, path, call)
    if (typeof found === 'function') return await found(call)
    if (found.status === 403 || found.status === 401) metrics.http.refused(found.code)
    sendError(response, found)
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    log.log('error', 'a request failed', { request: requestId, path, error: text })
    sendError(response, internalError)
  }
}

/** What handles a request, or why nothing does. */
function handlerOf(
  door: Door,
  routes: Routes,
  path: string,
  { request, query }: Call,
): Handler | HttpError {
  const stranger = door.refuse(request)
  if (stranger) return stranger
  const found = findHandler(routes, request.method ?? 'GET', path)
  if ('status' in found) return found
  const unknown = found.route.isOpen === true ? null : door.refuseReader(request)
  return unknown ?? checkQuery(query) ?? found.handler
}
