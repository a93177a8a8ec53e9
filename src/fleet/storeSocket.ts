import { connect, isIP } from 'node:net'
import type { Socket } from 'node:net'
import { connect as secure } from 'node:tls'
import type { ConnectionOptions } from 'node:tls'
import { readOwnerFile } from '../system/ownerFile.ts'
import type { StoreAddress } from './storeUrl.ts'

/** The question whether a server speaks TLS: its length, and the number that means it. */
const tlsRequest = Buffer.from([0, 0, 0, 8, 4, 0xd2, 0x16, 0x2f])
const yes = 'S'.charCodeAt(0)

/**
 * A way to the store: encrypted, and the server's name proven, where the address says so.
 * `began` is told of every socket as soon as there is one, so that it can be destroyed whenever.
 */
export async function openStoreSocket(
  address: StoreAddress,
  began: (socket: Socket) => void,
): Promise<Socket> {
  const { host, port, isVerified } = address
  const plain = quiet(
    host.startsWith('/')
      ? connect({ path: `${host}/.s.PGSQL.${port}` })
      : connect({ host, port, noDelay: true }),
  )
  began(plain)
  if (!isVerified) return plain
  await event(plain, 'connect')
  plain.write(tlsRequest)
  const answer = (await event(plain, 'data')) as Buffer
  plain.pause()
  // More than the one byte was not said by the server behind the encryption.
  if (answer.length !== 1 || answer[0] !== yes) {
    plain.destroy()
    throw new Error('the server does not speak TLS')
  }
  const encrypted = quiet(secure({ ...tlsOptions(address), socket: plain }))
  began(encrypted)
  await event(encrypted, 'secureConnect')
  return encrypted
}

function tlsOptions({ host, rootCertFile }: StoreAddress): ConnectionOptions {
  return {
    ...{ rejectUnauthorized: true, host, minVersion: 'TLSv1.2' },
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(rootCertFile === null ? {} : { ca: readOwnerFile(rootCertFile) }),
  }
}

/**
 * A socket whose late errors end nobody's process. The client takes every listener away once the
 * socket is closed; what a write that was under way says after that would have nobody to hear it.
 */
function quiet<T extends Socket>(socket: T): T {
  const ignore = (): void => undefined
  const removeAll = socket.removeAllListeners.bind(socket)
  socket.removeAllListeners = (...which: Parameters<typeof removeAll>) => {
    removeAll(...which)
    return socket.on('error', ignore)
  }
  return socket.on('error', ignore)
}

/** The first such event of a socket; rejects when it ends before. */
function event(socket: Socket, name: 'connect' | 'data' | 'secureConnect'): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const done = (value: unknown): void => {
      socket.off('error', failed).off('close', closed)
      resolve(value)
    }
    const failed = (error: Error): void => {
      reject(error)
    }
    const closed = (): void => {
      reject(new Error('the server hung up'))
    }
    socket.once(name, done).once('error', failed).once('close', closed)
  })
}
