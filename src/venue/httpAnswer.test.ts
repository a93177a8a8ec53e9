import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AnswerReader } from './httpAnswer.ts'
import type { Progress } from './httpAnswer.ts'

const bodyBytesMax = 1_000

/** What a reader says of these pieces, the connection closing after the last one if it must. */
function read(pieces: readonly string[], closes = false): Progress {
  const reader = new AnswerReader(bodyBytesMax)
  let progress: Progress = { kind: 'more' }
  for (const piece of pieces) {
    progress = reader.take(Buffer.from(piece, 'latin1'))
    if (progress.kind !== 'more') return progress
  }
  return closes ? reader.end() : progress
}

const lines = (...head: string[]): string => `${head.join('\r\n')}\r\n\r\n`

const wholeAnswers: readonly [
  name: string,
  text: string,
  status: number,
  body: string,
  idleMs: number,
][] = [
  ['a length', `${lines('HTTP/1.1 200 OK', 'Content-Length: 2')}{}`, 200, '{}', 50_000],
  ['no body', lines('HTTP/1.1 204 No Content'), 204, '', 50_000],
  ['a length of nothing', lines('HTTP/1.1 502 Bad', 'content-length:0'), 502, '', 50_000],
  [
    'pieces',
    `${lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}1\r\n{\r\n1;x=y\r\n}\r\n0\r\n\r\n`,
    200,
    '{}',
    50_000,
  ],
  [
    'pieces with something behind them',
    `${lines('HTTP/1.1 200 OK', 'transfer-encoding:  Chunked ')}A\r\n0123456789\r\n0\r\nX: y\r\n\r\n`,
    200,
    '0123456789',
    50_000,
  ],
  [
    'a piece that looks like an end',
    `${lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}7\r\n\r\n0\r\n\r\n\r\n0\r\n\r\n`,
    200,
    '\r\n0\r\n\r\n',
    50_000,
  ],
  [
    'something said before it',
    `${lines('HTTP/1.1 100 Continue')}${lines('HTTP/1.1 103 Hints', 'Link: x')}${lines('HTTP/1.1 429 No', 'Content-Length: 4')}null`,
    429,
    'null',
    50_000,
  ],
  [
    'a promise to wait',
    lines('HTTP/1.1 200 OK', 'Content-Length: 0', 'Keep-Alive: timeout=5, max=100'),
    200,
    '',
    4_000,
  ],
  [
    'no promise worth a request',
    lines('HTTP/1.1 200 OK', 'Content-Length: 0', 'Keep-Alive: timeout=1'),
    200,
    '',
    0,
  ],
  ['a farewell', lines('HTTP/1.1 200 OK', 'Content-Length: 0', 'Connection: Close'), 200, '', 0],
  ['an old protocol', lines('HTTP/1.0 200 OK', 'Content-Length: 0'), 200, '', 0],
  ['a status without words', lines('HTTP/1.1 200', 'Content-Length: 0'), 200, '', 50_000],
]

describe('an answer', () => {
  test.each(wholeAnswers)('with %s is read', (_name, text, status, body, idleMs) => {
    const progress = read([text])
    if (progress.kind !== 'whole') throw new Error(JSON.stringify(progress))
    const { answer } = progress
    expect({ ...answer, body: answer.body.toString('latin1') }).toEqual({ status, body, idleMs })
  })

  test('cut anywhere, and cut everywhere, reads the same', () => {
    for (const [, text] of wholeAnswers) {
      const expected = read([text])
      for (let cut = 1; cut < text.length; cut += 1) {
        expect(read([text.slice(0, cut)])).toEqual({ kind: 'more' })
        expect(read([text.slice(0, cut), text.slice(cut)])).toEqual(expected)
      }
      expect(read([...text])).toEqual(expected)
    }
  })

  test('without a length ends with the connection, which is then of no more use', () => {
    const text = `${lines('HTTP/1.1 200 OK', 'Server: x')}{"status":"ok"}`
    expect(read([text])).toEqual({ kind: 'more' })
    expect(read([text], true)).toEqual({
      kind: 'whole',
      answer: { status: 200, body: Buffer.from('{"status":"ok"}'), idleMs: 0 },
    })
  })

  test('that the connection cuts short is no answer, wherever that is', () => {
    for (const [, text] of wholeAnswers) {
      for (let cut = 0; cut < text.length; cut += 1) {
        expect(read([text.slice(0, cut)], true)).toMatchObject({
          kind: 'bad',
          error: expect.stringContaining('the connection closed'),
        })
      }
    }
  })
})

describe('an answer is refused', () => {
  test.each([
    ['two lengths', lines('HTTP/1.1 200 OK', 'Content-Length: 2', 'Content-Length: 3')],
    [
      'a length and pieces',
      lines('HTTP/1.1 200 OK', 'Content-Length: 2', 'Transfer-Encoding: chunked'),
    ],
    ['a length that is no number', lines('HTTP/1.1 200 OK', 'Content-Length: +2')],
    ['an unknown coding', lines('HTTP/1.1 200 OK', 'Transfer-Encoding: gzip, chunked')],
    [
      'pieces twice',
      lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'),
    ],
    ['a line that is no header', lines('HTTP/1.1 200 OK', ' folded: x')],
    ['another protocol', lines('HTTP/2 200')],
    ['a changed protocol', lines('HTTP/1.1 101 Switching Protocols')],
    ['no protocol', lines('hello')],
    ['more than the answer', `${lines('HTTP/1.1 200 OK', 'Content-Length: 2')}{}{}`],
    [
      'more than its pieces',
      `${lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}0\r\n\r\nHTTP/1.1 200 OK`,
    ],
    ['a long body', lines('HTTP/1.1 200 OK', `Content-Length: ${bodyBytesMax + 1}`)],
    [
      'long pieces',
      `${lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}3e8\r\n${'x'.repeat(1_000)}\r\n1\r\n`,
    ],
    ['a long body without a length', `${lines('HTTP/1.1 200 OK')}${'x'.repeat(1_001)}`],
    ['a long head', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}`],
    ['a piece without a length', `${lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}x\r\n`],
    [
      'a piece whose length does not come',
      `${lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}${'1'.repeat(1_100)}`,
    ],
    [
      'a piece longer than its length',
      `${lines('HTTP/1.1 200 OK', 'Transfer-Encoding: chunked')}1\r\n{}\r\n`,
    ],
  ])('with %s', (_name, text) => {
    expect(read([text])).toMatchObject({ kind: 'bad' })
  })

  test('whatever comes, nothing is thrown', () => {
    const words = fc.constantFrom(
      'HTTP/1.1 200 OK',
      '\r\n',
      'Content-Length: ',
      'chunked',
      '0',
      '5',
    )
    const noise = fc.array(fc.oneof(words, fc.string({ unit: 'binary', maxLength: 8 })))
    fc.assert(
      fc.property(noise, fc.boolean(), (pieces, closes) => {
        expect(['more', 'whole', 'bad']).toContain(read(pieces, closes).kind)
      }),
      { numRuns: 2_000 },
    )
  })
})
