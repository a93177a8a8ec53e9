import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { HttpLine } from './httpLine.ts'

let server: Server
let sockets: Socket[]

/** Answers with how many connections there were; `answers` says whether it answers at all. */
async function listening(answers: (path: string) => boolean = () => true): Promise<string> {
  sockets = []
  server = createServer((request, response) => {
    if (!answers(request.url ?? '')) request.socket.destroy()
    else response.end(String(sockets.length))
  })
  server.on('connection', (socket) => sockets.push(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})

test('a connection is kept from one request to the next', async () => {
  const line = await HttpLine.open(await listening())
  expect(await line.post('/exchange', '{}')).toBe('1')
  expect(await line.get('/info')).toBe('1')
  line.close()
})

test('one that the server has ended while it was idle is made anew', async () => {
  const line = await HttpLine.open(await listening())
  expect(await line.post('/exchange', '{}')).toBe('1')
  const [first] = sockets
  const closed = new Promise((resolve) => first?.once('close', resolve))
  first?.end()
  await closed
  expect(await line.post('/exchange', '{}')).toBe('2')
  line.close()
})

test('one that ends instead of an answer fails that request, and no other', async () => {
  const line = await HttpLine.open(await listening((path) => path !== '/gone'))
  await expect(line.get('/gone')).rejects.toThrow(/closed|ECONNRESET/)
  expect(await line.get('/info')).toBe('2')
  line.close()
})

test('a server that is not there is an error of the opening', async () => {
  const url = await listening()
  await new Promise((resolve) => server.close(resolve))
  await expect(HttpLine.open(url)).rejects.toThrow('ECONNREFUSED')
})
