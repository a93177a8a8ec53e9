import { err, ok } from '../core/values/result.ts'
import type { Result } from '../core/values/result.ts'

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Where bots and readers find Guard, unless its owner says otherwise. */
export const usualListen = '127.0.0.1:8547'

const pattern = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9.-]+):(\d{1,5})$/

/** Reads `HOST:PORT`, with an IPv6 host in brackets. */
export function parseListen(text: string): Result<ListenAddress> {
  const match = pattern.exec(text)
  if (match?.[1] === undefined || match[2] === undefined) {
    return err(`must be HOST:PORT, such as ${usualListen}`)
  }
  const port = Number(match[2])
  if (port > 65_535) return err('the port must be from 0 to 65535')
  return ok({ host: match[1].replace(/^\[|\]$/g, ''), port })
}

/** A name of this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(host)
}
