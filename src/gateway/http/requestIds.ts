import type { Clock } from '../../engine/ports.ts'

/** Names for requests, each once in a run, so that a log line and an answer find each other. */
export function requestIds(clock: Clock): () => string {
  const run = clock.now().toString(36)
  let requests = 0
  return () => {
    requests += 1
    return `${run}-${requests.toString(36)}`
  }
}
