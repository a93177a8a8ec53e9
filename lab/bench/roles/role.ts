import type { Json } from '../../../src/core/protocol/action.ts'

/** A part of the benchmark's world that runs for itself and answers a few questions. */
export interface Role {
  readonly url: string
  readonly ask: (question: string, argument?: Json) => Promise<Json>
  stop(): Promise<void>
}
