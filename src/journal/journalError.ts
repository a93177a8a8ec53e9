/** Why the journal could not do what was asked. */
type JournalErrorCode =
  /** A write, a sync or a rename failed; nothing is accepted until the disk works again. */
  | 'disk'
  /** A sync took longer than the bound; treated like a failed one. */
  | 'slow'
  /** More is queued than the bound allows; nothing was numbered. */
  | 'queue_full'
  /** The journal was closed, or is closing. */
  | 'closed'
  /** A record before the last durable point does not verify. */
  | 'damaged'
  /** Another process has the journal open. */
  | 'locked'
  /** The journal belongs to another account or network. */
  | 'identity'
  /** The journal's records are proven by another key, or by one where none is given. */
  | 'key'
  /** What was asked cannot be: a record too large, a snapshot of a record not yet on disk. */
  | 'invalid'

/** Where a stored byte lies: line and byte count from the start of the segment, byte from 0. */
export interface RecordPlace {
  readonly segment: string
  readonly line: number
  readonly byte: number
}

/** The journal's one kind of failure; `code` is for programs, the message for people. */
export class JournalError extends Error {
  override readonly name = 'JournalError'
  readonly code: JournalErrorCode
  readonly place: RecordPlace | null

  constructor(
    code: JournalErrorCode,
    text: string,
    place: RecordPlace | null = null,
    cause?: unknown,
  ) {
    const where =
      place === null ? '' : ` (${place.segment}, line ${place.line}, byte ${place.byte})`
    super(`journal: ${text}${where}`, cause === undefined ? undefined : { cause })
    this.code = code
    this.place = place
  }
}

/** The text of anything thrown. */
export function causeText(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** Whether a disk refused something that it may take later; damage and foreign journals are not that. */
export function isDiskTrouble(error: unknown): boolean {
  if (error instanceof JournalError) return error.code === 'disk' || error.code === 'slow'
  return troubles.has(String((error as { readonly code?: unknown } | null)?.code))
}

const troubles: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EIO', 'EROFS'])
