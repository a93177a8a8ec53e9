/**
 * How a right to act and a budget end, and a kill that no full queue holds up. Who is no member any more is refused whatever the tables hold: the
 * steps before asked who it is only where there was a row to compare.
 */
const asOwner = `LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, guard, pg_temp`

const acting = `
CREATE OR REPLACE FUNCTION guard.release_writer(p_run text, p_epoch bigint) RETURNS void ${asOwner} AS $$
DECLARE member bigint := guard.member_id();
BEGIN
  UPDATE guard.writers SET until = clock_timestamp() WHERE guard_id = member AND run = p_run AND epoch = p_epoch;
END $$;

CREATE OR REPLACE FUNCTION guard.leave_writer(p_run text, p_epoch bigint, p_word text) RETURNS void ${asOwner} AS $$
DECLARE member bigint := guard.member_id();
BEGIN
  PERFORM guard.commit_safely();
  UPDATE guard.writers SET until = clock_timestamp(), word = p_word::json, told_at = clock_timestamp()
    WHERE guard_id = member AND run = p_run AND epoch = p_epoch;
END $$;
`

const killing = `
-- As it was, without telling anybody: Guards ask every second anyway. The queue of notifications is the
-- whole server's, anybody who is let in can fill it, and then no transaction that notifies is committed.
CREATE OR REPLACE FUNCTION guard.raise_kill_silently(p_scope text, p_reason text, p_request text) RETURNS bigint ${asOwner} AS $$
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
  RETURN raised;
END $$;
REVOKE ALL ON FUNCTION guard.raise_kill_silently(text, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION guard.raise_kill_silently(text, text, text) TO guard_operator;

CREATE OR REPLACE FUNCTION guard.raise_kill(p_scope text, p_reason text, p_request text) RETURNS bigint ${asOwner} AS $$
DECLARE raised bigint := guard.raise_kill_silently(p_scope, p_reason, p_request);
BEGIN
  PERFORM pg_notify('guard_control', raised::text);
  RETURN raised;
END $$;
`

const limits = `
-- What was leased of it is leased no more: each Guard stops counting it at its next renewal. No row where
-- there is no such budget. Nobody has to be in the scope any more.
CREATE OR REPLACE FUNCTION guard.remove_limit(p_scope text, p_kind text) RETURNS TABLE (leased numeric, holders bigint) ${asOwner} AS $$
#variable_conflict use_column
DECLARE gone guard.budgets; freed bigint;
BEGIN
  PERFORM guard.commit_safely();
  -- Whoever renews queues for this row, and finds the budget gone.
  SELECT * INTO gone FROM guard.budgets WHERE scope = p_scope AND kind = p_kind FOR UPDATE;
  IF NOT FOUND THEN RETURN; END IF;
  DELETE FROM guard.leases WHERE scope = p_scope AND kind = p_kind;
  GET DIAGNOSTICS freed = ROW_COUNT;
  DELETE FROM guard.budgets WHERE scope = p_scope AND kind = p_kind;
  RETURN QUERY SELECT gone.leased, freed;
END $$;
REVOKE ALL ON FUNCTION guard.remove_limit(text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION guard.remove_limit(text, text) TO guard_operator;
`

export const endings = [acting, killing, limits].join('\n')
