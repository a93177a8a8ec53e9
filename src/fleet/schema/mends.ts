import { limits } from '../../core/values/limits.ts'
import { leaseTimes, writerTimes } from '../leaseTimes.ts'

/**
 * What the steps before it got wrong: after a failover a budget could be given out twice, a retired member's
 * Guard could still open by what it held, the journals of two homes could be copied into one chain, and one
 * who holds a lock made the others wait. Some stores were made by steps that had this in them already, so
 * all of it can be done twice.
 */
const asOwner = `LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, guard, pg_temp`
const { spareMs } = leaseTimes
const { heldMs, signedMs } = writerTimes

const leasing = `
-- Whether a member of the scope was retired so lately that its Guard may still open by what it held.
CREATE OR REPLACE FUNCTION guard.was_retired(p_scope text) RETURNS boolean ${asOwner} AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM guard.guards
    WHERE retired_at > clock_timestamp() - interval '${heldMs + signedMs} milliseconds'
      AND p_scope IN ('fleet', 'group:' || group_name, 'account:' || network || ':' || account));
END $$;

-- p_asks: [{"scope", "kind", "used", "want", "keep"}]: what is used, what the Guard would hold, and what it
-- relies on from now on, whatever becomes of the answer. Told is every budget that counts for it;
-- of one that it did not ask about it holds what it held, and may rely on nothing. target: what it
-- should hold; where that is less it is to ask for less to keep.
CREATE OR REPLACE FUNCTION guard.renew_leases(p_turn bigint, p_asks text)
RETURNS TABLE (scope text, kind text, held numeric, budget numeric, target numeric, was_asked boolean) ${asOwner} AS $$
#variable_conflict use_column
DECLARE
  member bigint := guard.member_id();
  own guard.guards;
  is_settling boolean;
  each guard.budgets;
  ask record;
  old numeric;
  room numeric;
  covered numeric;
  wanted numeric;
  granted numeric;
BEGIN
  PERFORM guard.commit_safely();
  -- Whoever holds a budget for long is not waited for: a Guard has to hear kills meanwhile.
  PERFORM set_config('lock_timeout', '500ms', true);
  SELECT * INTO own FROM guard.guards WHERE id = member AND lease_turn = p_turn FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'another connection of this Guard asks for its leases' USING ERRCODE = 'GF005';
  END IF;
  IF length(p_asks) > ${String(limits.fleetBudgetsMax * 1_000)} THEN
    RAISE EXCEPTION 'a Guard asks about ${String(limits.fleetBudgetsMax)} budgets at most' USING ERRCODE = 'GF002';
  END IF;
  is_settling := guard.is_settling();
  -- In one order for all, so that no two wait for each other.
  FOR each IN SELECT * FROM guard.budgets b
    WHERE b.scope IN ('fleet', 'group:' || own.group_name, 'account:' || own.network || ':' || own.account)
    ORDER BY b.scope, b.kind FOR UPDATE
  LOOP
    old := coalesce((SELECT held_usd FROM guard.leases l WHERE l.guard_id = member AND l.scope = each.scope AND l.kind = each.kind), 0);
    SELECT a.* INTO ask FROM json_to_recordset(p_asks::json) AS a(scope text, kind text, used numeric, want numeric, keep numeric)
      WHERE a.scope = each.scope AND a.kind = each.kind LIMIT 1;
    IF NOT FOUND THEN
      RETURN QUERY SELECT each.scope, each.kind, old, each.set_usd, NULL::numeric, false;
      CONTINUE;
    END IF;
    IF (ask.used >= 0 AND ask.want >= 0 AND ask.keep >= 0 AND greatest(ask.used, ask.want, ask.keep) < 1e15) IS NOT TRUE THEN
      RAISE EXCEPTION 'what is asked for of a budget is from 0 to 1e15 USD' USING ERRCODE = 'GF002';
    END IF;
    room := greatest(each.set_usd - each.leased + old, 0);
    covered := least(ask.used, greatest(old, room));
    wanted := greatest(ask.want - ask.used, 0);
    wanted := least(wanted, coalesce(guard.spare_part(member, each, covered), wanted));
    wanted := covered + greatest(least(wanted, room - covered), 0);
    -- What it relies on stays its own, though a limit was lowered, others have too little, or this server
    -- has lost what it granted.
    granted := greatest(wanted, least(ask.keep, greatest(old, room)));
    -- What this server lost may have been given to another, so that after a failover its own memory of
    -- what somebody held counts for nothing: only what is used and relied on.
    IF is_settling THEN granted := least(granted, greatest(covered, ask.keep)); END IF;
    -- One that was retired may open for as long as it may believe that it has the right to.
    IF guard.was_retired(each.scope) THEN granted := least(granted, greatest(old, ask.keep)); END IF;
    UPDATE guard.budgets b SET leased = b.leased - old + granted, limit_usd = greatest(b.set_usd, b.leased - old + granted)
      WHERE b.scope = each.scope AND b.kind = each.kind;
    INSERT INTO guard.leases AS known (guard_id, scope, kind, held_usd, used_usd, spare_until, reported_usd, want_usd, renewed_at)
      VALUES (member, each.scope, each.kind, granted, least(ask.used, granted),
        clock_timestamp() + interval '${spareMs} milliseconds', ask.used, ask.want, clock_timestamp())
      ON CONFLICT ON CONSTRAINT leases_pkey DO UPDATE SET held_usd = excluded.held_usd, used_usd = excluded.used_usd,
        spare_until = excluded.spare_until, reported_usd = excluded.reported_usd, want_usd = excluded.want_usd,
        renewed_at = excluded.renewed_at;
    RETURN QUERY SELECT each.scope, each.kind, granted, each.set_usd, wanted, true;
  END LOOP;
END $$;
`

