import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { PingSocket } from './pingSocket.ts'

test('two who wait for their pings on one socket both hear of them, or of its end', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  const held: (() => void)[] = []
  server.on('connection', (socket) => {
    socket.on('message', () => held.push(() => socket.send('pong')))
  })
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const socket = await PingSocket.open(`http://127.0.0.1:${port}`)
  const heard: string[] = []
  const ask = async (name: string): Promise<void> => {
    await socket.sendAndHear(2)
    heard.push(name)
  }
  const both = [ask('first'), ask('second')]
  while (held.length < 4) await new Promise((resolve) => setImmediate(resolve))
  for (const answer of held.splice(0, 2)) answer()
  await both[0]
  expect(heard).toEqual(['first'])
  for (const answer of held.splice(0)) answer()
  await both[1]
  const last = ask('last')
  for (const client of server.clients) client.terminate()
  await last
  expect(heard).toEqual(['first', 'second', 'last'])
  server.close()
})
