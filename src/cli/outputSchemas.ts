import { z } from 'zod'
import { address, count, decimal, epochMs, mode } from '../gateway/schema/parts.ts'

/** What `--json` prints, command by command; what a running Guard answers is in its own schemas. */

const rulesCode = z.string().regex(/^gr1_[A-Za-z0-9_-]+$/)
const rulesTable = z.record(z.string(), z.unknown())
const place = z.strictObject({ segment: z.string(), line: count, byte: count })

export const errorOutput = z.strictObject({
  error: z.strictObject({
    code: z.union([z.literal(1), z.literal(2), z.literal(3)]),
    text: z.string().min(1),
    details: z.array(z.string()),
  }),
})

export const initOutput = z.strictObject({
  home: z.string(),
  mode,
  account: address,
  api_wallet: address.nullable(),
  api_wallet_valid_until_ms: epochMs.nullable(),
  client: z.strictObject({ address, key_file: z.string().nullable() }),
})

export const killOutput = z.strictObject({
  killed: z.strictObject({
    reason: z.string(),
    already: z.boolean(),
    state_dir: z.string(),
    /** A running Guard said that it is latched. */
    seen_by_guard: z.boolean(),
  }),
})

export const releaseOutput = z.strictObject({
  released: z.strictObject({ reason: z.string(), seq: count }),
})

export const resumeOutput = z.strictObject({
  resumed: z.strictObject({ reason: z.string(), seq: count, equity: decimal }),
})

export const clientAddOutput = z.strictObject({
  client: z.strictObject({
    address,
    name: z.string(),
    key_file: z.string().nullable(),
    url: z.url(),
  }),
})

export const clientListOutput = z.strictObject({
  clients: z.array(z.strictObject({ address, name: z.string() })),
})

export const clientRevokeOutput = z.strictObject({ revoked: address })

export const rulesShowOutput = z.strictObject({ code: rulesCode, rules: rulesTable })
export const rulesCheckOutput = z.strictObject({ ok: z.literal(true), rules: rulesCode })
export const rulesEncodeOutput = z.strictObject({ rules: rulesCode })
export const rulesDecodeOutput = rulesTable
export const rulesDiffOutput = z.strictObject({
  differences: z.array(
    z.looseObject({
      key: z.string(),
      from: z.string(),
      to: z.string(),
      direction: z.enum(['tighter', 'looser']),
    }),
  ),
})

export const journalVerifyOutput = z.strictObject({
  ok: z.boolean(),
  records: count,
  segments: count,
  bytes: count,
  last_hash: z.string(),
  unfinished_bytes: count,
  problem: z.strictObject({ text: z.string(), place: place.nullable() }).nullable(),
})

export const journalStatsOutput = z.strictObject({
  account: address,
  network: z.enum(['mainnet', 'testnet']),
  events: count,
  bytes: count,
  segments: z.array(z.string()),
  first_at_ms: epochMs.nullable(),
  last_at_ms: epochMs.nullable(),
  kinds: z.record(z.string(), count),
  bytes_per_event: count.nullable(),
  emergency: count,
})

export const doctorOutput = z.strictObject({
  ok: z.boolean(),
  findings: z.array(
    z.strictObject({
      name: z.string(),
      state: z.enum(['ok', 'warn', 'bad']),
      text: z.string(),
      remedy: z.string().nullable(),
    }),
  ),
})

export const simOutput = z.strictObject({ url: z.url(), ws_url: z.url() })
