import { limits } from '../../core/values/limits.ts'
import { leaseTimes, writerTimes } from '../leaseTimes.ts'

/**
 * A store that was put back to an older state. What it remembers of rights, leases and kills may be older
 * than what its members know, so it notices each start of its server, another server, and tables that were
 * made anew. A start alone costs fifteen seconds without new leases: in them every member that lives says
 * the number of the last answer it had. Is one of those higher than what the store knows of it, the store was
 * put back, and believes its members before its own memory until those have spoken or their time is over.
 */
const asOwner = `LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, guard, pg_temp`
const { spareMs, silentMs } = leaseTimes
const { heldMs, signedMs } = writerTimes
/** Of the server: with more of them an epoch would be beyond what a Guard counts to, and so it stays at this. */
const mostTimelines = 390

const noticing = `
ALTER TABLE guard.leasing
  -- When the server began, and which server and table this is, as noticed last.
  ADD COLUMN started timestamptz,
  ADD COLUMN made text,
  -- Whether nothing but a start of the same server was noticed last: it is the only one that answers.
  ADD COLUMN is_restart boolean NOT NULL DEFAULT false,
  -- Whether a member was told something since then which is not known here.
  ADD COLUMN is_put_back boolean NOT NULL DEFAULT false,
  -- The millisecond in which it was noticed; 0: nothing was since the fleet was made.
  ADD COLUMN begun bigint NOT NULL DEFAULT 0;
ALTER TABLE guard.writers
  -- Counts the answers that gave its holder the right to act.
  ADD COLUMN answers bigint NOT NULL DEFAULT 0;

CREATE FUNCTION guard.made() RETURNS text
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT (SELECT system_identifier FROM pg_control_system())::text || '/' || pg_relation_filenode('guard.leasing')
$$;
UPDATE guard.leasing SET started = pg_postmaster_start_time(), made = guard.made();

-- A start is noticed though nothing was lost by it: a server that was put back to a copy of its disk looks
-- the same. Nobody was given anything between the end of the one before and this start.
CREATE FUNCTION guard.notice_server() RETURNS guard.leasing ${asOwner} AS $$
DECLARE
  current bigint := guard.timeline();
  origin text := guard.made();
  known guard.leasing;
BEGIN
  SELECT * INTO known FROM guard.leasing;
  IF known.timeline = current AND known.made = origin AND known.started = pg_postmaster_start_time() THEN RETURN known; END IF;
  UPDATE guard.leasing l SET timeline = current, made = origin, started = pg_postmaster_start_time(),
      is_restart = l.timeline = current AND l.made IS NOT DISTINCT FROM origin
        AND (l.is_restart OR l.since < clock_timestamp() - interval '${spareMs} milliseconds'),
      is_put_back = l.is_put_back AND l.since > clock_timestamp() - interval '${spareMs} milliseconds',
      since = CASE WHEN l.timeline = current AND l.made IS NOT DISTINCT FROM origin
        THEN greatest(l.since, pg_postmaster_start_time()) ELSE clock_timestamp() END,
      begun = floor(extract(epoch FROM clock_timestamp()) * 1000)
    WHERE (l.timeline, l.made, l.started) IS DISTINCT FROM (current, origin, pg_postmaster_start_time());
  SELECT * INTO known FROM guard.leasing;
  RETURN known;
END $$;

-- p_answer: the number of the last answer that a member had; 0 where it had none.
CREATE FUNCTION guard.notice_loss(p_member bigint, p_answer bigint) RETURNS void ${asOwner} AS $$
BEGIN
  IF p_answer > coalesce((SELECT answers FROM guard.writers WHERE guard_id = p_member), 0) THEN
    UPDATE guard.leasing SET is_put_back = true WHERE NOT is_put_back;
  END IF;
END $$;

CREATE OR REPLACE FUNCTION guard.is_settling() RETURNS boolean ${asOwner} AS $$
BEGIN
  RETURN clock_timestamp() < (guard.notice_server()).since + interval '${spareMs} milliseconds';
END $$;

-- Epochs begin with the server's timeline, and with the millisecond of its last start once there was one: what
-- a server raised and lost is never raised a second time. It waits for nobody: a kill passes.
CREATE OR REPLACE FUNCTION guard.next_epoch() RETURNS bigint ${asOwner} AS $$
DECLARE
  current bigint := guard.timeline();
  known guard.leasing;
  begun bigint;
BEGIN
  SELECT * INTO known FROM guard.leasing;
  begun := CASE WHEN known.timeline = current AND known.made = guard.made() AND known.started = pg_postmaster_start_time()
    THEN known.begun ELSE floor(extract(epoch FROM clock_timestamp()) * 1000) END;
  RETURN greatest(
    current * 1000000,
    CASE WHEN begun > 0 THEN least(current, ${mostTimelines}) * 10000000000000 + begun END,
    (SELECT max(epoch) FROM guard.control),
    -- What a Guard has obeyed was once raised, also where this server has lost it.
    (SELECT max(obeyed_epoch) FROM guard.guards)
  ) + 1;
END $$;
`

