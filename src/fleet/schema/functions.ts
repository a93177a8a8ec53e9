import { limits } from '../../core/values/limits.ts'

/**
 * How anything in the schema changes. They run as the owner (`SECURITY DEFINER`), know their caller by
 * the role that logged in, which no `SET ROLE` alters, and look only in their own schema.
 */
const asOwner = `LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, guard, pg_temp`

/** What every member's function begins with: whose row the caller's is. */
const whoAsks = `
CREATE FUNCTION guard.own_id() RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, guard, pg_temp AS $$
  SELECT id FROM guard.guards WHERE role = session_user AND retired_at IS NULL
$$;

CREATE FUNCTION guard.member_id() RETURNS bigint ${asOwner} AS $$
DECLARE found_id bigint := guard.own_id();
BEGIN
  IF found_id IS NULL THEN
    RAISE EXCEPTION '% is no member of this fleet, or was retired', session_user USING ERRCODE = 'GF001';
  END IF;
  RETURN found_id;
END $$;

CREATE FUNCTION guard.member_for(p_network text, p_account text) RETURNS bigint ${asOwner} AS $$
DECLARE member bigint := guard.member_id();
BEGIN
  IF NOT EXISTS (SELECT 1 FROM guard.guards WHERE id = member AND network = p_network AND account = p_account) THEN
    RAISE EXCEPTION '% is the role of another account than % on %', session_user, p_account, p_network USING ERRCODE = 'GF003';
  END IF;
  RETURN member;
END $$;

-- A scope that somebody names: fleet, group:NAME, account:NETWORK:0x...
CREATE FUNCTION guard.check_scope(p_scope text) RETURNS void ${asOwner} AS $$
BEGIN
  IF p_scope IS NULL OR p_scope !~ '^(fleet|group:[A-Za-z0-9][A-Za-z0-9._-]{0,63}|account:(mainnet|testnet):0x[0-9a-f]{40})$' THEN
    RAISE EXCEPTION 'a scope is fleet, group:NAME or account:NETWORK:0x..' USING ERRCODE = 'GF002';
  END IF;
  IF p_scope <> 'fleet' AND NOT EXISTS (
    SELECT 1 FROM guard.guards WHERE retired_at IS NULL
      AND p_scope IN ('group:' || group_name, 'account:' || network || ':' || account)
  ) THEN
    RAISE EXCEPTION 'no member of this fleet is in %', p_scope USING ERRCODE = 'GF002';
  END IF;
END $$;

-- What the answer to this transaction promises survives: on its disk, and on a replica's where there is one.
CREATE FUNCTION guard.commit_safely() RETURNS void ${asOwner} AS $$
BEGIN
  PERFORM set_config('synchronous_commit',
    CASE WHEN current_setting('synchronous_standby_names') = '' THEN 'on' ELSE 'remote_apply' END, true);
END $$;
`

