import * as z from 'zod'
import {
  address,
  count,
  decimal,
  epochMs,
  json,
  mode,
  riskDetail,
  riskState,
  verdict,
  wireAction,
} from './parts.ts'

/** Guard's events, schema 1, as the published contract: the same fields as `core/events` has. */

const envelope = {
  seq: z.int().positive().meta({ description: '1, 2, 3, ... over the life of the journal' }),
  at_ms: epochMs,
}

const texts = z.array(z.string())
const actions = z.array(wireAction)
const tries = texts.optional().meta({
  description: "what was refused before, in the venue's words; events of older versions have none",
})

const startedEvent = z
  .object({
    ...envelope,
    kind: z.literal('started'),
    schema: z.literal(1),
    version: z.string(),
    mode,
    account: address,
    rules: z.string().regex(/^gr1_/).meta({ description: 'the rules code' }),
    clients: z.array(address),
  })
  .meta({ id: 'StartedEvent', description: 'Guard started.' })

export const changeRecord = z
  .object({
    field: z.string(),
    from: z.string().nullable(),
    to: z.string().nullable(),
    rule: z.string(),
  })
  .meta({ id: 'ChangeRecord', description: 'One change Guard made, for machines.' })

export const decisionEvent = z
  .object({
    ...envelope,
    kind: z.literal('decision'),
    via: z.enum(['http', 'ws']),
    client: address.nullable().meta({ description: 'null when the signature did not check out' }),
    signed_as: z
      .enum(['mainnet', 'testnet'])
      .nullable()
      .meta({ description: 'the phantom agent the bot signed for' }),
    nonce: count.nullable().meta({ description: 'the nonce the bot signed with' }),
    action: z.string().nullable().meta({ description: "the action's type; null if unreadable" }),
    verdict,
    code: z.string().meta({ description: 'one of the reason codes' }),
    text: z.string().meta({ description: 'the reason for a person' }),
    changes: texts.meta({ description: 'each change Guard made, in words' }),
    change_records: z.array(changeRecord).meta({ description: 'the same changes for machines' }),
    request: json.meta({
      description:
        'the action as received; null if it could not be decoded; of a refused one over 16 KiB ' +
        '{"bytes", "sha256", "head"}: its length, hash and first 1,024 characters',
    }),
    pre: actions.meta({ description: 'actions Guard sends first' }),
    forward: wireAction.nullable().meta({
      description: 'the action Guard sends, or would send in paper mode; null for a veto',
    }),
    forward_more: actions.meta({ description: 'further actions of the same request' }),
    post: actions.meta({ description: 'actions sent afterwards' }),
    heartbeats: count.optional().meta({
      description: 'of a heartbeat: how many came since the last one on record, this one included',
    }),
  })
  .meta({
    id: 'DecisionEvent',
    description: 'Exactly one for every request to /exchange that was not shed.',
  })

export const sentEvent = z
  .object({
    ...envelope,
    kind: z.literal('sent'),
    decision: count.meta({ description: 'the seq of the decision, flatten or protect event' }),
    index: count.meta({ description: "the action's place among those of its event" }),
    nonce: count.meta({ description: "Guard's own nonce" }),
    ok: z.boolean().meta({ description: 'whether the venue accepted it whole' }),
    reply: json.meta({ description: "the venue's JSON, or {error, may_have_arrived}" }),
  })
  .meta({ id: 'SentEvent', description: 'What went to the venue and what came back.' })

const riskEvent = z
  .object({
    ...envelope,
    kind: z.literal('risk'),
    state: riskState,
    detail: riskDetail.nullable(),
    equity: decimal.nullable(),
    open_positions: count,
    discrepancies: texts.meta({
      description: "what the venue shows and Guard's own record does not explain",
    }),
    journal_error: z.string().nullable(),
  })
  .meta({ id: 'RiskEvent', description: 'The state of the risk engine changed.' })

const flattenEvent = z
  .object({
    ...envelope,
    kind: z.literal('flatten'),
    reason: z.string(),
    actions: actions.meta({ description: 'the cancels and closes, in order' }),
    problems: texts.meta({ description: 'what could not be priced or done' }),
    tries,
    sent: z.boolean().meta({ description: 'false in paper mode' }),
  })
  .meta({ id: 'FlattenEvent', description: 'Everything is being cancelled and closed.' })

const protectEvent = z
  .object({
    ...envelope,
    kind: z.literal('protect'),
    coins: texts,
    actions: actions.meta({ description: "Guard's own stops, or closes where a stop is refused" }),
    problems: texts,
    tries,
    sent: z.boolean().meta({ description: 'false in paper mode' }),
  })
  .meta({ id: 'ProtectEvent', description: 'Positions had no market stop covering them in full.' })

const killEvent = z
  .object({
    ...envelope,
    kind: z.literal('kill'),
    reason: z.string().meta({ description: 'why, and whether by command, file or client' }),
  })
  .meta({ id: 'KillEvent', description: 'The kill switch latched.' })

const errorEvent = z
  .object({ ...envelope, kind: z.literal('error'), text: z.string() })
  .meta({ id: 'ErrorEvent', description: 'Something went wrong outside a request.' })

const stoppedEvent = z
  .object({
    ...envelope,
    kind: z.literal('stopped'),
    reason: z.string().meta({ description: 'a signal, or why Guard stopped by itself' }),
  })
  .meta({ id: 'StoppedEvent', description: 'Guard stopped.' })

const recoveredEvent = z
  .object({
    ...envelope,
    kind: z.literal('recovered'),
    of: count.meta({ description: 'the seq of the event whose action it was' }),
    index: count,
    outcome: z.enum(['happened', 'did_not_happen', 'unknown']),
    evidence: z.string(),
  })
  .meta({
    id: 'RecoveredEvent',
    description: 'After a crash: what became of an action that was on disk and had no sent event.',
  })

const reviewedEvent = z
  .object({
    ...envelope,
    kind: z.literal('reviewed'),
    what: z.enum(['kill', 'stopped', 'actions']),
    reason: z.string(),
    equity: decimal
      .nullable()
      .meta({ description: 'for stopped: the equity read then, the new peak and day start' }),
  })
  .meta({
    id: 'ReviewedEvent',
    description:
      'A person released the kill switch, resumed after a stop or bought requests, at the machine.',
  })

/** In the order of the contract. */
export const eventSchemas = [
  startedEvent,
  decisionEvent,
  sentEvent,
  riskEvent,
  flattenEvent,
  protectEvent,
  killEvent,
  errorEvent,
  stoppedEvent,
  recoveredEvent,
  reviewedEvent,
] as const

export const guardEvent = z
  .discriminatedUnion('kind', eventSchemas)
  .meta({ id: 'Event', description: 'One event. Readers ignore fields they do not know.' })
