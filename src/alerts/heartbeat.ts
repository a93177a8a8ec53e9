import type { Clock, JournalHead, Log, Timers } from '../engine/ports.ts'
import type { AlertsConfig } from './alertsConfig.ts'
import type { AlertsObserver } from './alertsObserver.ts'
import type { Heartbeat } from './openHeartbeat.ts'
import type { Send } from './send.ts'

interface HeartbeatDeps {
  readonly config: Pick<AlertsConfig, 'timeoutMs'>
  readonly heartbeat: Heartbeat | null
  readonly observer: AlertsObserver
  /** The last record on disk: whoever keeps it can tell whether one before it was changed. */
  readonly head: () => JournalHead
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Log
  readonly send: Send
}

/** When nobody could be told of something critical for so long, the heart stops. */
const untoldMsMax = 300_000

/**
 * Calls an address outside at regular times, so that someone else notices when Guard is dead, or
 * when it lives and cannot tell. The returned function ends it.
 */
export function startHeartbeat(deps: HeartbeatDeps, urgentSince: () => number | null): () => void {
  const { heartbeat } = deps
  if (heartbeat === null) return () => undefined
  let isFailing = false
  const beat = async (): Promise<void> => {
    const since = urgentSince()
    if (since !== null && deps.clock.now() - since > untoldMsMax) return
    const { seq, hash } = deps.head()
    // The name is what most watchers of heartbeats keep and show.
    const headers = { 'user-agent': `guard-head/${seq}:${hash}` }
    const request = { method: 'GET', url: heartbeat.url, headers, body: null } as const
    const sent = await deps.send(request, deps.config.timeoutMs)
    const problem =
      sent.kind === 'unreachable'
        ? sent.error
        : sent.answer.status >= 200 && sent.answer.status < 300
          ? null
          : `HTTP ${sent.answer.status}`
    deps.observer.heartbeat(problem === null)
    if (problem !== null && !isFailing)
      deps.log.log('warn', 'the heartbeat was not taken', { error: problem })
    isFailing = problem !== null
  }
  void beat()
  return deps.timers.every(heartbeat.everyMs, () => {
    void beat()
  })
}
