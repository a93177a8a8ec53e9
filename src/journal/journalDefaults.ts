import { limits } from '../core/values/limits.ts'
import type { JournalBounds } from './opened.ts'

/** The bounds of a journal that is not told otherwise. */
export const journalDefaults: JournalBounds = {
  segmentBytes: limits.segmentBytes,
  queueRecords: limits.journalQueueMax,
  queueBytes: limits.journalQueueBytesMax,
  batchBytes: limits.journalBatchBytesMax,
  reserveBytes: limits.emergencyReserveBytes,
  syncMs: limits.journalSyncMsMax,
  lateMs: limits.journalPatienceMs,
  emergencyMs: limits.emergencyPatienceMs,
  emergencyBytes: limits.emergencyMemoryBytesMax,
  rideMs: limits.sentFlushMs,
  retryMs: 1_000,
  spaceMs: limits.diskFreeEveryMs,
  lockMs: 1_000,
}
