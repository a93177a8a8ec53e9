import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { limits } from '../core/values/limits.ts'
import { LaterWriter } from './laterWriter.ts'
import type { Writes } from './laterWriter.ts'

/** A descriptor whose writes come back when the test says so. */
class Held implements Writes {
  readonly calls: { text: string; done: Parameters<Writes['write']>[2] }[] = []
  readonly atEnd: string[] = []
  write: Writes['write'] = (_, bytes, done) => {
    this.calls.push({ text: Buffer.from(bytes).toString(), done })
  }
  writeSync: Writes['writeSync'] = (_, bytes) => {
    this.atEnd.push(Buffer.from(bytes).toString())
  }
  /** The last write comes back. */
  answer(written?: number, code?: string): void {
    const { text, done } = this.calls.at(-1) ?? { text: '', done: () => undefined }
    const error = code === undefined ? null : Object.assign(new Error(code), { code })
    done(error, written ?? Buffer.byteLength(text))
  }
}

test('a write that hangs holds up nobody, and what came meanwhile follows in order', () => {
  const held = new Held()
  const writer = new LaterWriter(2, held)
  for (const text of ['one\n', 'two\n', 'three\n']) writer.write(text)
  expect(held.calls.map(({ text }) => text)).toEqual(['one\n'])
  held.answer()
  expect(held.calls.at(-1)?.text).toBe('two\nthree\n')
  held.answer(5)
  expect(held.calls.at(-1)?.text).toBe('hree\n')
  held.answer()
  expect(held.calls).toHaveLength(3)
})

test('what waits is bounded, and what was dropped is counted', () => {
  const held = new Held()
  const writer = new LaterWriter(2, held)
  writer.write('first\n')
  const line = `${'x'.repeat(limits.logWaitingBytesMax / 2 - 1)}\n`
  for (let count = 0; count < 4; count += 1) writer.write(line)
  held.answer()
  expect(held.calls.at(-1)?.text).toBe(
    `${line}${line}2 lines of this log are missing: it could not be written\n`,
  )
})

test.each(['EPIPE', 'ENOSPC', 'EIO'])('after %s the next lines are tried', (code) => {
  const held = new Held()
  const writer = new LaterWriter(2, held)
  writer.write('one\n')
  writer.write('two\n')
  held.answer(0, code)
  expect(held.calls.at(-1)?.text).toBe('two\n')
})

test.each([
  [499, ['two\n']],
  [501, []],
])('at the end what waits is written, unless a write hangs (%s ms)', (ageMs, atEnd) => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const held = new Held()
  const writer = new LaterWriter(2, held)
  writer.write('one\n')
  writer.write('two\n')
  vi.advanceTimersByTime(ageMs)
  writer.flush()
  vi.useRealTimers()
  expect(held.atEnd).toEqual(atEnd)
})

test('a real file has every line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'guard-log-'))
  const path = join(folder, 'log')
  const fd = openSync(path, 'w')
  const writer = new LaterWriter(fd)
  const lines = Array.from({ length: 500 }, (_, at) => `line ${at}\n`)
  for (const line of lines) writer.write(line)
  while (readFileSync(path, 'utf8').length < lines.join('').length) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(readFileSync(path, 'utf8')).toBe(lines.join(''))
  closeSync(fd)
  rmSync(folder, { recursive: true })
})
