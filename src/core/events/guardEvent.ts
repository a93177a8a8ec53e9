import type { Json, WireAction } from '../protocol/action.ts'

/** Guard's events, schema 1: what is journaled and what readers see. Money is a decimal string. */

export interface Envelope {
  readonly seq: number
  readonly at_ms: number
}

export type Mode = 'paper' | 'testnet' | 'mainnet'
export type Verdict = 'allow' | 'resize' | 'veto'
export type RiskStateName = 'active' | 'halted_for_day' | 'stopped'

/** One change Guard made, for machines; `changes` says the same in words. */
export interface ChangeRecord {
  readonly field: string
  readonly from: string | null
  readonly to: string | null
  readonly rule: string
}

interface StartedBody {
  readonly kind: 'started'
  readonly schema: 1
  readonly version: string
  readonly mode: Mode
  readonly account: string
  readonly rules: string
  readonly clients: readonly string[]
}

export interface DecisionBody {
  readonly kind: 'decision'
  readonly via: 'http' | 'ws'
  readonly client: string | null
  readonly signed_as: 'mainnet' | 'testnet' | null
  readonly nonce: number | null
  readonly action: string | null
  readonly verdict: Verdict
  readonly code: string
  readonly text: string
  readonly changes: readonly string[]
  readonly change_records: readonly ChangeRecord[]
  readonly request: Json
  readonly pre: readonly WireAction[]
  readonly forward: WireAction | null
  readonly forward_more: readonly WireAction[]
  readonly post: readonly WireAction[]
  /** Of a heartbeat: how many have come since the last one that was recorded, this one included. */
  readonly heartbeats?: number | undefined
}

export interface SentBody {
  readonly kind: 'sent'
  readonly decision: number
  readonly index: number
  readonly nonce: number
  readonly ok: boolean
  readonly reply: Json
}

export type RiskDetail =
  | {
      readonly until_ms: number
      readonly equity: string
      readonly day_start: string
      readonly limit: string
    }
  | { readonly equity: string; readonly peak: string; readonly limit: string }

export interface RiskBody {
  readonly kind: 'risk'
  readonly state: RiskStateName
  readonly detail: RiskDetail | null
  readonly equity: string | null
  readonly open_positions: number
  readonly discrepancies: readonly string[]
  readonly journal_error: string | null
}

export interface FlattenBody {
  readonly kind: 'flatten'
  readonly reason: string
  readonly actions: readonly WireAction[]
  readonly problems: readonly string[]
  /** What was refused before, in the venue's words; absent in events before Guard kept it. */
  readonly tries?: readonly string[] | undefined
  readonly sent: boolean
}

export interface ProtectBody {
  readonly kind: 'protect'
  readonly coins: readonly string[]
  readonly actions: readonly WireAction[]
  readonly problems: readonly string[]
  /** What was refused before, in the venue's words; absent in events before Guard kept it. */
  readonly tries?: readonly string[] | undefined
  readonly sent: boolean
}

interface KillBody {
  readonly kind: 'kill'
  readonly reason: string
}

interface ErrorBody {
  readonly kind: 'error'
  readonly text: string
}

interface StoppedBody {
  readonly kind: 'stopped'
  readonly reason: string
}

interface RecoveredBody {
  readonly kind: 'recovered'
  readonly of: number
  readonly index: number
  readonly outcome: 'happened' | 'did_not_happen' | 'unknown'
  readonly evidence: string
}

/** A person released the latch, cleared `stopped` or bought requests, at the machine, with Guard stopped. */
interface ReviewedBody {
  readonly kind: 'reviewed'
  readonly what: 'kill' | 'stopped' | 'actions'
  readonly reason: string
  /** For `stopped`: the equity read then, which becomes peak and day start. */
  readonly equity: string | null
}

export type EventBody =
  | StartedBody
  | DecisionBody
  | SentBody
  | RiskBody
  | FlattenBody
  | ProtectBody
  | KillBody
  | ErrorBody
  | StoppedBody
  | RecoveredBody
  | ReviewedBody

export type EventKind = EventBody['kind']

/**
 * What recovery and replay need beside the published fields, kept in the same record under `_`:
 * never shown to readers, never a key. Each part of the program names what it puts there.
 */
export interface Internal {
  readonly _?: { readonly [key: string]: Json }
}

export type GuardEvent = Envelope & EventBody
