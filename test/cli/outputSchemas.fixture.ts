import * as z from 'zod'
import { guardEvent } from '../../src/gateway/schema/events.ts'
import { address, count, decimal, epochMs, mode } from '../../src/gateway/schema/parts.ts'

/** What `--json` prints, command by command; what a running Guard answers is in its own schemas. */

const rulesCode = z.string().regex(/^gr1_[A-Za-z0-9_-]+$/)
const rulesTable = z.record(z.string(), z.unknown())
const place = z.strictObject({ segment: z.string(), line: count, byte: count })

/** What nothing closes any more; null where the venue could not be read. */
const openPositions = z.array(z.strictObject({ coin: z.string(), size: z.string() })).nullable()

export const errorOutput = z.strictObject({
  error: z.strictObject({
    code: z.union([z.literal(1), z.literal(2), z.literal(3)]),
    text: z.string().min(1),
    details: z.array(z.string()),
  }),
})

export const initOutput = z.strictObject({
  via: address.nullable(),
  home: z.string(),
  mode,
  account: address,
  api_wallet: address.nullable(),
  api_wallet_valid_until_ms: epochMs.nullable(),
  client: z.strictObject({ address, key_file: z.string().nullable() }).nullable(),
  /** With `--force`: where the old guard.toml is kept, and what of it is not in the new one. */
  replaced: z.strictObject({ copy: z.string(), not_taken_over: z.array(z.string()) }).nullable(),
})

export const keyReplaceOutput = z.strictObject({
  replaced: z.strictObject({
    account: address,
    api_wallet: address,
    /** As guard.toml named it before; null where it named none. */
    api_wallet_before: address.nullable(),
    api_wallet_valid_until_ms: epochMs.nullable(),
    key_file: z.string(),
    /** The event that says that records are proven by the new key; null where none was needed. */
    rekeyed_seq: count.nullable(),
  }),
})

export const killOutput = z.strictObject({
  killed: z.strictObject({
    reason: z.string(),
    already: z.boolean(),
    state_dir: z.string(),
    /** It is on disk, so that the next start knows of it. */
    durable: z.boolean(),
    /** A running Guard said that it is latched. */
    seen_by_guard: z.boolean(),
  }),
})

export const killAllOutput = z.strictObject({
  ok: z.boolean(),
  guards: z.array(
    z.strictObject({
      home: z.string(),
      account: z.string(),
      network: z.string(),
      state: z.enum(['flat', 'latched', 'stopped', 'silent']),
      latched: z.boolean(),
      flat_ms: z.int().nullable(),
      why: z.string().nullable(),
    }),
  ),
})

export const accountsOutput = z.strictObject({
  host_dir: z.string(),
  accounts: z.array(
    z.strictObject({
      home: z.string(),
      account: z.string(),
      network: z.string(),
      mode: z.string(),
      state: z.string(),
      running: z.boolean(),
      equity: z.string().nullable(),
      positions: z.int(),
      kill: z.string().nullable(),
      version: z.string(),
      weight: z.number(),
      last_seen_ms: z.int(),
      pid: z.int(),
      url: z.string().nullable(),
    }),
  ),
})

export const fleetInitOutput = z.strictObject({
  fleet: z.strictObject({
    store: z.string(),
    from: count,
    to: count,
    advice: z.array(z.string()),
  }),
})

const network = z.enum(['mainnet', 'testnet'])

export const fleetAddOutput = z.strictObject({
  added: z.strictObject({
    name: z.string(),
    account: address,
    network,
    group: z.string().nullable(),
    role: z.string(),
    url_file: z.string(),
  }),
})

export const fleetKillOutput = z.strictObject({
  kill: z.strictObject({
    scope: z.string(),
    epoch: count,
    reason: z.string(),
    notified: z.boolean(),
  }),
  members: z
    .array(
      z.strictObject({
        name: z.string(),
        network,
        account: address,
        state: z.enum(['flat', 'latched', 'not_yet', 'silent', 'unseen']),
        last_seen_ms: epochMs.nullable(),
        latched_ms: count.nullable(),
      }),
    )
    .nullable(),
  all_flat: z.boolean(),
})

export const fleetLimitOutput = z.strictObject({
  limit: z.strictObject({
    scope: z.string(),
    kind: z.string(),
    limit_usd: decimal,
    leased_usd: decimal,
    fits: z.boolean(),
    known_by: count.nullable(),
  }),
})

