import { limits } from '../../core/values/limits.ts'
import { standbyTimes, writerTimes } from '../leaseTimes.ts'

/**
 * What a standby lives on: with each renewal of the right to act its holder tells the latch and the
 * halts, every few seconds all that a next run would remember, and a standby asks how long it has to
 * wait. Whether the last word is as late as the last contact is kept by a trigger, so that a Guard of an
 * earlier version, which renews without a word, is seen.
 */
const asOwner = `LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, guard, pg_temp`
const { heldMs, signedMs } = writerTimes
const { restMs, keptDays, most } = standbyTimes

const tables = `
ALTER TABLE guard.writers
  ADD COLUMN word json CHECK (octet_length(word::text) <= ${String(limits.fleetWordBytesMax)}),
  ADD COLUMN told_at timestamptz,
  -- When its holder last asked for anything, with a word or without.
  ADD COLUMN contact_at timestamptz;

CREATE FUNCTION guard.note_contact() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND NEW.told_at IS DISTINCT FROM OLD.told_at THEN
    NEW.contact_at := NEW.told_at;
  ELSE
    NEW.contact_at := clock_timestamp();
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER note_contact BEFORE INSERT OR UPDATE ON guard.writers FOR EACH ROW EXECUTE FUNCTION guard.note_contact();

CREATE TABLE guard.handovers (
  guard_id bigint PRIMARY KEY REFERENCES guard.guards,
  epoch bigint NOT NULL,
  at timestamptz NOT NULL,
  body json NOT NULL CHECK (octet_length(body::text) <= ${String(limits.fleetHandoverBytesMax)})
);
CREATE TABLE guard.standbys (
  guard_id bigint NOT NULL REFERENCES guard.guards,
  instance text NOT NULL CHECK (length(instance) BETWEEN 1 AND 100),
  host text NOT NULL CHECK (length(host) <= 255),
  version text NOT NULL CHECK (length(version) <= 100),
  -- Why it would not take over, or would start latched; null where neither.
  note text CHECK (length(note) <= 300),
  seen_at timestamptz NOT NULL,
  PRIMARY KEY (guard_id, instance)
);
`

