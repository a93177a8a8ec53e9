import type { IncomingMessage } from 'node:http'
import type { Answer } from './answer.ts'
import type { RequestRoom } from './bodyRoom.ts'
import { badQuery } from './reply.ts'
import type { HttpError } from './reply.ts'

/** One HTTP request on its way through the gateway. */
export interface Call {
  readonly request: IncomingMessage
  readonly response: Answer
  readonly query: URLSearchParams
  readonly requestId: string
  /** How many bytes of the shared memory for bodies this request's body may take. */
  readonly room: RequestRoom
}

export type Handler = (call: Call) => void | Promise<void>

export interface Route {
  readonly GET?: Handler
  readonly POST?: Handler
  /** Without a token even where Guard listens beyond this machine: the body is signed, or public. */
  readonly isOpen?: boolean
}

export type Routes = ReadonlyMap<string, Route>

interface Target {
  readonly path: string
  readonly query: string
}

/** Splits a request target; doubled slashes are one, as bots with a trailing slash send them. */
export function parseTarget(target: string): Target {
  const mark = target.indexOf('?')
  const path = mark < 0 ? target : target.slice(0, mark)
  return {
    path: path.replace(/\/{2,}/g, '/'),
    query: mark < 0 ? '' : target.slice(mark + 1),
  }
}

/** The handler for a method and path, or the error that says what would have worked. */
export function findHandler(
  routes: Routes,
  method: string,
  path: string,
): { readonly route: Route; readonly handler: Handler } | HttpError {
  const route = routes.get(path)
  if (!route) {
    return { status: 404, code: 'not_found', text: `there is nothing at ${printable(path)}` }
  }
  const handler = method === 'GET' ? route.GET : method === 'POST' ? route.POST : undefined
  if (handler) return { route, handler }
  const allow = (['GET', 'POST'] as const).filter((name) => route[name] !== undefined).join(', ')
  return {
    status: 405,
    code: 'method_not_allowed',
    text: `${path} takes ${allow}`,
    headers: { Allow: allow },
  }
}

/** Every parameter at most once: a reader who says a thing twice means something Guard cannot know. */
export function checkQuery(query: URLSearchParams): HttpError | null {
  if (query.size < 2) return null
  const names = [...query.keys()]
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined ? null : badQuery(`${printable(twice)} is given twice`)
}

const printable = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 100)
