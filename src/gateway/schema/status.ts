import * as z from 'zod'
import {
  address,
  count,
  crossPools,
  decimal,
  epochMs,
  json,
  mode,
  riskDetail,
  riskState,
} from './parts.ts'

const risk = z.object({
  state: riskState,
  detail: riskDetail.nullable(),
  equity: decimal.nullable(),
  day_start_equity: decimal.nullable(),
  peak_equity: decimal.nullable(),
  day: z.string().meta({ description: 'the UTC day, YYYY-MM-DD' }),
  daily_loss: decimal.nullable().meta({ description: 'a ratio of the equity at the day start' }),
  daily_loss_limit: decimal,
  drawdown: decimal.nullable().meta({ description: 'a ratio of the peak' }),
  drawdown_limit: decimal,
  open_risk: decimal.nullable().meta({
    description:
      'USD lost at the stops, without costs; null while a position is not covered in full',
  }),
  open_risk_limit: decimal.nullable().meta({ description: 'USD' }),
  waiting_loss: decimal.optional().meta({
    description:
      'USD that entries which wait for a trigger could lose while Guard is away; left out while none waits',
  }),
  waiting_loss_limit: decimal.nullable().optional().meta({ description: 'USD' }),
})

const stop = z.object({
  oid: count.nullable(),
  price: decimal,
  size: decimal,
  owner: z.enum(['bot', 'guard']),
})

export const position = z
  .object({
    coin: z.string(),
    side: z.enum(['long', 'short']),
    size: decimal,
    entry_price: decimal,
    mark_price: decimal.nullable(),
    value: decimal.nullable(),
    unrealised_pnl: decimal,
    leverage: z.number(),
    margin: z.enum(['isolated', 'cross']),
    liquidation_price: decimal.nullable(),
    stops: z.array(stop),
    covered: z.boolean(),
    risk: decimal.nullable().meta({
      description:
        'USD lost if its stops are hit; where orders that would add to it are open, the tightest of ' +
        'the stops it can spare count for those orders',
    }),
  })
  .meta({ id: 'Position' })

const twap = z
  .object({
    id: count.nullable(),
    coin: z.string(),
    side: z.enum(['buy', 'sell']),
    size: decimal,
    executed: decimal,
    minutes: count,
    reduce_only: z.boolean(),
    worst_price: decimal.nullable(),
    stop: decimal.nullable().meta({ description: 'what rests for all of it once it fills' }),
    owner: z.enum(['bot', 'elsewhere']),
  })
  .meta({ description: 'What the venue trades by itself, slice by slice.' })

export const alert = z
  .object({
    code: z.string(),
    text: z.string(),
    since_ms: epochMs,
    coin: z.string().exactOptional(),
  })
  .meta({ id: 'Alert', description: 'Something a person should know while it lasts.' })

/** `GET /guard/status`. */
const fleetWriter = z.object({
  state: z.enum(['held', 'waits', 'lost', 'standby']).meta({
    description:
      'standby: another Guard acts, and this one would take over; waits: another has the right, or had it a moment ago; lost: another has taken it',
  }),
  at_host: z.string().nullable().meta({
    description: 'where the Guard runs that has the right, where that is another one',
  }),
  held: z.boolean().meta({ description: 'whether this Guard may open for the account' }),
  epoch: count.nullable().meta({ description: 'rises with every run that takes the right' }),
  until_ms: epochMs.nullable(),
})

const fleetLease = z.object({
  spare_until_ms: epochMs.nullable().meta({
    description: 'until then entries within what is held pass without a word of the store',
  }),
  ended: z.string().nullable().meta({
    description: 'why nothing opens for the fleet’s sake; null while entries pass',
  }),
  parts: z.array(
    z.object({
      scope: z.string(),
      kind: z.string(),
      held: decimal.meta({ description: 'USD leased here' }),
      used: decimal
        .nullable()
        .meta({ description: 'USD open, in flight and resting; null until seen' }),
      budget: decimal.meta({ description: 'USD set for all of the scope' }),
    }),
  ),
})

