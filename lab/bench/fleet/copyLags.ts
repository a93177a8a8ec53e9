/** Records a second that a busy Guard writes. */
export const copiedPerSecond = 2_000
const tickMs = 10

/** A journal that is copied into a store. */
interface Copying {
  append(n: number): Promise<unknown>
  /** The number of the last record on disk. */
  lastSeq(): number
  /** Records that are on disk and not in the store; null until that is known. */
  lag(): number | null
}

/**
 * Appends so many records a second for so long, and tells for each of them how many milliseconds it was
 * on disk before the store was known to have it.
 */
export async function copyLags(journal: Copying, seconds: number): Promise<number[]> {
  const wanted = Math.ceil(copiedPerSecond * seconds)
  /** When each was on disk, in the order of their numbers. */
  const onDisk: (number | undefined)[] = []
  const lags: number[] = []
  while (journal.lag() !== 0) await pause()
  const before = journal.lastSeq()
  const writing: Promise<void>[] = []
  const begun = performance.now()
  while (lags.length < wanted) {
    const due = Math.min(wanted, ((performance.now() - begun) / 1_000) * copiedPerSecond)
    while (writing.length < due) {
      const at = writing.length
      writing.push(
        journal.append(at + 1).then(() => {
          onDisk[at] = performance.now()
        }),
      )
    }
    const now = performance.now()
    const there = Math.min(journal.lastSeq() - (journal.lag() ?? 0) - before, wanted)
    // The disk has it, and the one who waits for that has not run yet: it is counted in the next turn.
    for (let at = lags.length; at < there; at += 1) {
      const since = onDisk[at]
      if (since === undefined) break
      lags.push(now - since)
    }
    await pause()
  }
  await Promise.all(writing)
  return lags
}

function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, tickMs))
}
