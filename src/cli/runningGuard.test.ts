import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { runningGuard } from './runningGuard.ts'

test('a connection that is ended says that Guard runs; one that is refused that it does not', async () => {
  const server = createServer((socket) => {
    socket.resetAndDestroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  const cutOff = runningGuard(url, null).get('/guard/status')
  await expect(cutOff).rejects.toThrow(`Guard runs at ${url} and has too many connections`)
  await expect(cutOff).rejects.toMatchObject({ exitCode: 3 })
  await new Promise((resolve) => server.close(resolve))
  await expect(runningGuard(url, null).get('/guard/status')).rejects.toThrow('no Guard answers')
})
