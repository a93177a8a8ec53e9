import type { Socket } from 'node:net'

/**
 * Keeps what arrives on a connection that Node's server has let go of for an upgrade, while earlier
 * requests on it are still being answered. Those answers may let the socket flow, and what flows while
 * nobody listens is lost: with a listener for `readable` it stays in the socket's own buffer, and
 * beyond what that holds the socket is not read. The returned function frees it for its next reader.
 */
export function holdSocket(socket: Socket): () => void {
  const ended = (): void => {
    socket.end()
  }
  const readable = (): void => {
    // Where nothing is kept this takes nothing: it lets the end be noticed.
    if (socket.readableLength === 0) socket.read()
  }
  // Where many answers wait Node has stopped the system's side of the socket, and a socket that it has
  // let go of does not start that again by itself. With its own buffer full it stays stopped.
  if (socket.readableLength < socket.readableHighWaterMark) socket._read(0)
  socket.on('readable', readable)
  socket.on('end', ended)
  return () => {
    socket.off('readable', readable)
    socket.off('end', ended)
  }
}
