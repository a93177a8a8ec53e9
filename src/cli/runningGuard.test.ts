import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
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

/** A Guard beside this thread: it answers once the time of whoever asks is up, and tells how far it is. */
const slowGuard = `
const { workerData: at, parentPort } = require('node:worker_threads')
const server = require('node:http').createServer((request, response) => {
  parentPort.postMessage('asked')
  setTimeout(() => {
    response.end('[1]')
    response.on('close', () => {
      Atomics.store(at, 0, 1)
      Atomics.notify(at, 0)
    })
  }, 100)
})
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
`

test('an answer that came while this process was stopped is read, though its time is up', async () => {
  const answered = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(slowGuard, { eval: true, workerData: answered })
  const [port] = (await once(worker, 'message')) as [number]
  const asked = once(worker, 'message')
  const answer = runningGuard(`http://127.0.0.1:${String(port)}`, null, 50).get('/guard/events')
  await asked
  // Timers come first after this: the process goes on as after SIGCONT.
  setImmediate(() => Atomics.wait(answered, 0, 0))
  expect(await answer).toEqual([1])
  await worker.terminate()
})

test('no answer is waited for in vain: the time it may take is told', async () => {
  const sockets: Socket[] = []
  const server = createServer((socket) => sockets.push(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`
  const silent = runningGuard(url, null, 50).get('/guard/status')
  await expect(silent).rejects.toThrow('no answer within 1050 ms')
  for (const socket of sockets) socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})

test('a connection that Guard has ended since its last answer is not used again', async () => {
  const server = createServer((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]')
      socket.on('data', () => {
        socket.resetAndDestroy()
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const guard = runningGuard(
    `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    null,
  )
  expect(await guard.get('/guard/events')).toEqual([])
  expect(await guard.get('/guard/events')).toEqual([])
  server.close()
})
