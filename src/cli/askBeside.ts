import type { GuardConfigFile } from '../config/readConfig.ts'
import { err, ok } from '../core/values/result.ts'
import type { HttpTransport } from '../venue/httpTransport.ts'
import { runningOn } from './homeConfig.ts'
import type { RunningGuard } from './runningGuard.ts'
import type { AskVenue } from './setup/agentCheck.ts'
import { askInfo } from './setup/askInfo.ts'

/**
 * Reads of the venue beside Guard. Through the Guard that runs on this home, as one of its bots: the
 * venue counts both together, and what nobody counts is missing when Guard has to close. Directly
 * where none runs.
 */
export async function askBeside(
  config: GuardConfigFile,
  transport: HttpTransport,
  timeoutMs?: number,
): Promise<AskVenue> {
  const guard = await runningFor(config)
  if (guard === null) return askInfo(transport, timeoutMs)
  return async (request) => {
    try {
      return ok(await guard.post('/info', request))
    } catch (error) {
      return err(error instanceof Error ? error.message : String(error))
    }
  }
}

/** Null where no Guard answers, or one for another account. */
async function runningFor(config: GuardConfigFile): Promise<RunningGuard | null> {
  try {
    const guard = runningOn(config)
    const status = await guard.get('/guard/status')
    const isOurs =
      typeof status === 'object' && status !== null && 'account' in status
        ? status['account'] === config.account
        : false
    return isOurs ? guard : null
  } catch {
    return null
  }
}
