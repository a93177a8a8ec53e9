import type { Json } from '../../core/protocol/action.ts'
import type { Log } from '../ports.ts'

/** The steps of one request in the log, each with the id that its answer carries. */
export interface StepLog {
  say(step: string, fields: { readonly [key: string]: Json }): void
}

/** What Guard does by itself has no request: its steps name the event they belong to. */
export function stepLogOf(log: Log, request: string | null): StepLog {
  return {
    say: (step, fields) => {
      log.log('info', step, request === null ? fields : { request, ...fields })
    },
  }
}
