import type { Account } from '../core/account/account.ts'
import type { RiskEngine } from '../core/safety/riskEngine.ts'
import type { Alerts } from './alerts.ts'
import type { Faults } from './faults.ts'
import type { Recorder } from './recorder.ts'

/** What every room of the engine works with. */
export interface Shared {
  readonly account: Account
  readonly alerts: Alerts
  readonly recorder: Recorder
  readonly fault: Faults
  readonly risk: RiskEngine
  /** After the stop nothing acts any more, whatever timer is still out. */
  readonly isStopped: () => boolean
}