const killing = `
-- Epochs begin with the server's timeline: after a failover none is used a second time.
CREATE FUNCTION guard.next_epoch() RETURNS bigint ${asOwner} AS $$
DECLARE
  timeline bigint := ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint;
BEGIN
  RETURN greatest(
    timeline * 1000000,
    (SELECT max(epoch) FROM guard.control),
    -- What a Guard has obeyed was once raised, also where this server has lost it.
    (SELECT max(obeyed_epoch) FROM guard.guards)
  ) + 1;
END $$;

CREATE FUNCTION guard.raise_kill(p_scope text, p_reason text, p_request text) RETURNS bigint ${asOwner} AS $$
DECLARE raised bigint;
BEGIN
  PERFORM guard.check_scope(p_scope);
  PERFORM guard.commit_safely();
  -- One at a time, so that a higher epoch is never seen before a lower one.
  LOCK TABLE guard.control IN SHARE ROW EXCLUSIVE MODE;
  SELECT epoch INTO raised FROM guard.control WHERE scope = p_scope AND request = p_request AND state = 'killed';
  IF FOUND THEN RETURN raised; END IF;
  raised := guard.next_epoch();
  INSERT INTO guard.control AS known (scope, epoch, state, by, reason, request)
    VALUES (p_scope, raised, 'killed', session_user, p_reason, p_request)
    ON CONFLICT (scope) DO UPDATE
      SET epoch = raised, state = 'killed', by = session_user, reason = p_reason, at = now(), request = p_request
      WHERE known.epoch < raised;
  PERFORM pg_notify('guard_control', raised::text);
  RETURN raised;
END $$;

-- For Guards that join later; what is latched stays latched.
CREATE FUNCTION guard.clear_kill(p_scope text) RETURNS bigint ${asOwner} AS $$
DECLARE cleared bigint;
BEGIN
  PERFORM guard.commit_safely();
  LOCK TABLE guard.control IN SHARE ROW EXCLUSIVE MODE;
  UPDATE guard.control SET state = 'clear', by = session_user, at = now()
    WHERE scope = p_scope AND state = 'killed' RETURNING epoch INTO cleared;
  RETURN cleared;
END $$;

-- No member can use up the epochs: the bound leaves as many again above it.
CREATE FUNCTION guard.check_obeyed(p_epoch bigint) RETURNS void ${asOwner} AS $$
BEGIN
  IF p_epoch IS NULL OR p_epoch < 0 OR p_epoch > 4000000000000000 THEN
    RAISE EXCEPTION 'an epoch is from 0 to 4000000000000000' USING ERRCODE = 'GF002';
  END IF;
END $$;

CREATE FUNCTION guard.acknowledge(p_epoch bigint, p_latched_ms bigint, p_flat_ms bigint) RETURNS void ${asOwner} AS $$
DECLARE member bigint := guard.member_id();
BEGIN
  PERFORM guard.check_obeyed(p_epoch);
  INSERT INTO guard.acks AS known (guard_id, epoch, latched_at, flat_at)
    VALUES (member, p_epoch, to_timestamp(p_latched_ms / 1000.0), to_timestamp(p_flat_ms / 1000.0))
    ON CONFLICT (guard_id, epoch) DO UPDATE SET flat_at = coalesce(known.flat_at, excluded.flat_at);
  UPDATE guard.guards SET obeyed_epoch = greatest(obeyed_epoch, p_epoch) WHERE id = member;
  DELETE FROM guard.acks WHERE guard_id = member AND epoch NOT IN
    (SELECT last.epoch FROM guard.acks last WHERE last.guard_id = member ORDER BY last.epoch DESC LIMIT 100);
END $$;
`

const membership = `
-- A Guard says who it is, and hears what it is called.
CREATE FUNCTION guard.join_fleet(p_network text, p_account text, p_version text, p_host text, p_config_hash text, p_obeyed bigint)
RETURNS TABLE (name text, group_name text) ${asOwner} AS $$
#variable_conflict use_column
DECLARE member bigint := guard.member_for(p_network, p_account);
BEGIN
  PERFORM guard.check_obeyed(p_obeyed);
  UPDATE guard.guards SET version = p_version, host = p_host, config_hash = p_config_hash,
      last_seen = clock_timestamp(), obeyed_epoch = greatest(obeyed_epoch, p_obeyed)
    WHERE id = member;
  RETURN QUERY SELECT each.name, each.group_name FROM guard.guards each WHERE each.id = member;
END $$;

-- Every second: that it lives, and which kills are meant for it, those it has obeyed among them: its
-- own journal knows that better. What is lost of the first costs nothing.
CREATE FUNCTION guard.beat() RETURNS TABLE (scope text, epoch bigint, reason text) ${asOwner} AS $$
#variable_conflict use_column
DECLARE member bigint := guard.member_id();
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE guard.guards SET last_seen = clock_timestamp()
    WHERE id = member AND (last_seen IS NULL OR last_seen < clock_timestamp() - interval '5 seconds');
  RETURN QUERY SELECT control.scope, control.epoch, control.reason FROM guard.control, guard.guards own
    WHERE own.id = member AND control.state = 'killed'
      AND (control.scope IN ('fleet', 'account:' || own.network || ':' || own.account) OR control.scope = 'group:' || own.group_name)
    ORDER BY control.epoch;
END $$;
`

