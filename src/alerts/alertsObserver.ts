import type { Outcome } from './channel.ts'

/** Who counts what becomes of messages, so that silence can be told from peace. */
export interface AlertsObserver {
  /** A channel is set up: it is counted from nothing. */
  opened(channel: string): void
  /** One attempt through a channel. */
  delivery(channel: string, outcome: Outcome['kind']): void
  heartbeat(isTaken: boolean): void
  /** How many critical messages nobody has been told of. */
  untold(count: number): void
}

export const silentAlertsObserver: AlertsObserver = {
  opened: () => undefined,
  delivery: () => undefined,
  heartbeat: () => undefined,
  untold: () => undefined,
}
