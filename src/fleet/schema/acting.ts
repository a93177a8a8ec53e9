import { limits } from '../../core/values/limits.ts'
import { writerTimes } from '../leaseTimes.ts'

/**
 * The right to act where a store was put back, and where another home takes an account over: who had the
 * right by its own clocks when the server began has it still, an epoch that this server has lost is
 * learned from whoever brings it, and the last word of the home before is told to the next one until that
 * has heeded it.
 */
const asOwner = `LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, guard, pg_temp`
const { heldMs, signedMs } = writerTimes

const tables = `
ALTER TABLE guard.writers
  -- What the home before said last of its latch and halts; null: this home has heeded it, or is the first.
  ADD COLUMN left_word json CHECK (octet_length(left_word::text) <= ${String(limits.fleetWordBytesMax)}),
  -- Whether that was as late as the store's last contact with it; null: there is nothing to be heeded.
  ADD COLUMN left_known boolean,
  ADD COLUMN left_host text;
`

const functions = `
-- p_epoch: what this run holds the lease by; 0 where it does not hold it yet. p_holds: whether it holds it
-- now by its own clocks. p_answer: the number of the last answer by which it was held. outcome: held; waits (another has it, or had it a moment ago); lost (another has
-- taken it since: this run must end).
CREATE FUNCTION guard.claim_writer(p_instance text, p_run text, p_epoch bigint, p_holds boolean, p_answer bigint)
RETURNS TABLE (outcome text, epoch bigint, is_own boolean, host text, wait_ms bigint, answer bigint) ${asOwner} AS $$
#variable_conflict use_column
DECLARE
  member bigint := guard.member_id();
  own guard.guards;
  known guard.writers;
  server guard.leasing;
  is_first boolean := false;
  free_at timestamptz := '-infinity';
  chain bigint;
BEGIN
  PERFORM guard.check_obeyed(p_epoch);
  PERFORM guard.commit_safely();
  PERFORM guard.notice_server();
  PERFORM guard.notice_loss(member, p_answer);
  SELECT * INTO server FROM guard.leasing;
  -- Whoever asks for this account queues for its row.
  SELECT * INTO own FROM guard.guards WHERE id = member FOR NO KEY UPDATE;
  SELECT * INTO known FROM guard.writers WHERE guard_id = member FOR UPDATE;
  is_first := NOT FOUND;
  -- A higher one of its own is what this server has lost: it is taken anew below.
  IF p_epoch > 0 AND NOT is_first AND known.run <> p_run AND known.epoch > p_epoch THEN
    RETURN QUERY SELECT 'lost'::text, known.epoch, known.instance = p_instance, known.host, 0::bigint, NULL::bigint;
    RETURN;
  END IF;
  -- For as long as a lease lasts: what this server has lost of them has ended by then. Nobody else was given
  -- the right while its holder could count on it, and since this server began only this server gives it.
  IF NOT (server.is_restart AND p_holds AND p_epoch > 0) THEN
    free_at := server.since + interval '${heldMs + signedMs} milliseconds';
  END IF;
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
    -- It was given the right by what this server has lost, and another since: that one is above it.
    IF NOT is_first AND p_epoch > known.epoch AND known.run <> p_run AND known.until > clock_timestamp()
      AND known.until >= server.since + interval '${heldMs} milliseconds' THEN
      UPDATE guard.writers w SET epoch = p_epoch + 1 WHERE w.guard_id = member;
      known.epoch := p_epoch + 1;
    END IF;
    RETURN QUERY SELECT 'waits'::text, coalesce(known.epoch, 0), coalesce(known.instance = p_instance, true), known.host,
      ceil(extract(epoch FROM free_at - clock_timestamp()) * 1000)::bigint, NULL::bigint;
    RETURN;
  END IF;
  IF is_first OR known.run <> p_run THEN
    INSERT INTO guard.writers AS w (guard_id, epoch, instance, run, host, until)
      VALUES (member, greatest(p_epoch, own.writer_epoch, coalesce(known.epoch, 0)) + 1, p_instance, p_run, own.host, clock_timestamp())
      ON CONFLICT (guard_id) DO UPDATE SET epoch = excluded.epoch, instance = p_instance, run = p_run, host = own.host, taken_at = clock_timestamp();
    IF NOT is_first AND known.instance <> p_instance THEN
      -- What a home before that one had left and nobody has heeded is left to this one.
      UPDATE guard.writers w SET
          left_word = CASE WHEN known.left_known IS NULL THEN known.word ELSE known.left_word END,
          left_known = coalesce(known.left_known, known.word IS NOT NULL AND coalesce(known.told_at >= known.contact_at, false)),
          left_host = CASE WHEN known.left_known IS NULL THEN known.host ELSE known.left_host END
        WHERE w.guard_id = member;
    END IF;
    -- Another home has another journal: its records are a chain of their own, which it goes on with when
    -- it has the right again.
    chain := (SELECT max(s.writer_epoch) FROM guard.streams s WHERE s.guard_id = member AND s.instance = p_instance);
    IF chain IS NULL AND ((NOT is_first AND known.instance <> p_instance) OR EXISTS (SELECT 1 FROM guard.streams s
      WHERE s.guard_id = member AND s.writer_epoch = own.writer_epoch AND s.instance <> p_instance)) THEN
      chain := greatest(p_epoch, coalesce(known.epoch, 0), (SELECT max(s.writer_epoch) FROM guard.streams s WHERE s.guard_id = member)) + 1;
    END IF;
    UPDATE guard.guards SET writer_epoch = coalesce(chain, own.writer_epoch) WHERE id = member;
  END IF;
  UPDATE guard.writers w SET until = clock_timestamp() + interval '${heldMs} milliseconds', epoch = greatest(w.epoch, p_epoch),
      -- A number that was lost is not given a second time.
      answers = greatest(w.answers, least(p_answer, 4000000000000000)) + 1
    WHERE w.guard_id = member;
  RETURN QUERY SELECT 'held'::text, w.epoch, true, w.host, 0::bigint, w.answers FROM guard.writers w WHERE w.guard_id = member;
END $$;

-- Asked by Guards of an earlier version, which heed nothing that another home has left.
CREATE OR REPLACE FUNCTION guard.hold_writer(p_instance text, p_run text, p_epoch bigint)
RETURNS TABLE (outcome text, epoch bigint, is_own boolean, host text, wait_ms bigint) ${asOwner} AS $$
#variable_conflict use_column
DECLARE asked record;
BEGIN
  SELECT * INTO asked FROM guard.claim_writer(p_instance, p_run, p_epoch, false, 0);
  IF asked.outcome = 'held' THEN
    UPDATE guard.writers SET left_word = NULL, left_known = NULL, left_host = NULL
      WHERE guard_id = guard.member_id() AND left_known IS NOT NULL;
  END IF;
  RETURN QUERY SELECT asked.outcome, asked.epoch, asked.is_own, asked.host, asked.wait_ms;
END $$;

-- As tell_writer, by one that says whether it holds the right by its own clocks, and that heeds what the
-- home before has left: it is told until this run says that it has (p_heeded).
CREATE FUNCTION guard.keep_writer(p_instance text, p_run text, p_epoch bigint, p_holds boolean, p_heeded boolean, p_word text, p_answer bigint)
RETURNS TABLE (outcome text, epoch bigint, is_own boolean, host text, wait_ms bigint, answer bigint, left_word text, left_known boolean, left_host text) ${asOwner} AS $$
#variable_conflict use_column
DECLARE asked record; told guard.writers; member bigint := guard.member_id();
BEGIN
  SELECT * INTO asked FROM guard.claim_writer(p_instance, p_run, p_epoch, p_holds, p_answer);
  IF asked.outcome = 'held' THEN
    UPDATE guard.writers SET word = p_word::json, told_at = clock_timestamp(),
        left_word = CASE WHEN p_heeded THEN NULL ELSE left_word END,
        left_known = CASE WHEN p_heeded THEN NULL ELSE left_known END,
        left_host = CASE WHEN p_heeded THEN NULL ELSE left_host END
      WHERE guard_id = member RETURNING * INTO told;
  END IF;
  RETURN QUERY SELECT asked.outcome, asked.epoch, asked.is_own, asked.host, asked.wait_ms, asked.answer,
    told.left_word::text, told.left_known, told.left_host;
END $$;
REVOKE ALL ON FUNCTION guard.claim_writer(text, text, bigint, boolean, bigint) FROM PUBLIC;
REVOKE ALL ON FUNCTION guard.keep_writer(text, text, bigint, boolean, boolean, text, bigint) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION guard.keep_writer(text, text, bigint, boolean, boolean, text, bigint) TO guard_member;
`

export const acting = [tables, functions].join('\n')
