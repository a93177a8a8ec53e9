import { limits } from '../core/values/limits.ts'
import type { JournalBounds } from './opened.ts'

/** The bounds of a journal that is not told otherwise. */
export const journalDefaults: JournalBounds = {
  segmentBytes: 67_108_864,
  queueRecords: limits.journalQueueMax,
  queueBytes: 67_108_864,
  batchBytes: 8_388_608,
  reserveBytes: 1_048_576,
  syncMs: limits.journalSyncMsMax,
  rideMs: limits.sentFlushMs,
  retryMs: 1_000,
}
