import * as z from 'zod'
import { changeRecord, decisionEvent, sentEvent } from './events.ts'
import {
  anyAddress,
  count,
  crossPools,
  decimal,
  epochMs,
  json,
  verdict,
  wireAction,
} from './parts.ts'

/** Requests and replies of the endpoints that are not the venue's own. */

export const errorReply = z
  .object({ error: z.object({ code: z.string(), text: z.string() }) })
  .meta({ id: 'Error', description: 'What went wrong, for a machine and for a person.' })

export const okReply = z.object({ status: z.literal('ok') }).meta({ id: 'Ok' })

export const decisionReply = z
  .object({ decision: decisionEvent, sent: z.array(sentEvent) })
  .meta({ id: 'Decision', description: 'A decision and what was sent for it, in order.' })

export const equityReply = z
  .object({
    samples: z
      .array(z.tuple([epochMs, decimal]))
      .meta({ description: 'time and equity, oldest first; about four a minute' }),
  })
  .meta({ id: 'Equity', description: 'The equity of the UTC day so far.' })

const signature = z.object({ r: z.string(), s: z.string(), v: z.int() })

export const exchangeRequest = z
  .object({
    action: wireAction,
    nonce: count,
    signature,
    vaultAddress: z.string().nullable().optional(),
    expiresAfter: count.nullable().optional(),
  })
  .meta({ id: 'ExchangeRequest', description: "The venue's own request, signed by a client key." })

export const exchangeReply = z
  .object({
    status: z.enum(['ok', 'err']),
    response: json,
    code: z.string().optional(),
    verdict: verdict.optional(),
    requested_size: decimal.optional(),
    size: decimal.optional(),
    entries: z
      .array(z.object({ requested_size: decimal, size: decimal, code: z.string() }))
      .optional(),
  })
  .meta({ id: 'ExchangeReply', description: "The venue's reply with Guard's fields beside it." })

export const killRequest = z
  .object({
    action: z.object({
      type: z.literal('guardKill'),
      reason: z.string().meta({ description: '1 to 200 printable characters' }),
    }),
    nonce: count,
    signature,
  })
  .meta({ id: 'KillRequest' })

export const killReply = z
  .object({
    status: z.literal('ok'),
    killed: z.object({
      reason: z.string(),
      at_ms: epochMs,
      already: z.boolean(),
      durable: z.boolean().meta({
        description: 'whether a disk has the latch; if not, it holds in memory until one has',
      }),
    }),
    flatten: z.object({ seq: count }).nullable(),
  })
  .meta({ id: 'KillReply' })

export const previewRequest = z
  .strictObject({ action: wireAction, client: anyAddress.nullable().optional() })
  .meta({ id: 'PreviewRequest', description: 'An unsigned action.' })

/** What is known of a builder dex's market; left out on the main dex. */
const previewDex = z.object({
  name: z.string(),
  stop_gap: decimal,
  stop_gap_usd: decimal.nullable(),
  mark: decimal.nullable(),
  oracle: decimal.nullable(),
  mark_from_oracle: decimal.nullable(),
  told_age_ms: z.number().nullable(),
  at_cap: z.boolean().nullable(),
  halted: z.boolean().nullable(),
  documented_session: z.string().nullable(),
})

const previewEntry = z.object({
  coin: z.string(),
  side: z.string(),
  requested_size: decimal,
  size: decimal,
  worst_price: decimal.nullable(),
  stop: decimal.nullable(),
  leverage: z.number().nullable(),
  margin: z.enum(['isolated', 'cross']).nullable(),
  risk: decimal.nullable(),
  verdict,
  code: z.string(),
  dex: previewDex.optional(),
})

export const previewReply = z
  .object({
    verdict,
    code: z.string(),
    text: z.string(),
    changes: z.array(z.string()),
    change_records: z.array(changeRecord),
    request: json,
    pre: z.array(wireAction),
    forward: wireAction.nullable(),
    forward_more: z.array(wireAction),
    post: z.array(wireAction),
    entries: z.array(previewEntry),
    ...crossPools,
    account_age_ms: count.nullable(),
  })
  .meta({ id: 'Preview', description: 'What Guard would decide now; nothing changes.' })
