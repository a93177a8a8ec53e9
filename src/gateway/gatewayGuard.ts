import type { Guard } from '../engine/guard.ts'

/** What the gateway needs of Guard; it judges nothing itself. */
export type GatewayGuard = Pick<
  Guard,
  | 'handleExchange'
  | 'refuseOverlong'
  | 'handleKill'
  | 'unserved'
  | 'preview'
  | 'status'
  | 'ready'
  | 'accountRead'
  | 'names'
>
