import { err, ok } from '../core/values/result.ts'
import type { Result } from '../core/values/result.ts'
import { urlProblem } from './alertsConfig.ts'
import type { AlertsConfig } from './alertsConfig.ts'
import type { ReadSecret } from './openChannels.ts'

/** Where Guard says that it lives, and how often. The address may be a secret: it is never logged. */
export interface Heartbeat {
  readonly url: string
  readonly everyMs: number
}

/** Reads the address from its file where the configuration names one; null when there is none. */
export function openHeartbeat(
  { heartbeat }: Pick<AlertsConfig, 'heartbeat'>,
  readSecret: ReadSecret,
): Result<Heartbeat | null> {
  if (heartbeat === null) return ok(null)
  const { everyMs } = heartbeat
  if ('url' in heartbeat) return ok({ url: heartbeat.url, everyMs })
  const text = readSecret(heartbeat.urlFile)
  if (!text.ok) return err(`alerts.heartbeat: ${text.error}`)
  const url = text.value.trim()
  const problem = urlProblem(url)
  return problem === null
    ? ok({ url, everyMs })
    : err(`alerts.heartbeat: the address in ${heartbeat.urlFile} ${problem}`)
}
