import type { GuardMetrics } from '../../gateway/metrics/guardMetrics.ts'
import type { JournalIo } from '../../journal/journalIo.ts'
import { systemClock } from '../../system/systemClock.ts'

/** The disk, with the time of every sync counted. */
export function measuredIo(io: JournalIo, metrics: Pick<GuardMetrics, 'journalSync'>): JournalIo {
  return {
    ...io,
    open: async (path, mode) => {
      const file = await io.open(path, mode)
      return {
        size: () => file.size(),
        read: (into, position) => file.read(into, position),
        write: (bytes, position) => file.write(bytes, position),
        truncate: (size) => file.truncate(size),
        close: () => file.close(),
        sync: async () => {
          const started = systemClock.monotonicMs()
          await file.sync()
          metrics.journalSync(systemClock.monotonicMs() - started, 1)
        },
      }
    },
  }
}
