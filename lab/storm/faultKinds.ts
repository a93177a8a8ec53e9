/** Everything that can go wrong in the fake world, by where it strikes. */

/** New connections to the venue; idle ones are closed before, so that new ones are needed. */
export const connectFaults = ['connection_refused', 'connection_late', 'connection_hangs'] as const

/** Connections that stand, all of them at once: without a word, or with an error. */
export const standingFaults = ['connections_vanish', 'connections_reset'] as const

/** Answers to whatever is asked over a connection, one of them or many. */
export const answerFaults = ['answers_overtake', 'answers_held', 'answer_cut'] as const

/** On the way of an action to the venue and back. */
export const exchangeFaults = [
  'request_lost',
  'request_late',
  'request_slow',
  'request_doubled',
  'answer_lost',
  'answer_late',
  'reset_before_body',
  'reset_mid_body',
  'http_429',
  'http_500',
  'http_502_executed',
  'answer_garbage',
  'answer_truncated',
  'error_in_200',
  'stop_refused',
] as const

/** On the way of a read. */
export const readFaults = [
  'read_lost',
  'read_slow',
  'read_http_500',
  'read_http_429',
  'read_garbage',
  'read_stale',
] as const

const streamFaults = [
  'stream_silent',
  'stream_cut',
  'stream_stale',
  'frame_doubled',
  'frames_reordered',
  'frames_late',
  'frames_missing',
  'frame_garbage',
  'connect_refused',
  'stream_deaf',
] as const

export const diskFaults = [
  'disk_full',
  'write_error',
  'sync_error',
  'short_write',
  'disk_slow',
  'disk_hangs',
  'open_error',
  'rename_error',
] as const

/** Power cuts that differ in what is left of unsynced writes, and where the process stood. */
export const processFaults = [
  'crash_lost',
  'crash_kept',
  'crash_torn',
  'process_killed',
  'crash_at_disk_operation',
  'crash_at_send',
  'crash_at_answer',
  'clean_restart',
  'double_start',
  'bit_flip',
  'rules_changed',
  'clients_changed',
  'clock_back',
  'clock_forward',
] as const

const venueFaults = [
  'price_jump',
  'market_crash',
  'price_gap',
  'day_of_loss',
  'ruin',
  'outside_open',
  'outside_close',
  'outside_cancel',
  'outside_leverage',
  'deposit',
  'withdrawal',
  'ledger_late',
  'agent_revoked',
  'venue_slow_to_read',
  'frame_lies',
  'read_lies',
  'reads_fail',
] as const

/** What the venue refuses by its own limits. */
export const limitFaults = [
  'outside_crowd',
  'outside_large',
  'price_band',
  'allowance_spent',
  'day_spent',
] as const

/** What the owner does on markets that Guard does not trade, and what the venue trades by itself. */
export const elsewhereFaults = [
  'outside_spot_trade',
  'outside_spot_order',
  'outside_dex_trade',
  'outside_twap',
] as const

/** Between a bot and Guard's port. */
export const botFaults = [
  'bot_slow_body',
  'bot_chunked_body',
  'bot_pipelined',
  'bot_doubled',
  'bot_cut_body',
  'bot_gone',
  'bot_overlong',
  'bot_garbage',
] as const

/** Not faults of the world: people who pull the switch. */
const killKinds = ['kill_request', 'kill_file', 'kill_command'] as const

export const allFaults = [
  ...connectFaults,
  ...standingFaults,
  ...answerFaults,
  ...exchangeFaults,
  ...readFaults,
  ...streamFaults,
  ...diskFaults,
  ...processFaults,
  ...venueFaults,
  ...limitFaults,
  ...elsewhereFaults,
  ...botFaults,
  ...killKinds,
] as const

/**
 * What builders do to their dexes, and people there. Only worlds with builder dexes have these, and
 * draw them apart: the other worlds stay as they are.
 */
export const dexFaults = [
  'dex_walk',
  'dex_walk',
  'dex_price_jump',
  'dex_oracle_jump',
  'dex_oracle_stops',
  'dex_thin_book',
  'dex_cap',
  'dex_halt',
  'dex_delists',
  'dex_margin_mode',
  'dex_vanishes',
  'dex_appears',
  'dex_streams_stale',
  'dex_list_fails',
  'dex_by_hand',
  'dex_hand_order',
] as const

/**
 * What happens to accounts, and to what waits or runs in them at a bad moment. Only worlds of `accounts/`
 * have these, and draw them apart.
 */
export const accountFaults = [
  'margin_gone',
  'vault_withdrawal',
  'mode_changed',
  'venue_upgrade',
  'breakout',
  'prices_turn',
  'guard_away',
  'spot_by_hand',
] as const

export type FaultKind =
  (typeof allFaults)[number] | (typeof dexFaults)[number] | (typeof accountFaults)[number]
export type ConnectFault = (typeof connectFaults)[number]
export type StandingFault = (typeof standingFaults)[number]
export type AnswerFault = (typeof answerFaults)[number]
export type ExchangeFault = (typeof exchangeFaults)[number]
export type ReadFault = (typeof readFaults)[number]
export type DiskFaultKind = (typeof diskFaults)[number]
export type BotFault = (typeof botFaults)[number]
