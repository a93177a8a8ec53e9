/** Everything that must hold in every world, by name; `rules.test.ts` breaks each of them once. */
export const ruleTexts = {
  intent_first:
    'every action that leaves stands on a synced disk before it, and leaves once; with a broken disk only what lowers risk may leave without, and not even that where a second disk works',
  sent_once: "an order with one of Guard's own ids leaves once, through every restart",
  known_action: 'only kinds of action that Guard judges ever leave',
  recovery_first: 'nothing that opens leaves before earlier sends were looked up',
  one_decision:
    'every request that was answered, or came whole, has its decision on disk, with the code that was told',
  one_execution: 'no request is let through twice, also not after a crash',
  agent_once:
    'an order of an agent is let through once for its idempotency key, however often it asks and whoever restarts',
  whole: 'what never came whole is never decided',
  exit_held:
    'what can only reduce is never refused for a limit, a throttle, a stale price, a halt or a broken journal',
  not_larger: 'nothing forwarded is larger than asked',
  not_worse: 'no entry that is forwarded may fill at a worse price than asked',
  not_longer: 'nothing forwarded lives longer than asked, and every action has an end',
  entry_stop:
    'every entry leaves with its stop, unless Guard may watch one that waits for a trigger',
  risk_per_trade: 'no entry that leaves can lose more at its stop than one trade may',
  open_risk: 'what may be lost at the stops is within its budget whenever an entry leaves',
  leverage: 'positions and entries together are within the leverage whenever an entry leaves',
  position_cap: 'no coin is held and bought beyond its cap whenever an entry leaves',
  waiting_loss:
    'what entries that wait for a trigger could lose while Guard is away is within the loss of a day whenever one of them leaves',
  spot_sells:
    'on spot pairs only sells leave, and never of more than the account has there and nothing holds',
  cross_pool:
    'what stands behind the cross positions bears every stop hit at once, with 10% of slippage, and the least distance to liquidation against all of them, whenever an entry leaves',
  liquidated:
    'the venue liquidates nothing, but where a price jumps over the stops, a person trades or money is taken away',
  stop_first:
    'no position is liquidated while stops that cover all of it have not been reached, but where a person trades or what stands behind cross positions is taken away',
  flow_no_loss:
    'nothing halts for money that came or went, also to and from spot, an owner and the followers of a vault: only for a loss by trading',
  covered: 'in a calm world every position is covered in full within 3 s; at rest always',
  promise:
    'in a calm world every position has within 3 s what its entries were sent with: as much of it stopped out, as tight',
  dex_named:
    'nothing opens on a builder dex that the rules do not name, or whose money is not USDC',
  dex_counted:
    'no entry on a builder dex that leaves can lose more than one trade may, with its stop filled at its worst and the gap beyond it',
  dex_book:
    'where `max_book_share` is set, what is held, rests and leaves on a side of a perp of a builder dex is within that share of its book, by size, whenever an entry leaves',
  dex_margin:
    'no more isolated margin is put into a position on a builder dex than, for each part of it, twice what was counted or what keeps the liquidation beyond its own stop',
  dex_loss:
    'no position on a builder dex loses more than was counted for it, though its price jumps to the discovery bound; and, whatever happens, never more than was counted or put in',
  dex_flat: 'after a kill or a halt on a healthy venue nothing is left on any builder dex',
  settled_told: 'of a position that a builder settles Guard says what became of it',
  incident: 'while a position is not covered for longer, Guard says that something is wrong',
  latched: 'nothing that opens leaves after a kill was acknowledged, through every restart',
  halted: 'nothing that opens leaves while the account is halted',
  halt_stays:
    "a day's halt ends with its day by the venue's time and never before, whatever the machine's clock says; a stop never by itself",
  venue_time:
    "nothing that leaves untroubled once Guard serves is refused by the venue's clock, whatever the machine's says",
  flat_in_the_end: 'after a kill or a halt on a healthy venue nothing is left',
  flat_apart:
    'after a kill a coin of which no action is answered keeps nothing open on another for longer than 15 s',
  equity: "at rest Guard's equity is the venue's, to the last digit",
  pools:
    'at rest what Guard shows behind cross positions is what the venue has there, on each dex of a plain account by itself',
  positions: "at rest Guard's positions are the venue's",
  orders: 'at rest Guard has as many orders as the venue',
  in_flight: 'at rest nothing is in flight',
  own_account: "nothing that is for a sub-account reaches its owner's account",
  idle_stop: "at rest no stop of Guard's own is left that nothing needs",
  gap: 'records are numbered without gaps',
  shown: 'readers see only what is on disk, in order',
  durable: 'what was on disk, or was shown, is never missing',
  answered: 'every request is answered, within 30 s',
  kill_prompt: 'a kill is answered within half a second, whatever the disk does',
  answer: 'answers have the form that bots expect',
  one_at_a_time:
    'a connection to the venue carries one request at a time, written as a whole, and there are never more than 64',
  recovers: 'Guard serves again within 30 s after the world healed',
  stop: 'Guard stops when it is told to',
  spins: 'Guard never turns in place',
  double_start: 'a second process on the same state is refused',
  replay: 'every decision of the journal, judged again from its record alone, gives the same bytes',
  proven:
    'in the end the journal verifies with its key, and one from which a record was taken does not',
  relayed: 'a bot hears only of streams that it asked for',
  heard: 'the streams that a bot asks for in a healed world come',
  followed: "whatever bots ask the venue for, Guard's own stream comes back",
  secret: 'no private key stands in a file, a log line or an answer',
} as const

export type RuleName = keyof typeof ruleTexts
