import type { Log } from '../../engine/ports.ts'
import type { GuardMetrics } from '../metrics/guardMetrics.ts'

/** An answer that has been given. */
interface Noted {
  readonly method: string
  readonly route: string
  readonly requestId: string
  readonly status: number
  readonly ms: number
}

/** Counts and logs an answer; what a bot or a person did says more than what was looked at. */
export function noteAnswer(metrics: GuardMetrics, log: Log, noted: Noted): void {
  const { method, route, requestId, status, ms } = noted
  metrics.http.request(route, status, ms)
  const isJudged = route === '/exchange' || route === '/guard/kill'
  log.log(isJudged ? 'info' : 'debug', `${method} ${route}`, {
    request: requestId,
    status,
    ms: Math.round(ms * 1_000) / 1_000,
  })
}
