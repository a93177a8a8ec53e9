import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { HostileLine } from './hostileLine.ts'

test('what is asked in one piece is answered in order, up to where the other side ends it', async () => {
  const server = createServer((request, response) => {
    if (request.url === '/end') response.setHeader('Connection', 'close')
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      response.writeHead(body === 'shed' ? 429 : 200, { 'Content-Length': body.length }).end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const line = await HostileLine.open(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const long = 'x'.repeat(100_000)
  const posts = ['a', 'shed', long].map((body) => ({ path: '/', body }))
  expect(await line.postAll(posts)).toEqual([
    { status: 200, body: 'a' },
    { status: 429, body: 'shed' },
    { status: 200, body: long },
  ])
  const ending = ['/', '/end', '/'].map((path) => ({ path, body: path }))
  expect((await line.postAll(ending)).map(({ body }) => body)).toEqual(['/', '/end'])
  expect(line.isOpen).toBe(false)
  expect(await line.postAll(posts)).toEqual([])
  server.close()
})
