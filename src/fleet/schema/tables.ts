/**
 * The tables of the schema `guard`. Budgets, leases and control are changed by the schema's functions
 * alone: nobody but the owner has a right to write to a table.
 */
export const tables = `
CREATE TABLE guard.guards (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  network text NOT NULL CHECK (network IN ('mainnet', 'testnet')),
  account text NOT NULL CHECK (account ~ '^0x[0-9a-f]{40}$'),
  name text NOT NULL CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'),
  group_name text CHECK (group_name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'),
  -- The role by which this Guard is known to the server, and by nothing else.
  role name NOT NULL UNIQUE,
  added_at timestamptz NOT NULL DEFAULT now(),
  retired_at timestamptz,
  version text CHECK (length(version) <= 100),
  host text CHECK (length(host) <= 255),
  config_hash text CHECK (length(config_hash) <= 100),
  last_seen timestamptz,
  writer_epoch bigint NOT NULL DEFAULT 0,
  obeyed_epoch bigint NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX guards_account ON guard.guards (network, account) WHERE retired_at IS NULL;
CREATE UNIQUE INDEX guards_name ON guard.guards (name) WHERE retired_at IS NULL;

CREATE TABLE guard.events (
  guard_id bigint NOT NULL REFERENCES guard.guards,
  writer_epoch bigint NOT NULL,
  seq bigint NOT NULL CHECK (seq > 0),
  at timestamptz NOT NULL,
  month date NOT NULL,
  kind text NOT NULL CHECK (kind ~ '^[a-z_]{1,32}$'),
  -- The journal's line as it is, so that its hash can be computed again.
  body json NOT NULL,
  hash text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
  PRIMARY KEY (guard_id, writer_epoch, seq, month)
) PARTITION BY RANGE (month);
-- What was written by a clock that was far off.
CREATE TABLE guard.events_other PARTITION OF guard.events DEFAULT;

-- How far each Guard's journal is copied; the lock that its copies queue for.
CREATE TABLE guard.streams (
  guard_id bigint NOT NULL REFERENCES guard.guards,
  writer_epoch bigint NOT NULL,
  last_seq bigint NOT NULL,
  last_hash text NOT NULL,
  PRIMARY KEY (guard_id, writer_epoch)
);
-- Records that were offered and contradict what is kept: they are refused, and this says so.
CREATE TABLE guard.forks (
  guard_id bigint NOT NULL REFERENCES guard.guards,
  writer_epoch bigint NOT NULL,
  seq bigint NOT NULL,
  kept_hash text NOT NULL,
  offered_hash text NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (guard_id, writer_epoch, seq)
);
-- Records that a journal had removed for their age before they could be copied.
CREATE TABLE guard.gaps (
  guard_id bigint NOT NULL REFERENCES guard.guards,
  writer_epoch bigint NOT NULL,
  after_seq bigint NOT NULL,
  next_seq bigint NOT NULL,
  at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (guard_id, writer_epoch, next_seq)
);

CREATE TABLE guard.budgets (
  scope text NOT NULL,
  kind text NOT NULL,
  -- What a person set. Until leases fit in it, limit_usd stays what is leased, and nothing new is.
  set_usd numeric NOT NULL CHECK (set_usd >= 0),
  limit_usd numeric NOT NULL,
  leased numeric NOT NULL DEFAULT 0 CHECK (leased >= 0),
  set_by name NOT NULL,
  set_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (scope, kind),
  CHECK (leased <= limit_usd),
  CHECK (limit_usd = greatest(set_usd, leased))
);
CREATE TABLE guard.leases (
  guard_id bigint NOT NULL REFERENCES guard.guards,
  scope text NOT NULL,
  kind text NOT NULL,
  held_usd numeric NOT NULL CHECK (held_usd >= 0),
  used_usd numeric NOT NULL CHECK (used_usd >= 0),
  spare_until timestamptz NOT NULL,
  PRIMARY KEY (guard_id, scope, kind),
  FOREIGN KEY (scope, kind) REFERENCES guard.budgets,
  CHECK (used_usd <= held_usd)
);

CREATE TABLE guard.control (
  scope text PRIMARY KEY,
  epoch bigint NOT NULL,
  state text NOT NULL CHECK (state IN ('killed', 'clear')),
  by name NOT NULL,
  reason text NOT NULL CHECK (length(reason) BETWEEN 1 AND 200),
  at timestamptz NOT NULL DEFAULT now(),
  -- Whoever raised it and lost the answer finds it again by this.
  request text NOT NULL
);
CREATE TABLE guard.acks (
  guard_id bigint NOT NULL REFERENCES guard.guards,
  epoch bigint NOT NULL,
  -- By the Guard's clock, which is the venue's; heard_at is by this server's.
  latched_at timestamptz NOT NULL,
  flat_at timestamptz,
  heard_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (guard_id, epoch)
);
`
