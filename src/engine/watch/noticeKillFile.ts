import type { Latch } from './latch.ts'
import type { KillFile, Timers } from '../ports.ts'

/** How long a kill file without a text is given to say why: whoever makes it may still be writing. */
const textMs = 50

/** The state directory changed: latches, and at once where the kill file already says why. */
export function noticeKillFile(
  killFile: Pick<KillFile, 'seen'>,
  latch: Pick<Latch, 'checkFile'>,
  timers: Pick<Timers, 'after'>,
): void {
  const check = (): void => {
    latch.checkFile()
  }
  if (killFile.seen()?.firstLine === '') timers.after(textMs, check)
  else check()
}
