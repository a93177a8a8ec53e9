import { jsonReply } from './front/httpReplies.ts'
import type { Answer, HttpReply } from './front/transport.ts'
import type { SimulatorCore } from './simulatorOptions.ts'

interface FailSafe {
  readonly core: SimulatorCore
  /** Resolves with the first error; never when there is none. */
  readonly failed: Promise<Error>
  /** Throws what has failed, if anything has. */
  check(): void
}

/** Runs something; false when it failed, or something before it did. */
type Attempt = (run: () => void) => boolean

/**
 * An error of the simulator's own ends neither the process nor the answers: whoever waits for one
 * hears of it, and so does everybody after, for a venue that broke off in the middle is none any
 * more. What the core does later by itself, it does by `attempt`.
 */
export function failSafe(make: (attempt: Attempt) => SimulatorCore): FailSafe {
  let first: Error | null = null
  let resolve: (error: Error) => void = () => undefined
  const failed = new Promise<Error>((resolved) => (resolve = resolved))
  const waiting = new Set<Answer>()
  const attempt: Attempt = (run) => {
    if (first !== null) return false
    try {
      run()
      return true
    } catch (error) {
      first = error instanceof Error ? error : new Error(String(error))
      resolve(first)
      for (const answer of waiting) answer(failureReply(first))
      waiting.clear()
      return false
    }
  }
  const core = make(attempt)
  return {
    failed,
    check: () => {
      if (first !== null) throw first
    },
    core: {
      ...core,
      http: (request, answer) => {
        if (first !== null) {
          answer(failureReply(first))
          return
        }
        waiting.add(answer)
        attempt(() => {
          core.http(request, (reply) => {
            waiting.delete(answer)
            answer(reply)
          })
        })
      },
      connect: (link) => {
        const connection = core.connect(link)
        return {
          receive: (text) => {
            const isTaken = attempt(() => {
              connection.receive(text)
            })
            if (!isTaken) link.drop()
          },
          closed: () => {
            connection.closed()
          },
        }
      },
      advance: () => {
        attempt(() => {
          core.advance()
        })
      },
    },
  }
}

function failureReply(error: Error): HttpReply {
  return jsonReply({ error: `the simulator failed: ${error.message}` }, 500)
}
