import { writerTimes } from '../leaseTimes.ts'

/**
 * Who may open for an account: a lease with an epoch, by this server's clock. A Guard is known by its
 * home (`instance`) and by each of its runs; the epoch rises with every run that takes the lease, and
 * whoever comes with a lower one learns that another has it.
 */
const asOwner = `LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, guard, pg_temp`
const { heldMs, signedMs } = writerTimes

const tables = `
CREATE TABLE guard.writers (
  guard_id bigint PRIMARY KEY REFERENCES guard.guards,
  epoch bigint NOT NULL CHECK (epoch > 0),
  instance text NOT NULL CHECK (length(instance) BETWEEN 1 AND 100),
  run text NOT NULL CHECK (length(run) BETWEEN 1 AND 100),
  host text,
  until timestamptz NOT NULL,
  taken_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
`

const functions = `
-- p_epoch: what this run holds the lease by; 0 where it does not hold it yet. outcome: held; waits (another
-- has it, or had it a moment ago); lost (another has taken it since: this run must end).
CREATE FUNCTION guard.hold_writer(p_instance text, p_run text, p_epoch bigint)
RETURNS TABLE (outcome text, epoch bigint, is_own boolean, host text, wait_ms bigint) ${asOwner} AS $$
#variable_conflict use_column
DECLARE
  member bigint := guard.member_id();
  own guard.guards;
  known guard.writers;
  is_first boolean := false;
  free_at timestamptz;
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
    -- Another home has another journal: its records are a chain of their own.
    IF NOT is_first AND known.instance <> p_instance THEN
      UPDATE guard.guards SET writer_epoch = greatest(p_epoch, own.writer_epoch, known.epoch) + 1 WHERE id = member;
    END IF;
  END IF;
  UPDATE guard.writers w SET until = clock_timestamp() + interval '${heldMs} milliseconds', epoch = greatest(w.epoch, p_epoch)
    WHERE w.guard_id = member;
  RETURN QUERY SELECT 'held'::text, w.epoch, true, w.host, 0::bigint FROM guard.writers w WHERE w.guard_id = member;
END $$;

CREATE FUNCTION guard.release_writer(p_run text, p_epoch bigint) RETURNS void ${asOwner} AS $$
BEGIN
  UPDATE guard.writers SET until = clock_timestamp()
    WHERE guard_id = guard.member_id() AND run = p_run AND epoch = p_epoch;
END $$;
`

const memberFunctions = ['hold_writer(text, text, bigint)', 'release_writer(text, bigint)']

const rights = [
  ...memberFunctions.flatMap((each) => [
    `REVOKE ALL ON FUNCTION guard.${each} FROM PUBLIC;`,
    `GRANT EXECUTE ON FUNCTION guard.${each} TO guard_member;`,
  ]),
  'REVOKE ALL ON guard.writers FROM PUBLIC;',
  'ALTER TABLE guard.writers ENABLE ROW LEVEL SECURITY;',
  'GRANT SELECT ON guard.writers TO guard_monitor, guard_member;',
  'CREATE POLICY monitor_reads ON guard.writers FOR SELECT TO guard_monitor USING (true);',
  'CREATE POLICY member_reads ON guard.writers FOR SELECT TO guard_member USING (guard_id = guard.own_id());',
].join('\n')

export const writers = [tables, functions, rights].join('\n')
