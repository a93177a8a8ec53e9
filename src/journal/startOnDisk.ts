import type { JournalParts } from './journalParts.ts'
import { JournalError, causeText, isDiskTrouble } from './journalError.ts'
import type { UnrecordedTear } from './moveTorn.ts'
import type { JournalOptions } from './opened.ts'
import type { Tail } from './tail.ts'
import { standingText } from './tailProof.ts'

/** What a start wants to write, and how it goes on where the disk does not take it. */

/**
 * What a disk does not take now is no reason not to start: what only protects goes by the emergency
 * file, and the end of the journal is mended when the disk takes something again.
 */
export async function tried<T>(mend: () => Promise<T>): Promise<[T | null, JournalError | null]> {
  try {
    return [await mend(), null]
  } catch (error) {
    if (!isDiskTrouble(error)) throw error
    const text = `the disk failed: ${causeText(error)}`
    return [null, new JournalError('disk', text, null, error)]
  }
}

/** A disk that refuses them keeps them in the emergency file; `replay` tells of them all the same. */
export async function takeIn(
  { log }: JournalOptions,
  { repair, commit }: JournalParts,
): Promise<void> {
  const isBroken = (): boolean => commit.broken !== null
  if (isBroken()) return
  try {
    await repair.takeIn()
  } catch (error) {
    if (!isBroken() && !isDiskTrouble(error)) throw error
    log.log('error', `emergency records wait for the disk: ${causeText(error)}`)
  }
}

export async function recordTear(
  options: JournalOptions,
  parts: JournalParts,
  tail: Tail,
  tear: UnrecordedTear,
): Promise<void> {
  const { afterSeq, bytes, file } = tear
  const text = `journal: ${bytes} bytes after record ${afterSeq} were torn; moved to ${file}`
  const isRecorded = tail.records.some(
    ({ record: { body } }) => body.kind === 'error' && body.text === text,
  )
  options.log.log('warn', text)
  try {
    if (!isRecorded) await parts.commit.append({ kind: 'error', text }, 'urgent').durable
    await tear.settle()
  } catch (error) {
    // Its name still says that it is not recorded: the next start does that.
    if (parts.commit.broken === null && !isDiskTrouble(error)) throw error
    options.log.log('warn', `the torn end is not recorded yet: ${causeText(error)}`)
  }
}

/**
 * How the journal was found, where somebody outside should notice. A disk that does not take the
 * record is no reason not to start: then the emergency file has it.
 */
export async function recordStanding(
  { log }: JournalOptions,
  { commit, emergency }: JournalParts,
  { found }: Tail,
): Promise<void> {
  const text = standingText(found.standing, found.upTo)
  if (text === null) return
  log.log('warn', text)
  const body = { kind: 'error', text } as const
  try {
    await commit.append(body, 'urgent').durable
  } catch (error) {
    log.log('warn', `this goes to the emergency file: ${causeText(error)}`)
    await emergency.append(body, commit.point.seq, null).proof
  }
}
