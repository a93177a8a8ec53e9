/**
 * How a right to act and a budget end. Who is no member any more is refused whatever the tables hold: the
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

export const endings = [acting, limits].join('\n')
