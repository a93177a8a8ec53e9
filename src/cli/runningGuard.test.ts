import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { runningGuard } from './runningGuard.ts'

test('a connection that is ended is told as no more than that; of one that is refused no Guard answers', async () => {
  const server = createServer((socket) => {
    socket.resetAndDestroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  const cutOff = runningGuard(url, null).get('/guard/status')
  await expect(cutOff).rejects.toThrow(
    `the connection to ${url} was ended before the whole answer came (`,
  )
  await expect(cutOff).rejects.toMatchObject({ exitCode: 3 })
  await new Promise((resolve) => server.close(resolve))
  await expect(runningGuard(url, null).get('/guard/status')).rejects.toThrow('no Guard answers')
})