const functions = `
-- As hold_writer, with the word of its holder.
CREATE FUNCTION guard.tell_writer(p_instance text, p_run text, p_epoch bigint, p_word text)
RETURNS TABLE (outcome text, epoch bigint, is_own boolean, host text, wait_ms bigint) ${asOwner} AS $$
#variable_conflict use_column
DECLARE asked record;
BEGIN
  SELECT * INTO asked FROM guard.hold_writer(p_instance, p_run, p_epoch);
  IF asked.outcome = 'held' THEN
    UPDATE guard.writers SET word = p_word::json, told_at = clock_timestamp() WHERE guard_id = guard.member_id();
  END IF;
  RETURN QUERY SELECT asked.outcome, asked.epoch, asked.is_own, asked.host, asked.wait_ms;
END $$;

CREATE FUNCTION guard.leave_writer(p_run text, p_epoch bigint, p_word text) RETURNS void ${asOwner} AS $$
BEGIN
  PERFORM guard.commit_safely();
  UPDATE guard.writers SET until = clock_timestamp(), word = p_word::json, told_at = clock_timestamp()
    WHERE guard_id = guard.member_id() AND run = p_run AND epoch = p_epoch;
END $$;

CREATE FUNCTION guard.hand_over(p_run text, p_epoch bigint, p_body text) RETURNS void ${asOwner} AS $$
DECLARE member bigint := guard.member_id();
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  IF NOT EXISTS (SELECT 1 FROM guard.writers WHERE guard_id = member AND run = p_run AND epoch = p_epoch) THEN RETURN; END IF;
  INSERT INTO guard.handovers VALUES (member, p_epoch, clock_timestamp(), p_body::json)
    ON CONFLICT (guard_id) DO UPDATE SET epoch = excluded.epoch, at = excluded.at, body = excluded.body;
END $$;

-- A standby says that it is there, and hears how long it has to wait: another home for as long as what was
-- signed can happen and a rest beyond it, the home that had the right last only until it has ended.
CREATE FUNCTION guard.follow(p_network text, p_account text, p_instance text, p_host text, p_version text, p_note text)
RETURNS TABLE (name text, group_name text, epoch bigint, is_own boolean, is_held boolean, host text, wait_ms bigint,
  word text, is_current boolean, handover bigint, stream bigint) ${asOwner} AS $$
#variable_conflict use_column
DECLARE
  member bigint := guard.member_for(p_network, p_account);
  own guard.guards;
  known guard.writers;
  free_at timestamptz;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  PERFORM guard.is_settling();
  INSERT INTO guard.standbys AS each VALUES (member, p_instance, p_host, p_version, p_note, clock_timestamp())
    ON CONFLICT (guard_id, instance) DO UPDATE SET host = p_host, version = p_version, note = p_note, seen_at = clock_timestamp()
    WHERE each.seen_at < clock_timestamp() - interval '5 seconds' OR each.note IS DISTINCT FROM p_note;
  DELETE FROM guard.standbys WHERE guard_id = member AND (seen_at < clock_timestamp() - interval '${keptDays} days'
    OR instance NOT IN (SELECT s.instance FROM guard.standbys s WHERE s.guard_id = member ORDER BY s.seen_at DESC LIMIT ${most}));
  SELECT * INTO own FROM guard.guards WHERE id = member;
  SELECT * INTO known FROM guard.writers WHERE guard_id = member;
  SELECT since + interval '${heldMs + signedMs} milliseconds' INTO free_at FROM guard.leasing;
  free_at := greatest(free_at, (SELECT max(gone.retired_at) + interval '${heldMs + signedMs} milliseconds' FROM guard.guards gone
    WHERE gone.network = own.network AND gone.account = own.account AND gone.id <> member));
  IF known.instance = p_instance THEN
    free_at := greatest(free_at, known.until);
  ELSIF known.instance IS NOT NULL THEN
    free_at := greatest(free_at, known.until + interval '${signedMs + restMs} milliseconds');
  END IF;
  RETURN QUERY SELECT own.name, own.group_name, known.epoch, known.instance = p_instance, known.until > clock_timestamp(), known.host,
    CASE WHEN free_at > clock_timestamp() THEN ceil(extract(epoch FROM free_at - clock_timestamp()) * 1000) ELSE 0 END::bigint,
    known.word::text, coalesce(known.told_at >= known.contact_at, false),
    (SELECT h.epoch FROM guard.handovers h WHERE h.guard_id = member), own.writer_epoch;
END $$;
`

const memberFunctions = [
  'tell_writer(text, text, bigint, text)',
  'leave_writer(text, bigint, text)',
  'hand_over(text, bigint, text)',
  'follow(text, text, text, text, text, text)',
]

const rights = [
  'REVOKE ALL ON FUNCTION guard.note_contact() FROM PUBLIC;',
  ...memberFunctions.flatMap((each) => [
    `REVOKE ALL ON FUNCTION guard.${each} FROM PUBLIC;`,
    `GRANT EXECUTE ON FUNCTION guard.${each} TO guard_member;`,
  ]),
  ...['handovers', 'standbys'].flatMap((table) => [
    `REVOKE ALL ON guard.${table} FROM PUBLIC;`,
    `ALTER TABLE guard.${table} ENABLE ROW LEVEL SECURITY;`,
    `GRANT SELECT ON guard.${table} TO guard_monitor, guard_member;`,
    `CREATE POLICY monitor_reads ON guard.${table} FOR SELECT TO guard_monitor USING (true);`,
    `CREATE POLICY member_reads ON guard.${table} FOR SELECT TO guard_member USING (guard_id = guard.own_id());`,
  ]),
].join('\n')

export const standbys = [tables, functions, rights].join('\n')
