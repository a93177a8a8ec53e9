import { limits } from '../../core/values/limits.ts'

/**
 * What each Guard says of itself every few seconds, and where its journal ends: the first for whoever
 * watches the fleet, the second for whoever compares the copy of a journal with it.
 */
export const reports = `
ALTER TABLE guard.guards
  -- The last record on this Guard's own disk, in its own words.
  ADD COLUMN head_seq bigint,
  ADD COLUMN head_hash text CHECK (head_hash ~ '^[0-9a-f]{64}$'),
  ADD COLUMN head_at timestamptz,
  -- How many of its records this server has told it that it keeps.
  ADD COLUMN copied_seq bigint;

CREATE TABLE guard.reports (
  guard_id bigint PRIMARY KEY REFERENCES guard.guards,
  at timestamptz NOT NULL,
  body jsonb NOT NULL CHECK (jsonb_typeof(body) = 'object' AND octet_length(body::text) <= ${String(limits.fleetReportBytesMax)})
);

-- What is lost of it costs nothing: the next one comes in a few seconds.
CREATE FUNCTION guard.report(p_head_seq bigint, p_head_hash text, p_copied bigint, p_body text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, guard, pg_temp AS $$
DECLARE member bigint := guard.member_id();
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  UPDATE guard.guards SET last_seen = clock_timestamp(), head_at = clock_timestamp(),
      head_seq = p_head_seq, head_hash = p_head_hash, copied_seq = p_copied
    WHERE id = member;
  INSERT INTO guard.reports VALUES (member, clock_timestamp(), p_body::jsonb)
    ON CONFLICT (guard_id) DO UPDATE SET at = excluded.at, body = excluded.body;
END $$;

REVOKE ALL ON guard.reports FROM PUBLIC;
REVOKE ALL ON FUNCTION guard.report(bigint, text, bigint, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION guard.report(bigint, text, bigint, text) TO guard_member;
ALTER TABLE guard.reports ENABLE ROW LEVEL SECURITY;
GRANT SELECT ON guard.reports TO guard_monitor, guard_member;
CREATE POLICY monitor_reads ON guard.reports FOR SELECT TO guard_monitor USING (true);
CREATE POLICY member_reads ON guard.reports FOR SELECT TO guard_member USING (guard_id = guard.own_id());
`
