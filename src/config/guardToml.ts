import * as z from 'zod'
import { parseAddress } from '../core/values/address.ts'
import { limits } from '../core/values/limits.ts'
import { hasClientNameLength } from './clientName.ts'
import { usualListen } from './listenAddress.ts'

/** The shape of guard.toml; rules, market and client sections are read by the rule table. */

const address = z.string().transform((text, context) => {
  const parsed = parseAddress(text)
  if (parsed.ok) return parsed.value
  context.addIssue({ code: 'custom', message: parsed.error })
  return z.NEVER
})

const text = (most: number): z.ZodString => z.string().min(1).max(most)

const clientName = z
  .string()
  .refine(hasClientNameLength, `must have 1 to ${limits.clientNameCharsMax} characters`)

const count = (least: number, most: number): z.ZodNumber =>
  z.int(`must be a whole number from ${least} to ${most}`).min(least).max(most)

/** Listening beyond this machine takes this sentence, so that nobody does it by accident. */
const exposeWords = 'other machines may reach Guard'

export const guardTomlSchema = z.strictObject({
  mode: z.enum(['paper', 'testnet', 'mainnet']),
  account: address,
  listen: text(100).default(usualListen),
  expose: z.literal(exposeWords).optional(),
  expose_hosts: z.array(text(255)).max(16).default([]),
  read_token_file: text(1_000).optional(),
  state_dir: text(1_000).default('state'),
  emergency_dir: text(1_000).optional(),
  venue: z
    .strictObject({
      url: text(500).optional(),
      ws_url: text(500).optional(),
      network: z.enum(['mainnet', 'testnet']).optional(),
      api_wallet: address.optional(),
      via: address.optional(),
      builders: z.array(address).max(64).default([]),
      weight_per_minute: count(60, 1_000_000_000).default(1_200),
      timeout_ms: count(100, 60_000).default(5_000),
    })
    .prefault({}),
  host: z.strictObject({ dir: text(1_000).optional() }).prefault({}),
  fleet: z.strictObject({ url_file: text(1_000) }).optional(),
  journal: z.strictObject({ keep_days: count(1, 36_500).optional() }).prefault({}),
  key: z
    .strictObject({
      file: text(1_000).default('api-wallet.json'),
      passphrase_file: text(1_000).optional(),
    })
    .prefault({}),
  clients: z.record(address, z.strictObject({ name: clientName })).default({}),
  rules: z.unknown().default({}),
  market: z.record(text(40), z.unknown()).default({}),
  client: z.record(address, z.unknown()).default({}),
  alerts: z.unknown().default({}),
})

export type GuardToml = z.infer<typeof guardTomlSchema>
