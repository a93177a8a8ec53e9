import { jsonReply } from './front/httpReplies.ts'
import type { HttpReply } from './front/transport.ts'
import type { SimulatorCore } from './simulatorOptions.ts'

interface FailSafe {
  readonly core: SimulatorCore
  /** Resolves with the first error; never when there is none. */
  readonly failed: Promise<Error>
}

/**
 * An error of the simulator's own ends neither the process nor the answers: whoever asked hears of
 * it, and so does everybody after, for a venue that broke off in the middle is none any more.
 */
export function failSafe(core: SimulatorCore): FailSafe {
  let first: Error | null = null
  let resolve: (error: Error) => void = () => undefined
  const failed = new Promise<Error>((resolved) => (resolve = resolved))
  const attempt = (run: () => void): boolean => {
    if (first !== null) return false
    try {
      run()
      return true
    } catch (error) {
      first = error instanceof Error ? error : new Error(String(error))
      resolve(first)
      return false
    }
  }
  return {
    failed,
    core: {
      ...core,
      http: (request, answer) => {
        const once = { isAnswered: false }
        const done = attempt(() => {
          core.http(request, (reply) => {
            once.isAnswered = true
            answer(reply)
          })
        })
        if (!done && !once.isAnswered) answer(failureReply(first))
      },
      connect: (link) => {
        const connection = core.connect(link)
        return {
          receive: (text) => {
            if (!attempt(() => connection.receive(text))) link.drop()
          },
          closed: () => {
            connection.closed()
          },
        }
      },
      advance: () => {
        attempt(() => core.advance())
      },
    },
  }
}

function failureReply(error: Error | null): HttpReply {
  return jsonReply({ error: `the simulator failed: ${error?.message ?? ''}` }, 500)
}