const acting = `
-- As before, but for what was raised: a kill beyond the bound, which a member can bring about by a false
-- word, is obeyed and acknowledged like any other.
CREATE OR REPLACE FUNCTION guard.check_obeyed(p_epoch bigint) RETURNS void ${asOwner} AS $$
BEGIN
  IF p_epoch IS NULL OR p_epoch < 0
    OR p_epoch > greatest(4000000000000000, (SELECT max(epoch) FROM guard.control)) THEN
    RAISE EXCEPTION 'an epoch is from 0 to 4000000000000000' USING ERRCODE = 'GF002';
  END IF;
END $$;

-- p_epoch: what this run holds the lease by; 0 where it does not hold it yet. outcome: held; waits (another
-- has it, or had it a moment ago); lost (another has taken it since: this run must end).
CREATE OR REPLACE FUNCTION guard.hold_writer(p_instance text, p_run text, p_epoch bigint)
RETURNS TABLE (outcome text, epoch bigint, is_own boolean, host text, wait_ms bigint) ${asOwner} AS $$
#variable_conflict use_column
DECLARE
  member bigint := guard.member_id();
  own guard.guards;
  known guard.writers;
  is_first boolean := false;
  free_at timestamptz;
  chain bigint;
BEGIN
  PERFORM guard.check_obeyed(p_epoch);
  PERFORM guard.commit_safely();
  PERFORM guard.is_settling();
  -- Whoever asks for this account queues for its row.
  SELECT * INTO own FROM guard.guards WHERE id = member FOR NO KEY UPDATE;
  SELECT * INTO known FROM guard.writers WHERE guard_id = member FOR UPDATE;
  is_first := NOT FOUND;
  -- A higher one of its own is what this server has lost, as after a failover: it is taken anew below.
  IF p_epoch > 0 AND NOT is_first AND known.run <> p_run AND known.epoch > p_epoch THEN
    RETURN QUERY SELECT 'lost'::text, known.epoch, known.instance = p_instance, known.host, 0::bigint;
    RETURN;
  END IF;
  -- After a failover for as long as a lease lasts: what this server has lost of them has ended by then.
  SELECT since + interval '${heldMs + signedMs} milliseconds' INTO free_at FROM guard.leasing;
  -- The Guard of a member that was retired acts for the account until its lease has ended.
  free_at := greatest(free_at, (SELECT max(gone.retired_at) + interval '${heldMs + signedMs} milliseconds' FROM guard.guards gone
    WHERE gone.network = own.network AND gone.account = own.account AND gone.id <> member));
  IF NOT is_first AND known.run = p_run THEN
    NULL;
  ELSIF NOT is_first AND known.instance = p_instance THEN
    free_at := greatest(free_at, known.until);
  ELSIF NOT is_first THEN
    -- Another home knows nothing of what was signed for the last moments.
    free_at := greatest(free_at, known.until + interval '${signedMs} milliseconds');
  END IF;
  IF free_at > clock_timestamp() THEN
    RETURN QUERY SELECT 'waits'::text, coalesce(known.epoch, 0), coalesce(known.instance = p_instance, true), known.host,
      ceil(extract(epoch FROM free_at - clock_timestamp()) * 1000)::bigint;
    RETURN;
  END IF;
  IF is_first OR known.run <> p_run THEN
    INSERT INTO guard.writers AS w (guard_id, epoch, instance, run, host, until)
      VALUES (member, greatest(p_epoch, own.writer_epoch, coalesce(known.epoch, 0)) + 1, p_instance, p_run, own.host, clock_timestamp())
      ON CONFLICT (guard_id) DO UPDATE SET epoch = excluded.epoch, instance = p_instance, run = p_run, host = own.host, taken_at = clock_timestamp();
    -- Another home has another journal: its records are a chain of their own, which it goes on with when
    -- it has the right again.
    chain := (SELECT max(s.writer_epoch) FROM guard.streams s WHERE s.guard_id = member AND s.instance = p_instance);
    IF chain IS NULL AND ((NOT is_first AND known.instance <> p_instance) OR EXISTS (SELECT 1 FROM guard.streams s
      WHERE s.guard_id = member AND s.writer_epoch = own.writer_epoch AND s.instance <> p_instance)) THEN
      chain := greatest(p_epoch, coalesce(known.epoch, 0), (SELECT max(s.writer_epoch) FROM guard.streams s WHERE s.guard_id = member)) + 1;
    END IF;
    UPDATE guard.guards SET writer_epoch = coalesce(chain, own.writer_epoch) WHERE id = member;
  END IF;
  UPDATE guard.writers w SET until = clock_timestamp() + interval '${heldMs} milliseconds', epoch = greatest(w.epoch, p_epoch)
    WHERE w.guard_id = member;
  RETURN QUERY SELECT 'held'::text, w.epoch, true, w.host, 0::bigint FROM guard.writers w WHERE w.guard_id = member;
END $$;
`

