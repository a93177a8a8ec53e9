import type { ArmedFault, FaultBoard, FaultSubject } from './faults.ts'
import type { TaskQueue } from './taskQueue.ts'

const instead = [
  ...(['drop_request', 'drop_reply'] as const),
  ...(['http_500', 'http_429', 'http_408', 'garbage', 'reply', 'status', 'lie'] as const),
] as const
const delayMsDefault = 1_000

/** What meets one request: when it is executed, and what becomes of its answer. */
interface Meeting {
  readonly delay: ArmedFault | null
  readonly fault: ArmedFault | null
}

export const noMeeting: Meeting = { delay: null, fault: null }

/** Uses up the faults that fit a request the moment it arrives. */
export function meetFaults(
  faults: FaultBoard,
  where: 'exchange' | 'info',
  subject: FaultSubject,
): Meeting {
  return {
    delay: faults.take(where, ['delay'], subject),
    fault: faults.take(where, instead, subject) ?? failing(faults, where, subject),
  }
}

function failing(
  faults: FaultBoard,
  where: 'exchange' | 'info',
  subject: FaultSubject,
): ArmedFault | null {
  return where === 'info' ? faults.meetsShare(subject) : null
}

/** Runs now, or once the request was held back for its time. */
export function afterDelay(
  meeting: Meeting,
  tasks: TaskQueue,
  wallMs: number,
  run: () => void,
): void {
  if (meeting.delay === null) run()
  else tasks.add(wallMs + (meeting.delay.ms ?? delayMsDefault), run)
}

/** The faults in the log's words. */
export function meetingText(meeting: Meeting, refuse: ArmedFault | null): string | null {
  const kinds = [meeting.delay, meeting.fault, refuse].flatMap((each) =>
    each === null ? [] : [each.kind],
  )
  return kinds.length === 0 ? null : kinds.join('+')
}
