import type { GuardEvent } from '../core/events/guardEvent.ts'
import { limits } from '../core/values/limits.ts'
import type { RunningGuard } from './runningGuard.ts'

/** Reads the events of a running Guard in their order, and none is left out. */
interface EventReading {
  readonly guard: RunningGuard
  /** Names of kinds, with commas between them; undefined: every kind. */
  readonly kinds: string | undefined
  readonly tell: (event: GuardEvent) => void
  /** Aborted once nobody wants to read on; a read that waits is not waited for then. */
  readonly left: AbortSignal
}

interface Page {
  readonly events: readonly GuardEvent[]
  /** The number of the oldest event that Guard still has in memory. */
  readonly firstInMemory: number
}

const waitSeconds = 25

/**
 * Tells every event after number `since` that the journal has. Returns the number of the last one, or
 * `since` where there was none; null where the reader left.
 */
export async function tellPast(reading: EventReading, since: number): Promise<number | null> {
  let last = since
  while (true) {
    const page = await read(reading, `?since=${last}&source=journal&limit=${limits.eventsPageMax}`)
    if (page === null) return null
    last = tellAll(reading, page, last)
    if (page.events.length < limits.eventsPageMax) return last
  }
}

/** Tells what comes after number `since`, as it comes, until the reader leaves. */
export async function tellNew(reading: EventReading, since: number): Promise<void> {
  let last = since
  // Guard is asked to wait only after an answer at once had no gap and nothing new: while it waits for
  // some kind, it does not say that others, and some of that kind, have left its memory.
  let waitS = 0
  while (true) {
    const page = await read(reading, `?since=${last}&wait=${waitS}`, waitS * 1_000)
    if (page === null) return
    const isNothing = page.events.length === 0
    if (page.firstInMemory <= last + 1) {
      last = tellAll(reading, page, last)
      waitS = isNothing && waitS === 0 ? waitSeconds : 0
      continue
    }
    // More came than Guard keeps in memory, as after Ctrl-Z and fg; the journal has all of it.
    const told = await tellPast(reading, last)
    if (told === null) return
    // Where only some kinds are wanted, what is older than memory was read now, whatever its kind.
    last = Math.max(told, page.firstInMemory - 1)
    waitS = 0
  }
}

/** Returns the number of the last event of a page, or `last` where it is empty. */
function tellAll({ tell }: EventReading, { events }: Page, last: number): number {
  for (const event of events) tell(event)
  return events.at(-1)?.seq ?? last
}

/** Asks Guard for one page of events; returns null where the reader left before it came. */
async function read(reading: EventReading, query: string, waitMs = 0): Promise<Page | null> {
  const { guard, kinds, left } = reading
  if (left.aborted) return null
  const kind = kinds === undefined ? '' : `&kind=${encodeURIComponent(kinds)}`
  const answer = await unlessLeft(guard.answer(`/guard/events${query}${kind}`, waitMs), left)
  if (answer === null) return null
  return {
    events: answer.body as unknown as readonly GuardEvent[],
    firstInMemory: Number(answer.headers['x-guard-first-seq']),
  }
}

/** Of each read its listener is taken away again: who follows for months keeps nothing of them. */
async function unlessLeft<T>(asked: Promise<T>, left: AbortSignal): Promise<T | null> {
  let leave = (): void => undefined
  const gone = new Promise<null>((resolve) => {
    leave = () => {
      resolve(null)
    }
  })
  left.addEventListener('abort', leave)
  try {
    return await Promise.race([asked, gone])
  } finally {
    left.removeEventListener('abort', leave)
  }
}
