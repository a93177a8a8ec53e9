import * as z from 'zod'
import type { Json, WireAction } from '../../core/protocol/action.ts'

/** Building blocks of the contract's schemas. */

export const decimal = z
  .string()
  .regex(/^-?\d+(\.\d+)?$/)
  .meta({ description: 'a decimal number as a string' })

export const epochMs = z.int().nonnegative().meta({ description: 'UTC epoch milliseconds' })

export const count = z.int().nonnegative()

export const address = z
  .string()
  .regex(/^0x[0-9a-f]{40}$/)
  .meta({ description: 'an address, 0x and 40 lower-case hex digits' })

/** An address in any case, as a request may write it. */
export const anyAddress = z
  .string()
  .regex(/^0[xX][0-9a-fA-F]{40}$/)
  .meta({ description: 'an address, 0x and 40 hex digits' })

/** Any JSON value, as someone else defined it. */
export const json: z.ZodType<Json> = z.any()

/** An action in the venue's own form. */
export const wireAction = z
  .looseObject({ type: z.string() })
  .meta({ description: "an action in the venue's own form" }) as unknown as z.ZodType<WireAction>

export const verdict = z.enum(['allow', 'resize', 'veto'])
export const mode = z.enum(['paper', 'testnet', 'mainnet'])
export const riskState = z.enum(['active', 'halted_for_day', 'stopped'])

export const riskDetail = z.union([
  z.object({ until_ms: epochMs, equity: decimal, day_start: decimal, limit: decimal }),
  z.object({ equity: decimal, peak: decimal, limit: decimal }),
])

/** What stands behind the cross positions that lean on it. */
const crossPool = z.object({
  dex: z.string().nullable().meta({
    description: 'the dex whose collateral it is, empty for the main one; null: all of the account',
  }),
  collateral: decimal.meta({ description: 'USD behind all of it' }),
  value: decimal.meta({ description: 'USD of positions and entries, at their worst' }),
  maintenance: decimal.meta({ description: 'USD that the venue keeps for them' }),
  distance: decimal.meta({
    description: 'how far all marks can move against all of it before it is liquidated, a ratio',
  }),
})

/** Of each pool that something leans on. */
export const crossPools = {
  cross: crossPool
    .nullable()
    .meta({ description: 'the pool nearest to its liquidation; null where nothing is on cross' }),
  cross_pools: z.array(crossPool).meta({
    description: 'all of them, the nearest first: each dex of a plain account has its own',
  }),
}
