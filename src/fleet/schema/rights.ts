/**
 * Who may do what. Three roles that nobody logs in as: `guard_member` for the account of one Guard,
 * `guard_monitor` reads all, `guard_operator` may also raise kills and set limits. The owner is who made
 * the schema.
 */
export const roles = ['guard_member', 'guard_monitor', 'guard_operator'] as const

const memberFunctions = [
  'join_fleet(text, text, text, text, text, bigint)',
  'beat()',
  'acknowledge(bigint, bigint, bigint)',
  'copied_up_to(text, text)',
  'copy_events(text)',
]
const operatorFunctions = [
  'raise_kill(text, text, text)',
  'clear_kill(text)',
  'set_limit(text, text, numeric)',
]

/** Rows that a member may read of a table; a monitor reads all of every table. */
const memberRows: Readonly<Record<string, string>> = {
  guards: 'id = guard.own_id()',
  events: 'guard_id = guard.own_id()',
  leases: 'guard_id = guard.own_id()',
  acks: 'guard_id = guard.own_id()',
  control: 'true',
}
const tablesRead = [
  'guards',
  'events',
  'leases',
  'acks',
  'control',
  'budgets',
  'streams',
  'forks',
  'gaps',
]

export const rights = [
  'REVOKE ALL ON SCHEMA guard FROM PUBLIC;',
  'REVOKE ALL ON ALL TABLES IN SCHEMA guard FROM PUBLIC;',
  'REVOKE ALL ON ALL FUNCTIONS IN SCHEMA guard FROM PUBLIC;',
  'GRANT USAGE ON SCHEMA guard TO guard_member, guard_monitor, guard_operator;',
  'GRANT guard_monitor TO guard_operator;',
  // A policy asks it as whoever reads.
  'GRANT EXECUTE ON FUNCTION guard.own_id() TO guard_member, guard_monitor;',
  ...memberFunctions.map((each) => `GRANT EXECUTE ON FUNCTION guard.${each} TO guard_member;`),
  ...operatorFunctions.map((each) => `GRANT EXECUTE ON FUNCTION guard.${each} TO guard_operator;`),
  ...tablesRead.flatMap((table) => [
    `ALTER TABLE guard.${table} ENABLE ROW LEVEL SECURITY;`,
    `GRANT SELECT ON guard.${table} TO guard_monitor;`,
    `CREATE POLICY monitor_reads ON guard.${table} FOR SELECT TO guard_monitor USING (true);`,
  ]),
  ...Object.entries(memberRows).flatMap(([table, rows]) => [
    `GRANT SELECT ON guard.${table} TO guard_member;`,
    `CREATE POLICY member_reads ON guard.${table} FOR SELECT TO guard_member USING (${rows});`,
  ]),
].join('\n')
