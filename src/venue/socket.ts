import { limits } from '../core/values/limits.ts'
import { WebSocket } from 'ws'
import type { OpenSocket } from '../engine/ports.ts'

const frameBytesMax = limits.venueFrameBytesMax
const connectMsMax = 10_000

/** A real WebSocket. */
export const openSocket: OpenSocket = (url, handlers) => {
  const socket = new WebSocket(url, {
    perMessageDeflate: false,
    handshakeTimeout: connectMsMax,
    maxPayload: frameBytesMax,
    // Whatever the environment says.
    rejectUnauthorized: true,
  })
  let reason = 'closed'
  socket.on('open', handlers.onOpen)
  socket.on('message', (data: Buffer) => {
    handlers.onText(data.toString('utf8'))
  })
  socket.on('error', (error) => {
    reason = error.message
  })
  socket.on('close', (code) => {
    handlers.onClose(reason === 'closed' ? `closed with code ${code}` : reason)
  })
  return {
    send: (text) => {
      if (socket.readyState === WebSocket.OPEN) socket.send(text)
    },
    terminate: () => {
      socket.terminate()
    },
  }
}