const copying = `
CREATE FUNCTION guard.make_month(p_month date) RETURNS void ${asOwner} AS $$
BEGIN
  IF p_month NOT BETWEEN '2023-01-01' AND (now() + interval '40 days')::date
    OR to_regclass('guard.events_' || to_char(p_month, 'YYYY_MM')) IS NOT NULL THEN RETURN; END IF;
  PERFORM pg_advisory_xact_lock(hashtext('guard.make_month'));
  EXECUTE format('CREATE TABLE IF NOT EXISTS guard.%I PARTITION OF guard.events FOR VALUES FROM (%L) TO (%L)',
    'events_' || to_char(p_month, 'YYYY_MM'), p_month, p_month + interval '1 month');
EXCEPTION WHEN check_violation THEN
  -- Some of that month are among the odd ones already, and so are the rest of them.
  NULL;
END $$;

CREATE FUNCTION guard.rows_of(p_rows text)
RETURNS TABLE (seq bigint, at timestamptz, month date, kind text, hash text, prev text, line text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT r.seq, to_timestamp(r.at_ms / 1000.0),
      date_trunc('month', to_timestamp(r.at_ms / 1000.0) AT TIME ZONE 'UTC')::date,
      r.kind, r.hash, r.prev, r.line
    FROM json_to_recordset(p_rows::json) AS r(seq bigint, at_ms bigint, kind text, hash text, prev text, line text)
$$;

-- Whether each is what its hash says (the line up to its hash), and follows the one before.
CREATE FUNCTION guard.are_whole(p_rows text) RETURNS boolean
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT coalesce(bool_and(
      hash = encode(sha256(convert_to(left(line, -75), 'UTF8')), 'hex')
      AND right(line, 75) = ',"hash":"' || hash || '"}'
      AND left(line, length(seq::text) + 8) = '{"seq":' || seq || ','
      AND line::json ->> 'prev' = prev AND line::json ->> 'kind' = kind
      AND (before_seq IS NULL OR (seq = before_seq + 1 AND prev = before_hash))
    ), false)
    FROM (SELECT *, lag(seq) OVER in_order AS before_seq, lag(hash) OVER in_order AS before_hash
      FROM guard.rows_of(p_rows) WINDOW in_order AS (ORDER BY seq)) AS each
$$;

-- The number of the last record that is kept of this Guard's journal; 0: none.
CREATE FUNCTION guard.copied_up_to(p_network text, p_account text) RETURNS bigint ${asOwner} AS $$
DECLARE member bigint := guard.member_for(p_network, p_account);
BEGIN
  RETURN coalesce((SELECT copied.last_seq FROM guard.streams copied JOIN guard.guards own
    ON own.id = copied.guard_id AND own.writer_epoch = copied.writer_epoch WHERE own.id = member), 0);
END $$;

-- Takes records that follow what is kept. What is kept already is compared, never written again:
-- told twice because an answer was lost it changes nothing, and told differently it is refused.
-- p_rows: [{"seq", "at_ms", "kind", "hash", "prev", "line"}], oldest first, without a hole.
CREATE FUNCTION guard.copy_events(p_rows text) RETURNS TABLE (outcome text, last_seq bigint) ${asOwner} AS $$
#variable_conflict use_variable
DECLARE
  member bigint := guard.member_id();
  epoch bigint;
  kept guard.streams;
  first_new record;
  newest record;
  odd_seq bigint;
  odd_kept text;
  odd_offered text;
  each_month date;
BEGIN
  IF length(p_rows) > ${String(limits.fleetCopyCharsMax)} OR NOT guard.are_whole(p_rows) THEN
    RAISE EXCEPTION 'the records are too many, damaged, or do not follow each other' USING ERRCODE = 'GF004';
  END IF;
  -- Before anything of the events is looked at: whoever makes a month waits for those who do.
  FOR each_month IN SELECT DISTINCT o.month FROM guard.rows_of(p_rows) o LOOP
    PERFORM guard.make_month(each_month);
  END LOOP;
  SELECT g.writer_epoch INTO epoch FROM guard.guards g WHERE g.id = member;
  -- Whoever copies for this Guard queues for this row.
  INSERT INTO guard.streams VALUES (member, epoch, 0, '') ON CONFLICT DO NOTHING;
  SELECT * INTO kept FROM guard.streams s WHERE s.guard_id = member AND s.writer_epoch = epoch FOR UPDATE;
  IF EXISTS (SELECT 1 FROM guard.rows_of(p_rows) o WHERE o.seq <= kept.last_seq) THEN
    SELECT o.seq, e.hash, o.hash INTO odd_seq, odd_kept, odd_offered FROM guard.rows_of(p_rows) o
      JOIN guard.events e ON e.guard_id = member AND e.writer_epoch = epoch AND e.seq = o.seq
      WHERE o.seq <= kept.last_seq AND e.hash <> o.hash ORDER BY o.seq LIMIT 1;
  END IF;
  SELECT o.seq, o.prev INTO first_new FROM guard.rows_of(p_rows) o WHERE o.seq > kept.last_seq ORDER BY o.seq LIMIT 1;
  -- The record after the last one must name its hash: else it follows another one of that number.
  IF odd_seq IS NULL AND first_new.seq = kept.last_seq + 1 AND kept.last_seq > 0 AND first_new.prev <> kept.last_hash THEN
    SELECT kept.last_seq, kept.last_hash, first_new.prev INTO odd_seq, odd_kept, odd_offered;
  END IF;
  IF odd_seq IS NOT NULL THEN
    INSERT INTO guard.forks (guard_id, writer_epoch, seq, kept_hash, offered_hash)
      VALUES (member, epoch, odd_seq, odd_kept, odd_offered) ON CONFLICT DO NOTHING;
    RETURN QUERY SELECT 'fork'::text, kept.last_seq;
    RETURN;
  END IF;
  IF first_new.seq IS NULL THEN
    RETURN QUERY SELECT 'kept'::text, kept.last_seq;
    RETURN;
  END IF;
  IF first_new.seq > kept.last_seq + 1 THEN
    INSERT INTO guard.gaps (guard_id, writer_epoch, after_seq, next_seq)
      VALUES (member, epoch, kept.last_seq, first_new.seq) ON CONFLICT DO NOTHING;
  END IF;
  INSERT INTO guard.events (guard_id, writer_epoch, seq, at, month, kind, body, hash)
    SELECT member, epoch, o.seq, o.at, o.month, o.kind, o.line::json, o.hash FROM guard.rows_of(p_rows) o WHERE o.seq > kept.last_seq;
  SELECT o.seq, o.hash INTO newest FROM guard.rows_of(p_rows) o ORDER BY o.seq DESC LIMIT 1;
  UPDATE guard.streams s SET last_seq = newest.seq, last_hash = newest.hash WHERE s.guard_id = member AND s.writer_epoch = epoch;
  RETURN QUERY SELECT 'kept'::text, newest.seq;
END $$;
`

