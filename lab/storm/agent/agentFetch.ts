import type { Json } from '../../../src/core/protocol/action.ts'
import type { World } from '../world.ts'

/** A request of which nothing is heard is given up after this long, as `guard mcp` does. */
const giveUpMs = 20_000

/**
 * `fetch` as the server for agents uses it, to the Guard that lives now, over the world's own
 * connections and in the world's time.
 */
export function agentFetch(world: World): typeof fetch {
  const ask = (url: unknown, init?: RequestInit): Promise<Response> =>
    new Promise((resolve, reject) => {
      const { life } = world
      if (life?.door == null || life.isStopping) {
        reject(failed('ECONNREFUSED'))
        return
      }
      let isHeard = false
      const heard = (answer: { readonly status: number; readonly body: Json } | null): void => {
        isHeard = true
        if (answer === null) reject(failed('ECONNRESET'))
        else resolve(responseOf(answer.status, answer.body))
      }
      const target = String(url).slice(guardUrl.length)
      if (init?.method === 'POST') {
        life.door.post(target, Buffer.from(String(init.body)), null, heard)
      } else life.door.get(target, heard)
      world.time.after(giveUpMs, () => {
        if (!isHeard) reject(new DOMException('the time is up', 'TimeoutError'))
      })
    })
  return ask as typeof fetch
}

export const guardUrl = 'http://guard'

function failed(code: string): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) })
}

/** The part of a response that is used; a real one reads its body in turns that the world does not wait for. */
function responseOf(status: number, body: Json): Response {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const response = {
    ...{ status, ok: status >= 200 && status < 300, headers: new Headers() },
    text: () => Promise.resolve(text),
    json: () => new Promise((resolve) => resolve(JSON.parse(text))),
    arrayBuffer: () => Promise.resolve(new ArrayBuffer(0)),
  }
  return response as unknown as Response
}
