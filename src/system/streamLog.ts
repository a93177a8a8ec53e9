import { styleText } from 'node:util'
import type { Json } from '../core/protocol/action.ts'
import { shownJsonText, shownText } from '../core/values/shownText.ts'
import type { Clock, Log, LogLevel } from '../engine/ports.ts'

export type LogFormat = 'json' | 'pretty'

const ranks = { debug: 0, info: 1, warn: 2, error: 3 } as const satisfies Record<LogLevel, number>

/** Anything with 64 hex digits in a row could be a private key. It is not printed, whatever it is. */
const keyLike = /(0x)?[0-9a-fA-F]{64}/g

/** A text as it may be shown: nothing in it can be a private key. */
export function withoutKeys(text: string): string {
  return text.replace(keyLike, '[64 hex digits]')
}

interface LogOptions {
  readonly format: LogFormat
  readonly least: LogLevel
  readonly clock: Clock
  readonly write: (lines: string) => void
  /** Runs a task after what is under way: a request does not wait for its own log lines. */
  readonly defer: (task: () => void) => void
}

interface StreamLog extends Log {
  /** Writes what still waits. */
  flush(): void
}

/** Log lines for machines, or for a person at a terminal. A warning is written at once. */
export function createLog(options: LogOptions): StreamLog {
  const { format, least, clock, write, defer } = options
  const line = format === 'json' ? json : pretty
  let waiting: [at: number, level: LogLevel, message: string, fields: Fields][] = []
  const flush = (): void => {
    const lines = waiting.map((each) => `${withoutKeys(line(...each))}\n`)
    waiting = []
    if (lines.length > 0) write(lines.join(''))
  }
  return {
    flush,
    log: (level, message, fields = {}) => {
      if (ranks[level] < ranks[least]) return
      waiting.push([clock.now(), level, message, fields])
      if (ranks[level] >= ranks.warn) flush()
      else if (waiting.length === 1) defer(flush)
    },
  }
}

type Fields = { readonly [key: string]: Json }

function json(at: number, level: LogLevel, message: string, fields: Fields): string {
  return shownJsonText(JSON.stringify({ at_ms: at, level, message, ...fields }))
}

const colours = { debug: 'gray', info: 'cyan', warn: 'yellow', error: 'red' } as const

function pretty(at: number, level: LogLevel, message: string, fields: Fields): string {
  const time = new Date(at).toISOString().slice(11, 23)
  const rest = Object.entries(fields)
    .map(([key, value]) => ` ${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('')
  // One event, one line: what came from outside cannot start a line of its own.
  const text = shownText(`${message}${rest}`)
  return `${styleText('gray', time)} ${styleText(colours[level], level.padEnd(5))} ${text}`
}
