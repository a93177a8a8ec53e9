import { describe, expect, test, vi } from 'vitest'
import { AnswerReader } from './httpAnswer.ts'

const bytesMax = 4 * 1024 * 1024
const body = Buffer.alloc(2 * 1024 * 1024, 'x')
const lines = (...head: string[]): string => `${head.join('\r\n')}\r\n\r\n`
const chunk = (piece: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])

const whole = [Buffer.from(lines('HTTP/1.1 200 OK', `Content-Length: ${body.length}`)), body]
const untilClose = [Buffer.from(lines('HTTP/1.1 200 OK')), body]
const chunkedHead = Buffer.from(lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked'))
const end = Buffer.from('0\r\n\r\n')
const oneChunk = [chunkedHead, chunk(body), end]
const manyChunks = [
  chunkedHead,
  ...Array.from({ length: 2_048 }, (_, at) => chunk(body.subarray(at * 1_024, (at + 1) * 1_024))),
  end,
]

/** How many bytes were copied from one buffer into another while `run` ran. */
function copiedBy(run: () => void): number {
  let copied = 0
  const { copy } = Buffer.prototype
  const { concat } = Buffer
  const copies = vi.spyOn(Buffer.prototype, 'copy').mockImplementation(function (
    this: Buffer,
    ...args: Parameters<typeof copy>
  ) {
    const count = copy.apply(this, args)
    copied += count
    return count
  })
  const concats = vi.spyOn(Buffer, 'concat').mockImplementation((list, length) => {
    const joined = concat(list, length)
    copied += joined.length
    return joined
  })
  try {
    run()
  } finally {
    copies.mockRestore()
    concats.mockRestore()
  }
  return copied
}

describe('an answer costs what it weighs, however it is cut', () => {
  test.each([
    ['with a length', whole, false],
    ['until the connection closes', untilClose, true],
    ['in one long piece', oneChunk, false],
    ['in many pieces', manyChunks, false],
  ])('%s', (_, parts, closes) => {
    const text = Buffer.concat(parts)
    for (const step of [512, 65_536, text.length]) {
      const reader = new AnswerReader(bytesMax)
      const copied = copiedBy(() => {
        let progress = reader.take(text.subarray(0, step))
        for (let at = step; at < text.length; at += step) {
          progress = reader.take(text.subarray(at, at + step))
        }
        if (closes) progress = reader.end()
        expect(progress).toMatchObject({ kind: 'whole' })
        if (progress.kind === 'whole') expect(progress.answer.body.equals(body)).toBe(true)
      })
      expect(copied).toBeLessThanOrEqual(3 * text.length)
    }
  })

  test('one that comes as one is not copied at all', () => {
    const reader = new AnswerReader(bytesMax)
    const text = Buffer.concat(whole)
    expect(copiedBy(() => void reader.take(text))).toBe(0)
  })
})

test('a head that trickles in is not read over and over', () => {
  const text = Buffer.from(
    lines('HTTP/1.1 200 OK', `X: ${'y'.repeat(30_000)}`, 'Content-Length: 0'),
  )
  const reader = new AnswerReader(bytesMax)
  const copied = copiedBy(() => {
    for (const byte of text) reader.take(Buffer.from([byte]))
  })
  expect(copied).toBeLessThanOrEqual(3 * text.length)
})

test('what comes behind the pieces is bounded', () => {
  const reader = new AnswerReader(bytesMax)
  expect(reader.take(Buffer.from(`${chunkedHead.toString()}0\r\n`))).toEqual({ kind: 'more' })
  let progress = reader.take(Buffer.from('X: y\r\n'))
  for (let n = 0; n < 100_000 && progress.kind === 'more'; n += 1) {
    progress = reader.take(Buffer.from('X: y\r\n'))
  }
  expect(progress).toMatchObject({ kind: 'bad' })
})