export const fleetLimitRemovedOutput = z.strictObject({
  removed: z.strictObject({
    scope: z.string(),
    kind: z.string(),
    freed_usd: decimal,
    holders: count,
  }),
})

export const fleetBudgetsOutput = z.strictObject({
  budgets: z.array(
    z.strictObject({
      scope: z.string(),
      kind: z.string(),
      limit_usd: decimal,
      leased_usd: decimal,
      used_usd: decimal,
      holders: z.array(
        z.strictObject({
          name: z.string(),
          held_usd: decimal,
          used_usd: decimal,
          last_renewed_ms: epochMs,
          silent: z.boolean(),
        }),
      ),
    }),
  ),
})

export const fleetClearOutput = z.strictObject({
  cleared: z.strictObject({
    scope: z.string(),
    epoch: count,
    unacknowledged: z.array(z.string()).nullable(),
  }),
})

export const fleetRetireOutput = z.strictObject({
  retired: z.strictObject({ name: z.string(), role: z.string(), written_off_usd: decimal }),
})

export const fleetVerifyOutput = z.strictObject({
  ok: z.boolean(),
  chains: z.array(
    z.strictObject({
      ...{ name: z.string(), network, account: address, writer_epoch: count.nullable() },
      ...{ retired: z.boolean(), ok: z.boolean(), records: count },
      ...{ first: count.nullable(), last: count.nullable(), last_hash: z.string().nullable() },
      ...{ missing: count, proven: count, behind: count, unconfirmed: count, forks: count },
      ...{ acting: z.boolean(), host: z.string().nullable() },
      not_here: z.strictObject({ from: count, to: count, records: count }).nullable(),
      head: z.strictObject({ seq: count, at_ms: epochMs }).nullable(),
      fault: z
        .strictObject({
          what: z.enum(['changed', 'removed', 'added', 'cut_off']),
          seq: count,
          text: z.string(),
        })
        .nullable(),
    }),
  ),
})

export const fleetWatchOutput = z.union([
  z.strictObject({ watch: z.strictObject({ url: z.string(), store: z.string() }) }),
  z.strictObject({
    alert: z.strictObject({
      ...{ phase: z.enum(['began', 'over']), code: z.string(), member: z.string().nullable() },
      ...{ text: z.string(), since_ms: epochMs },
    }),
  }),
])

export const releaseOutput = z.strictObject({
  released: z.strictObject({
    reason: z.string(),
    seq: count,
    open_positions: openPositions,
  }),
})

export const actionsBuyOutput = z.strictObject({
  bought: z.strictObject({
    requests: count,
    cost: decimal,
    seq: count,
    used: count.nullable(),
    cap: count.nullable(),
  }),
})

