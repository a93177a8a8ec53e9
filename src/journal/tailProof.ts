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

/** How a journal was found, and the last record that this is said of. */
export interface Found {
  readonly standing: Standing
  readonly upTo: number
}

/**
 * Whether the end of a journal is what this Guard's key has written. As each proof holds the hash
 * before it, that of the last record stands for all of them.
 */
export function standingOf(
  lines: readonly ChainedLine[],
  mark: Mark | null,
  key: ChainKey | null,
  isRekeying: boolean,
): Found {
  const last = lines.at(-1)
  const upTo = last?.seal.seq ?? 0
  const isKeyed = last?.seal.proof != null || mark?.proof != null
  if (key === null) {
    if (!isKeyed) return { standing: 'unkeyed', upTo }
    const text = 'its records are proven by a key, and none is given here'
    throw new JournalError('key', `${text}; a Guard without the key needs a home of its own`)
  }
  if (last === undefined) return { standing: 'new', upTo }
  const walk = new ProofWalk(key)
  for (const line of lines) walk.take(line)
  const { proof } = last.seal
  if (proof === null) {
    if (!isKeyed) return { standing: 'begins', upTo }
    throw new JournalError(
      'damaged',
      'its records were proven by a key, and are not now',
      last.place,
    )
  }
  if (keyIdOf(proof) !== key.id) {
    if (isRekeying) return { standing: 'rekeyed', upTo }
    const text = `its records are proven by another key (${keyIdOf(proof)}, not ${key.id})`
    throw new JournalError('key', text, last.place)
  }
  const standing = isMarkProven(mark, key) ? 'proven' : 'unmarked'
  return unfinishedChange(lines, key) ?? { standing, upTo }
}

/**
 * A start that gives a journal its key, or another one, first takes in what was left without that
 * key, and says so last. Where it has ended in between, the next one goes on as if it had not been.
 */
function unfinishedChange(lines: readonly ChainedLine[], key: ChainKey): Found | null {
  const at = lines.findLastIndex(
    ({ seal: { proof } }) => proof === null || keyIdOf(proof) !== key.id,
  )
  const before = lines[at]?.seal
  if (before === undefined) return null
  const standing = before.proof === null ? 'begins' : 'rekeyed'
  const text = JSON.stringify(standingText(standing, before.seq))
  const isSaid = lines
    .slice(at + 1)
    .some(({ seal, bytes }) => seal.kind === 'error' && bytes.includes(`"text":${text}`))
  return isSaid ? null : { standing, upTo: before.seq }
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
