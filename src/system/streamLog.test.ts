import { describe, expect, test } from 'vitest'
import { millis } from '../core/values/millis.ts'
import { createLog } from './streamLog.ts'
import type { LogFormat } from './streamLog.ts'

const clock = { now: () => millis(1_794_700_000_000), monotonicMs: () => 0 }

function linesOf(format: LogFormat, ...logged: [string, Record<string, string>?][]): string[] {
  const lines: string[] = []
  const write = (line: string) => lines.push(line)
  const log = createLog({ format, least: 'info', clock, write, defer: () => undefined })
  log.log('debug', 'below the least level')
  for (const [message, fields] of logged) log.log('info', message, fields)
  log.flush()
  return lines
}

const key = '0x0123456789012345678901234567890123456789012345678901234567890123'

describe.each(['json', 'pretty'] as const)('%s', (format) => {
  test('is one line for each message, whatever is in it', () => {
    const [line = ''] = linesOf(format, ['a\nforged\r\u001b[2J', { from: 'x\ny' }])
    expect(line.slice(0, -1)).not.toMatch(/[\n\r]/)
    expect(line.endsWith('\n')).toBe(true)
  })

  test('shows nothing that could be a key', () => {
    const lines = linesOf(format, [`with ${key}`, { field: key.slice(2) }]).join('')
    expect(lines).not.toContain(key.slice(2))
    expect(lines).toContain('[64 hex digits]')
  })
})

test('JSON lines can be read back', () => {
  const [line = ''] = linesOf('json', ['started', { request: 'r1' }])
  expect(JSON.parse(line)).toEqual({
    at_ms: 1_794_700_000_000,
    level: 'info',
    message: 'started',
    request: 'r1',
  })
})

test('a request does not wait for its lines, a warning does not wait, and the order stays', () => {
  const written: string[] = []
  const deferred: (() => void)[] = []
  const log = createLog({
    format: 'json',
    least: 'info',
    clock,
    write: (lines) => written.push(lines),
    defer: (task) => deferred.push(task),
  })
  const messages = () =>
    written.flatMap((lines) => lines.trim().split('\n')).map((line) => JSON.parse(line).message)
  log.log('info', 'one')
  log.log('info', 'two')
  expect([messages(), deferred.length]).toEqual([[], 1])
  deferred.splice(0).forEach((task) => task())
  expect([messages(), written.length]).toEqual([['one', 'two'], 1])
  log.log('info', 'three')
  log.log('error', 'four')
  expect(messages()).toEqual(['one', 'two', 'three', 'four'])
  deferred.splice(0).forEach((task) => task())
  expect(messages()).toHaveLength(4)
})
