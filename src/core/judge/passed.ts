import type { Reservation } from '../account/reservation.ts'
import type { Action } from '../protocol/action.ts'
import type { Change } from './changes.ts'
import type { Decision, DecisionLane } from './decision.ts'
import { decided, step } from './plan.ts'

/** An action that goes as one, and whose reply is the venue's own. */
export function passed(
  action: Action,
  reservations: readonly Reservation[],
  lane: DecisionLane,
  text: string,
  changes: readonly Change[] = [],
): Decision {
  return decided({
    pre: [],
    main: [step(action, reservations)],
    post: [],
    lane,
    changes,
    entries: [],
    exits: [],
    slots: [],
    reply: { kind: 'pass', responseType: 'default' },
    stripCloids: [],
    text,
    isUnjudged: false,
  })
}
