import { Agent, createServer, request as post } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from '../../../src/core/protocol/action.ts'
import type { Role } from './role.ts'

/** A reverse proxy in Node that does nothing else: what any Node program in the middle costs. */
export async function startPassRole(setup: Json): Promise<Role> {
  const { hostname, port } = new URL(String(setup))
  const agent = new Agent({ keepAlive: true, noDelay: true })
  const server = createServer((request, response) => {
    const { method, url: path, headers } = request
    const out = post({ agent, hostname, port, method, path, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    out.on('error', () => response.destroy())
    request.pipe(out)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port: own } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${own}`,
    ask: () => Promise.resolve(null),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          agent.destroy()
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}
