import type { EventKind, Verdict } from '../core/events/guardEvent.ts'

/** The steps of one request whose time is measured, in order. */
export type Stage = 'authenticate' | 'decode' | 'judge' | 'durable' | 'sign' | 'venue' | 'total'

/** Hooks for metrics: the engine calls, whoever counts listens. A hook never throws and never waits. */
export interface Observer {
  stage(stage: Stage, ms: number): void
  decided(verdict: Verdict, code: string, via: 'http' | 'ws'): void
  sent(ok: boolean): void
  event(kind: EventKind): void
  shed(): void
}

export const silentObserver: Observer = {
  stage: () => undefined,
  decided: () => undefined,
  sent: () => undefined,
  event: () => undefined,
  shed: () => undefined,
}

/** Tells the first and then the second. */
export function bothObservers(first: Observer, second: Observer): Observer {
  return {
    stage: (stage, ms) => {
      first.stage(stage, ms)
      second.stage(stage, ms)
    },
    decided: (verdict, code, via) => {
      first.decided(verdict, code, via)
      second.decided(verdict, code, via)
    },
    sent: (ok) => {
      first.sent(ok)
      second.sent(ok)
    },
    event: (kind) => {
      first.event(kind)
      second.event(kind)
    },
    shed: () => {
      first.shed()
      second.shed()
    },
  }
}
