import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { systemTimers } from '../system/systemTimers.ts'
import { isPostgresThere, startPostgres } from './postgres.fixture.ts'
import type { TestServer } from './postgres.fixture.ts'
import { openSession, StoreError } from './storeSession.ts'
import type { StoreSession } from './storeSession.ts'
import { parseStoreUrl } from './storeUrl.ts'
import type { StoreAddress } from './storeUrl.ts'

const timers = systemTimers

function addressOf(url: string): StoreAddress {
  const read = parseStoreUrl(url)
  if (!read.ok) throw new Error(read.error)
  return read.value
}

describe('without a server', () => {
  test('a port where nobody listens is told as unreachable', async () => {
    const opening = openSession(addressOf('postgres://me@127.0.0.1:1/x'), { timers })
    await expect(opening).rejects.toMatchObject({ kind: 'unreachable', code: null })
    await expect(opening).rejects.toBeInstanceOf(StoreError)
  })

  test.each([
    ['says nothing', () => undefined],
    ['hangs up', (socket: Socket) => socket.end()],
    ['speaks another language', (socket: Socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')],
  ])('somebody who %s is unreachable, within the time given', async (_what, answer) => {
    let calls = 0
    const sockets: Socket[] = []
    const listener = createServer((socket) => {
      calls += 1
      sockets.push(socket)
      socket.on('error', () => undefined)
      answer(socket)
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => listener.once('listening', resolve))
    const { port } = listener.address() as AddressInfo
    const address = addressOf(`postgres://me@127.0.0.1:${port}/x`)
    const opening = openSession(address, { timers, openMs: 300 })
    await expect(opening).rejects.toMatchObject({ kind: 'unreachable' })
    // One try is one connection: who comes again is the caller's to decide.
    expect(calls).toBe(1)
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => listener.close(resolve))
  })
})

/** No answer comes while the first session of the tests holds this lock, which is for as long as it is open. */
const waitsForTheLock = 'select pg_advisory_lock(1)'

describe.skipIf(!isPostgresThere)('with a real server', () => {
  let server: TestServer
  let session: StoreSession
  const heard: string[] = []

  const open = (url = server.url(), answerMs = 5_000): Promise<StoreSession> =>
    openSession(addressOf(url), {
      ...{ timers, answerMs },
      onNotify: (channel, payload) => heard.push(`${channel} ${payload}`),
    })

  beforeAll(async () => {
    server = await startPostgres('ssl=on', 'ssl_cert_file=../tls.crt', 'ssl_key_file=../tls.key')
    session = await open()
    await session.query(waitsForTheLock)
  })
  afterAll(async () => {
    session.close()
    await server.stop()
  })

  test('values go beside the text', async () => {
    const rows = await session.query('select $1::text as a, $2::bigint as b', ["'; drop", 9e15])
    expect(rows).toEqual([{ a: "'; drop", b: '9000000000000000' }])
  })

  test('a refusal has the server’s code, and the session goes on', async () => {
    const asked = session.query('select * from nowhere')
    await expect(asked).rejects.toMatchObject({ kind: 'refused', code: '42P01' })
    expect(await session.query('select 1 as one')).toEqual([{ one: 1 }])
  })

  test('notifications are heard', async () => {
    await session.query('listen something')
    const told = new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        if (heard.length === 0) return
        clearInterval(timer)
        resolve()
      }, 5)
    })
    await server.psql("notify something, '17'")
    await told
    expect(heard).toEqual(['something 17'])
  })

  test('verify-full: a name that the certificate proves, and no other', async () => {
    const who = server.url().slice('postgresql://'.length).split('@')[0] ?? ''
    const trusted = `sslmode=verify-full&sslrootcert=${server.folder}/tls.crt`
    const at = (host: string, how: string): string =>
      `postgresql://${who}@${host}:${server.port}/postgres?${how}`
    const proven = await open(at('localhost', trusted))
    const [row] = await proven.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()')
    expect(row).toEqual({ ssl: true })
    proven.close()
    const wrong = [
      at('127.0.0.1', trusted),
      at('localhost', 'sslmode=verify-full'),
      at('localhost', 'sslmode=verify-full&sslrootcert=/nonexistent/ca.pem'),
    ]
    for (const url of wrong) {
      await expect(open(url)).rejects.toMatchObject({ kind: 'unreachable' })
    }
  })

  test('a wrong password is a refusal', async () => {
    const opening = open(server.urlOf('fleet_owner', 'wrong'))
    await expect(opening).rejects.toMatchObject({ kind: 'refused', code: '28P01' })
  })

  test('over the socket of the machine', async () => {
    const who = server.url().slice('postgresql://'.length).split('@')[0] ?? ''
    const url = `postgresql://${who}@/postgres?host=${server.folder}&port=${server.port}`
    const local = await open(url)
    expect(await local.query('select inet_server_addr() is null as local')).toEqual([
      { local: true },
    ])
    local.close()
  })

  test('what a session that is ended asked may have been done or not', async () => {
    const other = await open()
    const [row] = await other.query('select pg_backend_pid()::text as pid')
    const asked = other.query(waitsForTheLock)
    const why = expect(asked).rejects.toMatchObject({ kind: 'unknown' })
    await server.psql(`select pg_terminate_backend(${String(row?.['pid'])})`)
    await why
    expect(other.isOpen).toBe(false)
    await expect(other.query('select 1')).rejects.toMatchObject({ kind: 'unreachable' })
  })

  test('a server that hangs costs the time given and no more', async () => {
    const other = await open(server.url(), 200)
    const asked = other.query(waitsForTheLock)
    await expect(asked).rejects.toMatchObject({
      kind: 'unknown',
      message: 'no answer within 200 ms',
    })
    expect(other.isOpen).toBe(false)
  })
})
