import type { ChainKey } from './chainKey.ts'
import { keyIdOf } from './chainKey.ts'
import { JournalError } from './journalError.ts'
import type { Mark } from './layout.ts'
import { markParts } from './layout.ts'
import { ProofWalk } from './proofWalk.ts'
import type { ChainedLine } from './proofWalk.ts'

/** Whose key the records at the end of a journal are proven by. */
export type Standing =
  /** Nothing is proven, and nothing is asked. */
  | 'unkeyed'
  /** There is no record yet. */
  | 'new'
  /** By the key that is given; `unmarked` if the durable mark does not say so as well. */
  | 'proven'
  | 'unmarked'
  /** Not at all: they are from before this journal had a key. */
  | 'begins'
  /** By another key, and a person has said that it was changed. */
  | 'rekeyed'

/**
 * Whether the end of a journal is what this Guard's key has written. As each proof holds the hash
 * before it, that of the last record stands for all of them.
 */
export function standingOf(
  lines: readonly ChainedLine[],
  mark: Mark | null,
  key: ChainKey | null,
  isRekeying: boolean,
): Standing {
  const last = lines.at(-1)
  const isKeyed = last?.seal.proof != null || mark?.proof != null
  if (key === null) {
    if (!isKeyed) return 'unkeyed'
    const text = 'its records are proven by a key, and none is given here'
    throw new JournalError('key', `${text}; a Guard without the key needs a home of its own`)
  }
  if (last === undefined) return 'new'
  const walk = new ProofWalk(key)
  for (const line of lines) walk.take(line)
  const { proof } = last.seal
  if (proof === null) {
    if (!isKeyed) return 'begins'
    throw new JournalError(
      'damaged',
      'its records were proven by a key, and are not now',
      last.place,
    )
  }
  if (keyIdOf(proof) !== key.id) {
    if (isRekeying) return 'rekeyed'
    const text = `its records are proven by another key (${keyIdOf(proof)}, not ${key.id})`
    throw new JournalError('key', text, last.place)
  }
  return isMarkProven(mark, key) ? 'proven' : 'unmarked'
}

function isMarkProven(mark: Mark | null, key: ChainKey): boolean {
  return mark?.proof != null && key.proves(mark.proof, 'mark', markParts(mark))
}

/** What a person should know about how a journal was found; null when all is as it should be. */
export function standingText(standing: Standing, lastSeq: number): string | null {
  switch (standing) {
    case 'unkeyed':
    case 'new':
    case 'proven':
      return null
    case 'begins':
      return `journal: records up to ${lastSeq} have no proof of who wrote them; from here on each has one`
    case 'rekeyed':
      return `journal: records up to ${lastSeq} are proven by the key of another API wallet; from here on by that of this one`
    case 'unmarked':
      return `journal: nothing proves that record ${lastSeq} was its last, as after a power loss or from a backup; records may be missing behind it`
  }
}
