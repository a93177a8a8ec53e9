import { describe, expect, test } from 'vitest'
import { readOrderHead } from './orderHead.ts'

const request = (first: string, ...headers: string[]): Buffer =>
  Buffer.from([first, ...headers, '', ''].join('\r\n'), 'latin1')

const post = 'POST /exchange HTTP/1.1'
const usual = ['Host: 127.0.0.1:8547', 'Content-Length: 12']

describe('a plain order', () => {
  test.each([
    ['the least there can be', usual],
    ['names in any case', ['hOST: 127.0.0.1:8547', 'content-LENGTH: 12']],
    ['no space after the colon', ['Host:127.0.0.1:8547', 'Content-Length:12']],
    ['what clients add', [...usual, 'Accept: */*', 'User-Agent: python-requests/2.32', 'DNT: ']],
    ['a connection that is kept', [...usual, 'Connection: keep-alive']],
    ['the same, shouted', [...usual, 'Connection: Keep-Alive']],
  ])('is read with %s', (_name, headers) => {
    const bytes = request(post, ...headers)
    expect(readOrderHead(bytes)).toEqual({
      host: '127.0.0.1:8547',
      origin: undefined,
      bodyStart: bytes.length,
      bodyBytes: 12,
    })
  })

  test('says where it comes from', () => {
    const head = readOrderHead(request(post, ...usual, 'Origin: http://evil.example'))
    expect(head?.origin).toBe('http://evil.example')
  })
})

describe('everything else is the server’s', () => {
  test.each([
    ['another method', request('GET /exchange HTTP/1.1', ...usual)],
    ['another path', request('POST /exchange/ HTTP/1.1', ...usual)],
    ['a query', request('POST /exchange?x=1 HTTP/1.1', ...usual)],
    ['a whole address', request('POST http://x/exchange HTTP/1.1', ...usual)],
    ['an old protocol', request('POST /exchange HTTP/1.0', ...usual)],
    ['two spaces', request('POST  /exchange HTTP/1.1', ...usual)],
    ['no host', request(post, 'Content-Length: 12')],
    ['two hosts', request(post, ...usual, 'Host: localhost')],
    ['no length', request(post, 'Host: localhost')],
    ['two lengths', request(post, ...usual, 'content-length: 12')],
    ['a length with a sign', request(post, 'Host: localhost', 'Content-Length: +12')],
    ['lengths in a list', request(post, 'Host: localhost', 'Content-Length: 12, 12')],
    ['a hexadecimal length', request(post, 'Host: localhost', 'Content-Length: 0xc')],
    ['a huge length', request(post, 'Host: localhost', 'Content-Length: 12345678')],
    ['a length and pieces', request(post, ...usual, 'Transfer-Encoding: chunked')],
    ['pieces, misspelt', request(post, ...usual, 'Transfer-Encoding : chunked')],
    ['pieces with a tab', request(post, ...usual, 'Transfer-Encoding:\tchunked')],
    ['an upgrade', request(post, ...usual, 'Upgrade: websocket')],
    ['an expectation', request(post, ...usual, 'Expect: 100-continue')],
    ['a farewell', request(post, ...usual, 'Connection: close')],
    [
      'a header that hides others',
      request(post, ...usual, 'Connection: keep-alive, Content-Length'),
    ],
    ['a packed body', request(post, ...usual, 'Content-Encoding: gzip')],
    ['a folded line', request(post, ...usual, 'X: a', ' b')],
    ['a bare line feed', request(post, ...usual, 'X: a\nY: b')],
    ['a bare return', request(post, ...usual, 'X: a\rY: b')],
    ['a zero byte', request(post, ...usual, 'X: a\0b')],
    ['letters beyond ASCII', request(post, ...usual, 'X: é')],
    ['a line without a colon', request(post, ...usual, 'X')],
    ['a name that is no token', request(post, ...usual, 'X Y: z')],
    ['a long head', request(post, ...usual, `X: ${'x'.repeat(9_000)}`)],
    ['line feeds alone', Buffer.from(`${post}\nHost: localhost\nContent-Length: 1\n\n{`)],
    [
      'a head that is not whole',
      Buffer.from(`${post}\r\nHost: localhost\r\nContent-Length: 1\r\n`),
    ],
    ['nothing', Buffer.alloc(0)],
  ])('with %s', (_name, bytes) => {
    expect(readOrderHead(bytes)).toBeNull()
  })
})