const leasing = `
-- Whether a member of the scope that has ever acted has not said since then what it uses.
CREATE FUNCTION guard.is_unheard(p_budget guard.budgets, p_since timestamptz) RETURNS boolean ${asOwner} AS $$
BEGIN
  RETURN EXISTS (SELECT 1 FROM guard.guards g JOIN guard.writers w ON w.guard_id = g.id
    WHERE g.retired_at IS NULL
      AND p_budget.scope IN ('fleet', 'group:' || g.group_name, 'account:' || g.network || ':' || g.account)
      AND NOT EXISTS (SELECT 1 FROM guard.leases l WHERE l.guard_id = g.id AND l.scope = p_budget.scope AND l.kind = p_budget.kind
        AND l.renewed_at >= p_since));
END $$;

-- Whether nothing new is leased of a budget. After a failover for as long as a lease lasts; after a start
-- until who is unheard can open nothing more; and where something was lost until all have said what they use.
CREATE FUNCTION guard.is_frozen(p_budget guard.budgets, p_server guard.leasing) RETURNS boolean ${asOwner} AS $$
BEGIN
  IF clock_timestamp() >= p_server.since + interval '${spareMs} milliseconds' THEN RETURN false; END IF;
  RETURN NOT p_server.is_restart OR clock_timestamp() < p_server.since + interval '${heldMs + signedMs} milliseconds'
    OR (p_server.is_put_back AND guard.is_unheard(p_budget, p_server.since));
END $$;

-- As before, by what each says that it uses, be it more than it holds.
CREATE OR REPLACE FUNCTION guard.spare_part(p_member bigint, p_budget guard.budgets, p_used numeric) RETURNS numeric ${asOwner} AS $$
DECLARE pool numeric; heard numeric; part numeric;
BEGIN
  SELECT p_budget.set_usd - p_used - coalesce(sum(CASE WHEN is_heard THEN reported_usd ELSE greatest(held_usd, reported_usd) END), 0),
      1 + count(*) FILTER (WHERE is_heard)
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

-- What a member holds of a budget from now on, and what it should hold.
CREATE FUNCTION guard.share_of(p_member bigint, p_budget guard.budgets, p_old numeric, p_used numeric, p_want numeric, p_keep numeric,
  OUT granted numeric, OUT target numeric) ${asOwner} AS $$
DECLARE
  server guard.leasing := guard.notice_server();
  room numeric;
  covered numeric;
BEGIN
  -- Of each other one counts what it holds or what it says that it uses, whichever is more.
  room := greatest(p_budget.set_usd - coalesce((SELECT sum(greatest(held_usd, reported_usd)) FROM guard.leases
    WHERE scope = p_budget.scope AND kind = p_budget.kind AND guard_id <> p_member), 0), 0);
  covered := least(p_used, greatest(p_old, room));
  target := greatest(p_want - p_used, 0);
  target := least(target, coalesce(guard.spare_part(p_member, p_budget, covered), target));
  target := covered + greatest(least(target, room - covered), 0);
  -- What it relies on stays its own, though a limit was lowered, others have too little, or this server
  -- has lost what it granted.
  granted := greatest(target, least(p_keep, greatest(p_old, room)));
  -- What this server has lost may have been given to another, so that its own memory of what somebody
  -- held counts for nothing: only what is used and relied on.
  IF guard.is_frozen(p_budget, server) THEN granted := least(granted, greatest(covered, p_keep)); END IF;
  -- One that was retired may open for as long as it may believe that it has the right to.
  IF guard.was_retired(p_budget.scope) THEN granted := least(granted, greatest(p_old, p_keep)); END IF;
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
  each guard.budgets;
  ask record;
  old numeric;
  share record;
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
  PERFORM guard.notice_server();
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
    SELECT * INTO share FROM guard.share_of(member, each, old, ask.used, ask.want, ask.keep);
    UPDATE guard.budgets b SET leased = b.leased - old + share.granted, limit_usd = greatest(b.set_usd, b.leased - old + share.granted)
      WHERE b.scope = each.scope AND b.kind = each.kind;
    INSERT INTO guard.leases AS known (guard_id, scope, kind, held_usd, used_usd, spare_until, reported_usd, want_usd, renewed_at)
      VALUES (member, each.scope, each.kind, share.granted, least(ask.used, share.granted),
        clock_timestamp() + interval '${spareMs} milliseconds', ask.used, ask.want, clock_timestamp())
      ON CONFLICT ON CONSTRAINT leases_pkey DO UPDATE SET held_usd = excluded.held_usd, used_usd = excluded.used_usd,
        spare_until = excluded.spare_until, reported_usd = excluded.reported_usd, want_usd = excluded.want_usd,
        renewed_at = excluded.renewed_at;
    RETURN QUERY SELECT each.scope, each.kind, share.granted, each.set_usd, share.target, true;
  END LOOP;
END $$;
`

const rights = [
  'made()',
  'notice_server()',
  'notice_loss(bigint, bigint)',
  'is_unheard(guard.budgets, timestamptz)',
  'is_frozen(guard.budgets, guard.leasing)',
  'share_of(bigint, guard.budgets, numeric, numeric, numeric, numeric)',
]
  .map((each) => `REVOKE ALL ON FUNCTION guard.${each} FROM PUBLIC;`)
  .join('\n')

export const restores = [noticing, leasing, rights].join('\n')
