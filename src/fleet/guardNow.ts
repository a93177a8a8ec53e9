import type { JsonObject } from '../core/protocol/action.ts'
import type { StatusView } from '../engine/statusView.ts'
import type { StandbySetup } from './standby/looserRules.ts'

/** Latched, and nothing open any more; in paper mode what is open is somebody else's. */
export function isFlat({ kill, mode, positions, alerts, risk }: StatusView): boolean {
  if (!kill.latched) return false
  if (mode === 'paper') return true
  const isSeen = risk.equity !== null
  return isSeen && positions.length === 0 && alerts.every(({ code }) => code !== 'flattening')
}

/** What a standby compares itself with: keys of bots are added and revoked while a Guard runs. */
export function setupNow(
  { setup }: { readonly setup: StandbySetup },
  guard: { status(): StatusView },
): JsonObject {
  return { ...setup, keys: [...guard.status().clients] }
}