export const resumeOutput = z.strictObject({
  resumed: z.strictObject({
    reason: z.string(),
    seq: count,
    equity: decimal,
    open_positions: openPositions,
  }),
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

export const rulesShowOutput = z.strictObject({
  ...{ code: rulesCode, rules: rulesTable },
  missing: z.array(z.string()),
})
export const rulesCheckOutput = z.strictObject({
  ...{ ok: z.literal(true), rules: rulesCode },
  missing: z.array(z.string()),
})
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

/** The records that were removed after `keep_days`, by number. */
const removed = z.strictObject({ from: count, to: count }).nullable()

export const journalVerifyOutput = z.strictObject({
  ok: z.boolean(),
  records: count,
  removed,
  segments: count,
  bytes: count,
  last_hash: z.string(),
  unfinished_bytes: count,
  proofs: z
    .strictObject({ from: count, records: count, checked: count, keys: z.array(z.string()) })
    .nullable(),
  problem: z.strictObject({ text: z.string(), place: place.nullable() }).nullable(),
})

export const journalRekeyOutput = z.strictObject({ rekeyed: z.strictObject({ seq: count }) })

export const journalStatsOutput = z.strictObject({
  account: address,
  network: z.enum(['mainnet', 'testnet']),
  events: count,
  removed,
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

export const venueDoctorOutput = z.strictObject({
  ok: z.boolean(),
  venue: z.string(),
  network: z.string(),
  account: z.string().regex(/^0x[0-9a-f]{4}…[0-9a-f]{4}$/),
  at: z.iso.datetime(),
  weight: z.strictObject({ used: count, most: count }),
  points: z.array(
    z.strictObject({
      name: z.string(),
      assumed: z.string(),
      option: z.string().nullable(),
      state: z.enum(['confirmed', 'refuted', 'not seen']),
      seen: z.string(),
      values: z.record(z.string(), z.json()),
    }),
  ),
  unanswered: z.array(z.strictObject({ question: z.string(), why: z.string() })),
})

export const simOutput = z.strictObject({ url: z.url(), ws_url: z.url() })

/** `guard fleet demo --json` prints one of these in each line. */
export const fleetDemoLine = z.union([
  z.strictObject({ starting: z.literal(true) }),
  z.strictObject({ waiting: z.literal(true) }),
  z.strictObject({ ending: z.literal(true) }),
  z.strictObject({ told: z.string() }),
  z.strictObject({
    fleet_demo: z.strictObject({
      ...{ url: z.string(), sim_url: z.string(), store: z.string(), url_file: z.string() },
      guards: z.array(z.strictObject({ name: z.string(), account: address, url: z.string() })),
    }),
  }),
  z.strictObject({
    kill: z.strictObject({
      scope: z.string(),
      epoch: count,
      reason: z.string(),
      notified: z.boolean(),
    }),
  }),
  z.strictObject({
    member: z.strictObject({
      ...{ name: z.string(), latched_ms: count.nullable() },
      state: z.enum(['flat', 'latched', 'silent', 'unseen']),
    }),
  }),
])

/** `guard demo --json` prints one of these in each line. */
export const demoLine = z.union([
  z.strictObject({
    demo: z.strictObject({
      url: z.url(),
      sim_url: z.url(),
      account: address,
      client_key_file: z.string(),
    }),
  }),
  z.strictObject({ event: guardEvent }),
  z.strictObject({ scene: z.strictObject({ number: count, title: z.string() }) }),
  z.strictObject({ told: z.string() }),
  z.strictObject({ over: z.literal(true) }),
])

/** A line of the log of `guard run`; what else it carries depends on what happened. */
export const logLine = z.looseObject({
  at_ms: epochMs,
  level: z.enum(['debug', 'info', 'warn', 'error']),
  message: z.string().min(1),
})

export const alertsTestOutput = z.array(
  z.strictObject({ channel: z.string(), ok: z.boolean(), text: z.string().min(1) }),
)

const attack = { group: z.string(), name: z.string(), tries: z.string() }
const outcome = z.enum(['held', 'got_through', 'unclear', 'skipped'])

export const redteamOutput = z.strictObject({
  results: z.array(
    z.strictObject({
      ...attack,
      outcome,
      how: z.string(),
      ms: count,
      peak_bytes: count.nullable(),
    }),
  ),
  counts: z.record(outcome, count),
})

export const redteamListOutput = z.array(z.strictObject(attack))

/** With `--http`; over standard input and output the protocol alone speaks. */
export const mcpOutput = z.strictObject({
  mcp: z.strictObject({ url: z.url(), guard: z.url() }),
})

export const benchOutput = z.strictObject({
  command: z.string(),
  cores: count,
  node: z.string(),
  platform: z.string(),
  minutes: z.number().nonnegative(),
  parts: z.array(
    z.strictObject({
      name: z.string(),
      title: z.string(),
      notes: z.array(z.string()),
      tables: z.array(
        z.strictObject({
          title: z.string(),
          columns: z.array(z.string()),
          rows: z.array(z.array(z.string())),
        }),
      ),
      bars: z.array(
        z.strictObject({
          name: z.string(),
          wanted: z.string(),
          found: z.string(),
          isMet: z.boolean().nullable(),
        }),
      ),
      figures: z.unknown(),
    }),
  ),
})

export const completionOutput = z.strictObject({
  shell: z.enum(['bash', 'zsh', 'fish']),
  script: z.string().min(1),
})

const backedUp = {
  made_at_ms: epochMs,
  account: z.string(),
  network: z.enum(['mainnet', 'testnet']),
  journal: z.strictObject({ last_seq: count, last_hash: z.string().length(64) }).nullable(),
  left_out: z.array(z.string()),
  files: count,
  bytes: count,
}

export const backupOutput = z.strictObject({ path: z.string(), ...backedUp })

export const restoreOutput = z.strictObject({
  home: z.string(),
  state_dir: z.string(),
  latched: z.strictObject({ reason: z.string() }),
  ...backedUp,
})
