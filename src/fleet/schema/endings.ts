/**
 * How a right to act ends. As before, but who is no member any more is refused whatever the tables hold:
 * the steps before asked who it is only where there was a row to compare.
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

export const endings = acting
