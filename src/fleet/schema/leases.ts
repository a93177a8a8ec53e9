import { limits } from '../../core/values/limits.ts'
import { leaseTimes } from '../leaseTimes.ts'

/**
 * Leases of budgets. A Guard relies on what it holds while it cannot be reached, so what it holds stays
 * counted until it says itself that it relies on less: nothing is taken from it by time. What it gives
 * back it stops relying on before it says so; what it gets it relies on once it has heard of it.
 */
const asOwner = `LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, guard, pg_temp`
const { spareMs, silentMs } = leaseTimes

const tables = `
ALTER TABLE guard.leases
  -- What its holder said is used, be it more than it holds, as where somebody traded by hand.
  ADD COLUMN reported_usd numeric NOT NULL DEFAULT 0,
  -- What it would hold if there were enough.
  ADD COLUMN want_usd numeric NOT NULL DEFAULT 0,
  ADD COLUMN renewed_at timestamptz NOT NULL DEFAULT clock_timestamp();
-- Raised whenever a Guard begins anew: what an earlier connection still asks for is refused.
ALTER TABLE guard.guards ADD COLUMN lease_turn bigint NOT NULL DEFAULT 0;

-- Since when this server is the first: after a failover nothing new is leased for as long as a lease lasts.
CREATE TABLE guard.leasing (
  only_one boolean PRIMARY KEY DEFAULT true CHECK (only_one),
  timeline bigint NOT NULL,
  since timestamptz NOT NULL
);

CREATE FUNCTION guard.timeline() RETURNS bigint
LANGUAGE sql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
  SELECT ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint
$$;
INSERT INTO guard.leasing (timeline, since) VALUES (guard.timeline(), '-infinity');
`

const functions = `
CREATE FUNCTION guard.is_settling() RETURNS boolean ${asOwner} AS $$
DECLARE current bigint := guard.timeline(); began timestamptz;
BEGIN
  UPDATE guard.leasing SET timeline = current, since = clock_timestamp() WHERE timeline <> current;
  SELECT since INTO began FROM guard.leasing;
  RETURN clock_timestamp() < began + interval '${spareMs} milliseconds';
END $$;

CREATE FUNCTION guard.begin_leases() RETURNS bigint ${asOwner} AS $$
DECLARE turn bigint;
BEGIN
  UPDATE guard.guards SET lease_turn = lease_turn + 1 WHERE id = guard.member_id() RETURNING lease_turn INTO turn;
  RETURN turn;
END $$;

-- What each may have to spare while another one has less than its part of a budget; null while none has.
-- The part: what nobody uses, and no silent one holds, by the number of those that are heard.
CREATE FUNCTION guard.spare_part(p_member bigint, p_budget guard.budgets, p_used numeric) RETURNS numeric ${asOwner} AS $$
DECLARE pool numeric; heard numeric; part numeric;
BEGIN
  SELECT p_budget.set_usd - p_used - coalesce(sum(CASE WHEN is_heard THEN used_usd ELSE held_usd END), 0), 1 + count(*) FILTER (WHERE is_heard)
    INTO pool, heard
    FROM (SELECT *, renewed_at > clock_timestamp() - interval '${silentMs} milliseconds' AS is_heard FROM guard.leases
      WHERE scope = p_budget.scope AND kind = p_budget.kind AND guard_id <> p_member) others;
  part := trunc(greatest(pool, 0) / heard, 2);
  IF EXISTS (SELECT 1 FROM guard.leases
    WHERE scope = p_budget.scope AND kind = p_budget.kind AND guard_id <> p_member
      AND renewed_at > clock_timestamp() - interval '${silentMs} milliseconds'
      AND held_usd - used_usd < least(want_usd - reported_usd, part)) THEN RETURN part; END IF;
  RETURN NULL;
END $$;

-- p_asks: [{"scope", "kind", "used", "want", "keep"}]: what is used, what the Guard would hold, and what it
-- relies on from now on, whatever becomes of the answer. Told is every budget that counts for it;
-- of one that it did not ask about it holds what it held, and may rely on nothing. target: what it
-- should hold; where that is less it is to ask for less to keep.
CREATE FUNCTION guard.renew_leases(p_turn bigint, p_asks text)
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
    IF is_settling THEN granted := least(granted, greatest(old, ask.keep)); END IF;
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

const memberFunctions = ['begin_leases()', 'renew_leases(bigint, text)']

const rights = [
  ...[
    'timeline()',
    'is_settling()',
    'spare_part(bigint, guard.budgets, numeric)',
    ...memberFunctions,
  ].map((each) => `REVOKE ALL ON FUNCTION guard.${each} FROM PUBLIC;`),
  ...memberFunctions.map((each) => `GRANT EXECUTE ON FUNCTION guard.${each} TO guard_member;`),
  'REVOKE ALL ON guard.leasing FROM PUBLIC;',
  'ALTER TABLE guard.leasing ENABLE ROW LEVEL SECURITY;',
  'GRANT SELECT ON guard.leasing TO guard_monitor;',
  'CREATE POLICY monitor_reads ON guard.leasing FOR SELECT TO guard_monitor USING (true);',
].join('\n')

export const leases = [tables, functions, rights].join('\n')
