/** Whether the kill file is on disk, is still being written, or could not be written. */
export type FileOutcome =
  | { readonly kind: 'written' }
  /** The disk has not answered in time; it may still. */
  | { readonly kind: 'slow' }
  | { readonly kind: 'failed'; readonly why: string }

/** What became of the signal to the Guard that runs on this home. */
export type SignalOutcome =
  { readonly kind: 'sent'; readonly pid: number } | { readonly kind: 'none'; readonly why: string }

/** What is done and what is not, as a person is told it. */
interface KillTold {
  /** Something has latched: the file is on disk, or a running Guard says that it is latched. */
  readonly isPulled: boolean
  readonly isDurable: boolean
  readonly text: string
  /** What a person can do where it is not done. */
  readonly details: readonly string[]
}

/** How long the command waits for the disk before it goes another way. */
export const killFileWaitMs = 500

/** Waits for the file, but not longer than `waited` takes to resolve. */
export async function fileOutcome(
  writing: Promise<void>,
  waited: Promise<void>,
): Promise<FileOutcome> {
  return await Promise.race([
    writing.then(
      (): FileOutcome => ({ kind: 'written' }),
      (error: unknown): FileOutcome => ({ kind: 'failed', why: String(error) }),
    ),
    waited.then((): FileOutcome => ({ kind: 'slow' })),
  ])
}

/** Where the file is not on disk: whether the running Guard has latched all the same. */
export function toldWithoutFile(
  file: Exclude<FileOutcome, { readonly kind: 'written' }>,
  signal: SignalOutcome,
  isSeen: boolean,
  stateDir: string,
): KillTold {
  const isSlow = file.kind === 'slow'
  const disk = isSlow ? `the disk has not answered within ${killFileWaitMs} ms` : file.why
  const touch = `touch ${stateDir}/kill   (an empty file is enough)`
  if (isSeen) {
    const by = signal.kind === 'sent' ? ` (process ${signal.pid})` : ''
    return {
      isPulled: true,
      isDurable: false,
      text: `The running Guard${by} has latched: nothing opens, and it closes what is open. The kill is not on disk yet (${disk}): should that process end before it is, the next start knows nothing of it.`,
      details: [`once the disk works: ${touch}`],
    }
  }
  const signalled =
    signal.kind === 'sent'
      ? `process ${signal.pid} was sent SIGUSR2 and has not confirmed it: guard status`
      : `no running Guard could be told: ${signal.why}`
  const pid = signal.kind === 'sent' ? String(signal.pid) : 'PID'
  return {
    isPulled: false,
    isDurable: false,
    text: isSlow
      ? `the kill file is not on disk in ${stateDir} yet: ${disk}`
      : `the kill file could not be written to ${stateDir}`,
    details: [
      ...(isSlow ? [] : [file.why]),
      signalled,
      `you can: ${touch}`,
      `you can: kill -USR2 ${pid}   (the process of guard run)`,
    ],
  }
}
