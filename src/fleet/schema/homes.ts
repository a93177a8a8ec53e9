import { limits } from '../../core/values/limits.ts'

/**
 * What each home of an account says of its own disk, be it the one that acts or not: where its journal ends,
 * so that records which are on that disk alone are known by their numbers. And which coins a Guard's venue
 * lists, so that a limit for a coin that nobody knows is seen.
 */
const asOwner = `LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, guard, pg_temp`

const tables = `
CREATE TABLE guard.heads (
  guard_id bigint NOT NULL REFERENCES guard.guards,
  instance text NOT NULL CHECK (length(instance) BETWEEN 1 AND 100),
  host text NOT NULL CHECK (length(host) <= 255),
  seq bigint NOT NULL CHECK (seq >= 0),
  hash text NOT NULL CHECK (hash ~ '^[0-9a-f]{64}$'),
  at timestamptz NOT NULL,
  PRIMARY KEY (guard_id, instance)
);
CREATE TABLE guard.coins (
  guard_id bigint PRIMARY KEY REFERENCES guard.guards,
  at timestamptz NOT NULL,
  names text[] NOT NULL
);
`

const functions = `
-- What is lost of it costs nothing: the next one comes in a few seconds.
CREATE FUNCTION guard.tell_head(p_instance text, p_host text, p_seq bigint, p_hash text) RETURNS void ${asOwner} AS $$
DECLARE member bigint := guard.member_id();
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  INSERT INTO guard.heads VALUES (member, p_instance, p_host, p_seq, p_hash, clock_timestamp())
    ON CONFLICT (guard_id, instance) DO UPDATE SET host = p_host, seq = p_seq, hash = p_hash, at = clock_timestamp();
  DELETE FROM guard.heads WHERE guard_id = member AND instance NOT IN
    (SELECT h.instance FROM guard.heads h WHERE h.guard_id = member ORDER BY h.at DESC LIMIT ${String(limits.fleetHomesMax)});
END $$;

-- p_names: a list in JSON.
CREATE FUNCTION guard.tell_coins(p_names text) RETURNS void ${asOwner} AS $$
DECLARE member bigint := guard.member_id();
BEGIN
  IF octet_length(p_names) > ${String(limits.fleetCoinsBytesMax)} THEN
    RAISE EXCEPTION 'these are more coins than a venue lists' USING ERRCODE = 'GF002';
  END IF;
  PERFORM set_config('synchronous_commit', 'off', true);
  INSERT INTO guard.coins VALUES (member, clock_timestamp(), ARRAY(SELECT json_array_elements_text(p_names::json)))
    ON CONFLICT (guard_id) DO UPDATE SET at = excluded.at, names = excluded.names;
END $$;
`

const rights = [
  ...['tell_head(text, text, bigint, text)', 'tell_coins(text)'].flatMap((each) => [
    `REVOKE ALL ON FUNCTION guard.${each} FROM PUBLIC;`,
    `GRANT EXECUTE ON FUNCTION guard.${each} TO guard_member;`,
  ]),
  ...['heads', 'coins'].flatMap((table) => [
    `REVOKE ALL ON guard.${table} FROM PUBLIC;`,
    `ALTER TABLE guard.${table} ENABLE ROW LEVEL SECURITY;`,
    `GRANT SELECT ON guard.${table} TO guard_monitor, guard_member;`,
    `CREATE POLICY monitor_reads ON guard.${table} FOR SELECT TO guard_monitor USING (true);`,
    `CREATE POLICY member_reads ON guard.${table} FOR SELECT TO guard_member USING (guard_id = guard.own_id());`,
  ]),
].join('\n')

export const homes = [tables, functions, rights].join('\n')
