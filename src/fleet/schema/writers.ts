import { limits } from '../../core/values/limits.ts'
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
CREATE FUNCTION guard.hold_writer(p_instance text, p_run text, p_epoch bigint)
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

CREATE FUNCTION guard.release_writer(p_run text, p_epoch bigint) RETURNS void ${asOwner} AS $$
BEGIN
  UPDATE guard.writers SET until = clock_timestamp()
    WHERE guard_id = guard.member_id() AND run = p_run AND epoch = p_epoch;
END $$;
`

const copying = `
-- Whose records a chain is made of; null: of a home that an earlier version did not name.
ALTER TABLE guard.streams ADD COLUMN instance text;

-- The records of the home that has the right to act, or had it last, are this account's, and no chain is
-- made of two journals: a home whose right was taken meanwhile has not always heard of it.
CREATE FUNCTION guard.check_instance(p_instance text) RETURNS void ${asOwner} AS $$
DECLARE member bigint := guard.member_id(); acting text; copied text;
BEGIN
  SELECT instance INTO acting FROM guard.writers WHERE guard_id = member FOR SHARE;
  SELECT s.instance INTO copied FROM guard.streams s JOIN guard.guards g ON g.id = s.guard_id AND g.writer_epoch = s.writer_epoch
    WHERE g.id = member FOR UPDATE OF s;
  IF acting <> p_instance OR copied <> p_instance THEN
    RAISE EXCEPTION 'another Guard has the right to act for this account, and its records are kept' USING ERRCODE = 'GF006';
  END IF;
END $$;

CREATE FUNCTION guard.copied_by(p_instance text, p_network text, p_account text) RETURNS bigint ${asOwner} AS $$
BEGIN
  PERFORM guard.check_instance(p_instance);
  RETURN guard.copied_up_to(p_network, p_account);
END $$;

-- p_gone: the journal has no records any more between what the store has and these. outcome: as before; or
-- hole, and nothing is done: the records after last_seq are wanted first.
CREATE FUNCTION guard.copy_events(p_instance text, p_rows text, p_gone boolean) RETURNS TABLE (outcome text, last_seq bigint) ${asOwner} AS $$
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

const memberFunctions = [
  'hold_writer(text, text, bigint)',
  'release_writer(text, bigint)',
  'copied_by(text, text, text)',
  'copy_events(text, text, boolean)',
]

const rights = [
  // It is asked by the functions that name their home.
  'REVOKE ALL ON FUNCTION guard.copy_events(text) FROM guard_member;',
  'REVOKE ALL ON FUNCTION guard.check_instance(text) FROM PUBLIC;',
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

export const writers = [tables, copying, functions, rights].join('\n')