const administration = `
-- The owner's: a row for a role that it has just made.
CREATE FUNCTION guard.add_member(p_network text, p_account text, p_name text, p_group text, p_role name) RETURNS bigint ${asOwner} AS $$
DECLARE added bigint;
BEGIN
  PERFORM guard.commit_safely();
  INSERT INTO guard.guards (network, account, name, group_name, role)
    VALUES (p_network, p_account, p_name, p_group, p_role) RETURNING id INTO added;
  RETURN added;
END $$;

-- What it had used is written off: its lease ends with it, and the budget has that room again.
CREATE FUNCTION guard.retire_member(p_name text) RETURNS TABLE (role name, written_off numeric) ${asOwner} AS $$
#variable_conflict use_column
DECLARE gone guard.guards; off numeric := 0; lease guard.leases;
BEGIN
  PERFORM guard.commit_safely();
  UPDATE guard.guards SET retired_at = now() WHERE name = p_name AND retired_at IS NULL RETURNING * INTO gone;
  IF NOT FOUND THEN RETURN; END IF;
  FOR lease IN DELETE FROM guard.leases WHERE guard_id = gone.id RETURNING * LOOP
    UPDATE guard.budgets SET leased = leased - lease.held_usd, limit_usd = greatest(set_usd, leased - lease.held_usd)
      WHERE scope = lease.scope AND kind = lease.kind;
    off := off + lease.used_usd;
  END LOOP;
  -- The name of the role is free again; whose it was stays in the row.
  UPDATE guard.guards SET role = 'retired_' || id WHERE id = gone.id;
  RETURN QUERY SELECT gone.role, off;
END $$;

CREATE FUNCTION guard.set_limit(p_scope text, p_kind text, p_usd numeric) RETURNS TABLE (limit_usd numeric, leased numeric) ${asOwner} AS $$
#variable_conflict use_column
BEGIN
  PERFORM guard.check_scope(p_scope);
  IF p_kind !~ '^(open_risk|gross_value|coin_value:[A-Za-z0-9:._-]{1,40})$' THEN
    RAISE EXCEPTION 'a kind is open_risk, gross_value or coin_value:COIN' USING ERRCODE = 'GF002';
  END IF;
  PERFORM guard.commit_safely();
  RETURN QUERY INSERT INTO guard.budgets AS known (scope, kind, set_usd, limit_usd, set_by)
    VALUES (p_scope, p_kind, p_usd, p_usd, session_user)
    ON CONFLICT (scope, kind) DO UPDATE SET set_usd = p_usd, limit_usd = greatest(p_usd, known.leased),
      set_by = session_user, set_at = now()
    RETURNING limit_usd, leased;
END $$;
`

export const functions = [whoAsks, killing, membership, copying, administration].join('\n')
