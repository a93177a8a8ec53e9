import type { AlertsConfig } from '../../alerts/alertsConfig.ts'
import type { AlertsObserver } from '../../alerts/alertsObserver.ts'
import type { Channel } from '../../alerts/channel.ts'
import type { Heartbeat } from '../../alerts/openHeartbeat.ts'
import { httpSend } from '../../alerts/send.ts'
import { startAlerts } from '../../alerts/startAlerts.ts'
import type { RunningAlerts } from '../../alerts/startAlerts.ts'
import type { GuardConfigFile } from '../../config/readConfig.ts'
import type { Guard, GuardDeps } from '../../engine/guard.ts'
import { checkAgent } from '../setup/agentCheck.ts'
import { askThrough } from '../setup/askInfo.ts'

/** `[alerts]` as read, and the channels it names. */
export interface AlertsSetup {
  readonly config: AlertsConfig
  readonly channels: readonly Channel[]
  readonly heartbeat: Heartbeat | null
}

/** Tells a person what happens, when the configuration names someone. */
export async function runAlerts(
  setup: AlertsSetup | null,
  config: GuardConfigFile,
  guard: Pick<Guard, 'status'>,
  { reader, clock, timers, log, venue, journal }: GuardDeps,
  observer: AlertsObserver,
): Promise<RunningAlerts> {
  if (setup === null) return { settled: () => Promise.resolve(), stop: () => Promise.resolve() }
  const wallet = config.venue.apiWallet
  return startAlerts({
    ...setup,
    reader,
    status: () => guard.status(),
    head: () => journal.head,
    agentEnd: async () => {
      if (wallet === null || config.mode === 'paper') return null
      const facts = await checkAgent(
        askThrough(venue, 'read'),
        config.venue.via ?? config.account,
        wallet,
      )
      if (!facts.ok) throw new Error(facts.error.text)
      return facts.value.validUntil
    },
    clock,
    timers,
    log,
    stateDir: config.stateDir,
    send: httpSend(timers),
    observer,
  })
}
