import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Listen } from '../gatewayOptions.ts'
import type { HttpError } from './reply.ts'

/** Decides who may speak at all: no web page, no rebound DNS name, no stranger. */
export interface Door {
  /** Null when the request may come in. */
  refuse(request: Pick<IncomingMessage, 'headers' | 'rawHeaders'>): HttpError | null
  /** Null when it carries the token, or none is needed. */
  refuseReader(request: IncomingMessage): HttpError | null
}

export function createDoor(listen: Listen): Door {
  const hosts = new Set(listen.exposed?.hosts.map((host) => host.toLowerCase()))
  const token = listen.exposed?.token
  const isAllowed = (name: string): boolean => isLoopbackName(name) || hosts.has(name)
  return {
    refuse: ({ headers, rawHeaders }) => {
      const { host, origin } = headers
      // Of two hosts Node shows the first; another reader on the way may have gone by the second.
      const name = isSaidTwice(rawHeaders, 'host') ? null : hostName(host ?? '')
      if (name === null || !isAllowed(name)) return forbiddenHost
      // A page's images, scripts and links come without an origin; browsers say where they are from.
      if (origin === undefined) {
        return foreignSites.has(String(headers['sec-fetch-site'])) ? forbiddenOrigin : null
      }
      const page = originName(origin)
      return page !== null && isAllowed(page) ? null : forbiddenOrigin
    },
    refuseReader: ({ headers }) => {
      if (token === undefined) return null
      return headers.authorization !== undefined && same(headers.authorization, `Bearer ${token}`)
        ? null
        : unauthorized
    },
  }
}

/** `localhost`, 127.0.0.0/8 and ::1, written as a URL would have them. */
function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '[::1]' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name)
}

/** Refuses to listen where others could reach Guard, unless the configuration asks for it. */
export function checkListen({ host, exposed }: Listen): void {
  if (exposed !== null) {
    if (exposed.token.length < 16) {
      throw new RangeError('listening beyond this machine needs a token of at least 16 characters')
    }
    return
  }
  if (!isLoopbackName(host.includes(':') && !host.startsWith('[') ? `[${host}]` : host)) {
    throw new RangeError(
      `"${host}" is not a loopback address: others could reach Guard; ` +
        'use 127.0.0.1, or say in the configuration that other machines may reach Guard',
    )
  }
}

/** Names and values take turns in raw headers. */
function isSaidTwice(rawHeaders: readonly string[], header: string): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() === header) count += 1
  }
  return count > 1
}

function hostName(host: string): string | null {
  const match = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(:\d{1,5})?$/.exec(host)
  return match?.[1]?.toLowerCase() ?? null
}

function originName(origin: string): string | null {
  const match = /^https?:\/\/(.+)$/.exec(origin)
  return match?.[1] === undefined ? null : hostName(match[1])
}

function same(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

const foreignSites: ReadonlySet<string> = new Set(['cross-site', 'same-site'])
const forbiddenHost: HttpError = {
  status: 403,
  code: 'forbidden_host',
  text: 'Host must be a loopback name (127.0.0.1, localhost or [::1])',
}
const forbiddenOrigin: HttpError = {
  status: 403,
  code: 'forbidden_origin',
  text: 'Guard does not answer web pages of other hosts',
}
const unauthorized: HttpError = {
  status: 401,
  code: 'unauthorized',
  text: 'Guard listens beyond this machine: send Authorization: Bearer <token>',
}