export const status = z
  .object({
    schema: z.literal(1),
    version: z.string(),
    mode,
    network: z.enum(['mainnet', 'testnet']),
    account: address,
    via: address.nullable().meta({
      description: 'whose sub-account or vault the account is; null: it has a key of its own',
    }),
    account_mode: z
      .enum([
        ...(['default', 'disabled', 'unifiedAccount', 'portfolioMargin'] as const),
        'dexAbstraction',
        'unknown',
      ])
      .meta({ description: "the venue's mode of the account" }),
    started_at_ms: epochMs,
    now_ms: epochMs,
    last_seq: count,
    kill: z.object({
      latched: z.boolean(),
      reason: z.string().nullable(),
      at_ms: epochMs.nullable(),
      durable: z.boolean().meta({ description: 'whether the latch is on disk' }),
    }),
    risk,
    entries: z.object({
      pass: z.boolean().meta({ description: 'whether an entry within the rules would pass now' }),
      reason: z.string().nullable().meta({ description: 'why not, for a person' }),
    }),
    rules: z.string().meta({ description: 'the rules code' }),
    rules_decoded: json,
    client_rules: z.record(z.string(), json).optional().meta({
      description: 'the rules as they are for each client that has tighter ones of its own',
    }),
    clients: z.array(address),
    assumptions: z
      .object({
        fee: decimal.meta({ description: 'of the value, on the way in and on the way out' }),
        slippage: decimal.meta({ description: 'of the value, on the way in and on the way out' }),
        stop_slippage: decimal.meta({
          description: "how far beyond its trigger a stop may fill, of the trigger's price",
        }),
        funding: z.null().meta({ description: 'not counted' }),
      })
      .meta({ description: 'what sizes are computed with' }),
    positions: z.array(position),
    ...crossPools,
    twaps: z.array(twap),
    open_orders: count,
    in_flight: count,
    alerts: z.array(alert),
    venue: z.object({
      url: z.string(),
      stream: z.enum(['live', 'stale', 'down']),
      last_message_ms: epochMs.nullable(),
      last_reconcile_ms: epochMs.nullable(),
      weight_used_1m: z.number(),
      weight_limit_1m: z.number(),
    }),
    host: z
      .object({
        guards: count.meta({ description: 'Guards that run on this host, this one among them' }),
        weight_share: z
          .number()
          .meta({ description: 'request weight a minute that this Guard may spend now' }),
        floor: z.number().meta({ description: 'what of it nobody can take' }),
        others: z
          .array(z.object({ account: address, network: z.string(), url: z.string() }))
          .meta({ description: 'the others that run here, with the address of each one’s page' }),
      })
      .nullable()
      .meta({ description: 'null where this Guard has not joined the others of its host' }),
    fleet: z
      .object({
        name: z.string().nullable().meta({
          description: 'what the fleet calls this Guard; null until the store has said it',
        }),
        group: z.string().nullable(),
        store: z.enum(['up', 'down']).meta({
          description:
            'whether the fleet’s store answers; nothing waits for it, and exits do not depend on it',
        }),
        lease: fleetLease.nullable().meta({
          description:
            'what is leased here of the budgets that the fleet shares; null in paper mode',
        }),
        writer: fleetWriter.nullable().meta({
          description:
            'the right to act for the account, of which one Guard has it; null in paper mode',
        }),
        epoch: count
          .nullable()
          .meta({ description: 'the last kill of the fleet that this Guard has obeyed' }),
        outbox_lag: count.nullable().meta({
          description: 'records on disk that are not copied to the store yet; null until known',
        }),
      })
      .nullable()
      .meta({ description: 'null where this Guard is a member of no fleet' }),
    journal: z.object({
      path: z.string(),
      events: count,
      bytes: count,
      last_sync_ms: epochMs.nullable(),
      error: z.string().nullable(),
    }),
  })
  .meta({
    id: 'Status',
    description: 'The state now. Unknown values are null, never omitted.',
  })