const copying = `
-- Whose records a chain is made of; null: of a home that an earlier version did not name.
ALTER TABLE guard.streams ADD COLUMN IF NOT EXISTS instance text;

-- The records of the home that has the right to act, or had it last, are this account's, and no chain is
-- made of two journals: a home whose right was taken meanwhile has not always heard of it.
CREATE OR REPLACE FUNCTION guard.check_instance(p_instance text) RETURNS void ${asOwner} AS $$
DECLARE member bigint := guard.member_id(); acting text; copied text;
BEGIN
  SELECT instance INTO acting FROM guard.writers WHERE guard_id = member FOR SHARE;
  SELECT s.instance INTO copied FROM guard.streams s JOIN guard.guards g ON g.id = s.guard_id AND g.writer_epoch = s.writer_epoch
    WHERE g.id = member FOR UPDATE OF s;
  IF acting <> p_instance OR copied <> p_instance THEN
    RAISE EXCEPTION 'another Guard has the right to act for this account, and its records are kept' USING ERRCODE = 'GF006';
  END IF;
END $$;

CREATE OR REPLACE FUNCTION guard.copied_by(p_instance text, p_network text, p_account text) RETURNS bigint ${asOwner} AS $$
BEGIN
  PERFORM guard.check_instance(p_instance);
  RETURN guard.copied_up_to(p_network, p_account);
END $$;

-- p_gone: the journal has no records any more between what the store has and these. outcome: as before; or
-- hole, and nothing is done: the records after last_seq are wanted first.
CREATE OR REPLACE FUNCTION guard.copy_events(p_instance text, p_rows text, p_gone boolean) RETURNS TABLE (outcome text, last_seq bigint) ${asOwner} AS $$
#variable_conflict use_column
DECLARE member bigint := guard.member_id(); own guard.streams; first_seq bigint;
BEGIN
  IF length(p_rows) > ${String(limits.fleetCopyCharsMax)} THEN
    RAISE EXCEPTION 'the records are too many, damaged, or do not follow each other' USING ERRCODE = 'GF004';
  END IF;
  INSERT INTO guard.streams (guard_id, writer_epoch, last_seq, last_hash, instance)
    SELECT id, writer_epoch, 0, '', p_instance FROM guard.guards WHERE id = member
    ON CONFLICT DO NOTHING;
  PERFORM guard.check_instance(p_instance);
  UPDATE guard.streams s SET instance = p_instance FROM guard.guards g
    WHERE g.id = member AND s.guard_id = g.id AND s.writer_epoch = g.writer_epoch RETURNING s.* INTO own;
  SELECT min(o.seq) INTO first_seq FROM guard.rows_of(p_rows) o;
  IF p_gone IS NOT TRUE AND first_seq > own.last_seq + 1 THEN
    RETURN QUERY SELECT 'hole'::text, own.last_seq;
    RETURN;
  END IF;
  RETURN QUERY SELECT * FROM guard.copy_events(p_rows);
END $$;

-- As before, but nobody waits for whoever reads the events, and a month is made while there are none of it:
-- where that cannot be, its records are among the odd ones.
CREATE OR REPLACE FUNCTION guard.make_month(p_month date) RETURNS void ${asOwner} AS $$
DECLARE each_month date;
BEGIN
  FOREACH each_month IN ARRAY ARRAY[p_month, (p_month + interval '1 month')::date] LOOP
    CONTINUE WHEN each_month NOT BETWEEN '2023-01-01' AND (now() + interval '40 days')::date
      OR to_regclass('guard.events_' || to_char(each_month, 'YYYY_MM')) IS NOT NULL;
    BEGIN
      PERFORM set_config('lock_timeout', '200ms', true);
      PERFORM pg_advisory_xact_lock(hashtext('guard.make_month'));
      EXECUTE format('CREATE TABLE IF NOT EXISTS guard.%I PARTITION OF guard.events FOR VALUES FROM (%L) TO (%L)',
        'events_' || to_char(each_month, 'YYYY_MM'), each_month, each_month + interval '1 month');
    EXCEPTION WHEN check_violation OR lock_not_available OR deadlock_detected THEN
      NULL;
    END;
  END LOOP;
END $$;
`

const memberFunctions = ['copied_by(text, text, text)', 'copy_events(text, text, boolean)']

const rights = [
  // It is asked by the functions that name their home.
  'REVOKE ALL ON FUNCTION guard.copy_events(text) FROM guard_member;',
  ...['was_retired(text)', 'check_instance(text)', ...memberFunctions].map(
    (each) => `REVOKE ALL ON FUNCTION guard.${each} FROM PUBLIC;`,
  ),
  ...memberFunctions.map((each) => `GRANT EXECUTE ON FUNCTION guard.${each} TO guard_member;`),
].join('\n')

export const mends = [leasing, copying, acting, rights].join('\n')
