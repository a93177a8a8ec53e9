import type { KindFacts } from './severity.ts'

/** Everything a person can be told about; configuration, texts and documentation come from here. */
export const alertKinds = {
  kill: {
    severity: 'critical',
    title: 'Kill switch pulled',
    over: 'Kill switch released',
    advice:
      'Everything is being closed; nothing opens. Find out why. To go on: stop Guard, `guard kill release`, start it.',
  },
  drawdown_halt: {
    severity: 'critical',
    title: 'Drawdown halt: trading stopped',
    over: 'Drawdown halt cleared',
    advice: 'Everything is being closed. Review it; then stop Guard, `guard resume`, start it.',
  },
  daily_loss_stop: {
    severity: 'critical',
    title: 'Daily loss stop: no trading today',
    over: 'New day: trading again',
    advice:
      'Everything is being closed; entries pass again at 00:00 UTC. Check that no position stays open.',
  },
  flatten: {
    severity: 'critical',
    title: 'Guard closes everything',
    advice: 'Check in `guard status` that no position is left.',
  },
  flattening: {
    severity: 'critical',
    title: 'Closing is not finished',
    over: 'Everything is closed',
    afterMs: 15_000,
    advice: 'Guard keeps trying. Look at the venue’s own page, and close by hand what stays open.',
  },
  unprotected_position: {
    severity: 'critical',
    title: 'Position without a full stop',
    over: 'Position is covered again',
    afterMs: 5_000,
    advice: 'Guard places a stop or closes it. If this lasts, place a stop at the venue yourself.',
  },
  close_refused: {
    severity: 'critical',
    title: 'Venue refuses a close',
    over: 'Venue takes the close again',
    afterMs: 5_000,
    advice: 'Guard tries it in other ways. Close the position by hand at the venue if this lasts.',
  },
  stop_refused: {
    severity: 'critical',
    title: 'Venue refuses a stop',
    over: 'Venue takes the stop again',
    afterMs: 5_000,
    advice: 'Guard tries it in other ways. Place a stop at the venue yourself if this lasts.',
  },
  exit_refused: {
    severity: 'warning',
    title: "Venue refuses a bot's exit",
    over: "Venue takes the bot's exits again",
    afterMs: 5_000,
    advice: 'The stop stays. Look at what the bot sends, or close the position by hand.',
  },
  exits_held: {
    severity: 'warning',
    title: "Guard holds back a bot's exits",
    over: "Bots' exits find room again",
    advice: 'The rest is for its own stops. Does the bot repeat exits that cannot fill?',
  },
  liquidation: {
    severity: 'critical',
    title: 'Liquidation comes before the stop',
    over: 'Stop comes before the liquidation again',
    afterMs: 3_000,
    advice:
      'Somebody set the margin or leverage at the venue. Add margin, lower the leverage or close the position there; nothing opens on the coin meanwhile.',
  },
  liquidated: {
    severity: 'critical',
    title: 'The venue changed a position by itself',
    over: 'No such sign for an hour',
    advice:
      'A liquidation, an auto-deleveraging, or a change without a fill. Guard has read the account anew and looked at every stop; look at the account’s history at the venue, and add margin or close what is too large.',
  },
  settled: {
    severity: 'warning',
    title: 'A builder dex settled a position',
    over: 'No settlement for an hour',
    advice:
      'Its builder halted or delisted the market: orders there ended and positions at the mark, whatever stop they had. Its result is in the day; nothing is to be done.',
  },
  dex_unread: {
    severity: 'warning',
    title: 'A builder dex cannot be read',
    over: 'All dexes can be read again',
    afterMs: 10_000,
    advice:
      'What is held there is as it was last told, and its stop stands at the venue. Nothing opens anywhere until it is read; exits pass.',
  },
  dex_missing: {
    severity: 'warning',
    title: 'A dex of the rules is missing',
    over: 'All dexes of the rules are there',
    afterMs: 30_000,
    advice:
      'Nothing is traded there. Look whether its name in `markets` is right, and whether the venue still has it.',
  },
  market_missing: {
    severity: 'warning',
    title: 'A market of the rules is missing',
    over: 'The market is listed',
    afterMs: 30_000,
    advice: 'Mend its name in guard.toml: what is said of it protects nothing.',
  },
  dex_unfollowed: {
    severity: 'warning',
    title: 'More builder dexes than Guard follows',
    over: 'Every builder dex that matters is followed',
    afterMs: 10_000,
    advice:
      'While something is held, rests or runs on one of them, nothing opens; its stop stands at the venue, and a kill closes it too. Close what is there, or name fewer dexes in `markets`.',
  },
  margin: {
    severity: 'warning',
    title: 'Margin setting breaks a rule',
    over: 'Margin settings keep the rules again',
    afterMs: 3_000,
    advice:
      'Somebody set cross margin or a higher leverage at the venue than the rules admit. Set it back there; nothing opens on the coin meanwhile.',
  },
  liquidation_price: {
    severity: 'critical',
    title: 'Liquidation price is not understood',
    over: 'Liquidation prices agree again',
    afterMs: 5_000,
    advice:
      'The venue counts margin in another way than Guard: nothing opens meanwhile, exits and stops go on. Trust the venue’s own page; report it with the log.',
  },
  equity_unknown: {
    severity: 'critical',
    title: 'The account’s equity is not known',
    over: 'The account’s equity is known again',
    afterMs: 3_000,
    advice:
      'Daily loss and drawdown are not measured meanwhile; exits and stops go on, and nothing opens. Set the account to a mode that Guard can size for (`unifiedAccount`, `disabled`), or watch it yourself.',
  },
  open_risk_over: {
    severity: 'warning',
    title: 'More at the stops than open_risk admits',
    over: 'Open risk is within its limit again',
    afterMs: 3_000,
    advice:
      'Money has left the account, or a price is far ahead of its stop. Close a part, tighten the stops or bring money back; Guard closes nothing for it.',
  },
  portfolio_margin: {
    severity: 'critical',
    title: 'Portfolio margin is half used up',
    over: 'Portfolio margin is less than half used',
    afterMs: 3_000,
    advice: 'The venue liquidates above 95%. Close something, or add money at the venue.',
  },
  account_role: {
    severity: 'critical',
    title: 'Whose account it is, is in doubt',
    over: 'The account is proven',
    afterMs: 5_000,
    advice: 'Nothing opens; exits and stops go on. Look at the account at the venue.',
  },
  actions: {
    severity: 'warning',
    title: 'Few actions left at the venue',
    over: 'Enough actions left again',
    advice:
      'Nothing opens meanwhile; exits and stops go on. Trade more, send less, or wait for the next day; requests can be bought with Guard stopped: guard actions buy.',
  },
  journal: {
    severity: 'critical',
    title: 'Journal cannot be written',
    over: 'Journal works again',
    advice:
      'Nothing opens meanwhile. Check free space and permissions of the state directory; `guard doctor`.',
  },
  kill_in_memory: {
    severity: 'critical',
    title: 'Kill switch is latched in memory only',
    over: 'Kill switch is on disk',
    advice:
      'Everything is being closed. Do not restart Guard: no disk has taken the latch. See to the disk; `guard kill` once it works, or before any start.',
  },
  emergency_dir: {
    severity: 'warning',
    title: 'A place for emergency records cannot be used',
    over: 'Emergency records have their places again',
    afterMs: 10_000,
    advice:
      'Trading goes on. Should the journal’s disk fail now, closes are recorded in fewer places. Check the disk of `emergency_dir`; one that was missing at the start is used after a restart.',
  },
  disk: {
    severity: 'warning',
    title: 'Little room left on the journal’s disk',
    over: 'The journal’s disk has room again',
    advice:
      'Trading goes on. On a full disk nothing opens: make room, or let `journal.keep_days` remove old records.',
  },
  daily_loss_80: {
    severity: 'critical',
    title: 'Daily loss at 80% of its limit',
    over: 'Daily loss is below its warning level',
    advice: 'Decide whether the bot should go on today; at 100% Guard closes everything.',
  },
  daily_loss_60: {
    severity: 'warning',
    title: 'Daily loss at 60% of its limit',
    over: 'Daily loss is below its warning level',
    advice: 'Look at what loses.',
  },
  drawdown_80: {
    severity: 'critical',
    title: 'Drawdown at 80% of its limit',
    over: 'Drawdown is below its warning level',
    advice: 'At 100% Guard closes everything until a review.',
  },
  drawdown_60: {
    severity: 'warning',
    title: 'Drawdown at 60% of its limit',
    over: 'Drawdown is below its warning level',
    advice: 'Look at what loses.',
  },
  open_risk_80: {
    severity: 'warning',
    title: 'Open risk at 80% of its limit',
    over: 'Open risk is below its warning level',
    afterMs: 30_000,
    advice: null,
  },
  open_risk_60: {
    severity: 'info',
    title: 'Open risk at 60% of its limit',
    over: 'Open risk is below its warning level',
    afterMs: 30_000,
    advice: null,
  },
  stream: {
    severity: 'warning',
    title: 'Venue stream is down',
    over: 'Venue stream is live again',
    afterMs: 20_000,
    advice: 'Guard reads over HTTP meanwhile. Check the network and the venue’s status page.',
  },
  venue_unreadable: {
    severity: 'critical',
    title: 'Account cannot be read',
    over: 'Account can be read again',
    afterMs: 30_000,
    advice:
      'Entries are refused; stops at the venue stand. Check the network and the venue’s status page.',
  },
  risk_memory: {
    severity: 'critical',
    title: 'Peaks and halts of before cannot be read',
    over: 'Peaks and halts are known again',
    advice:
      'Everything is closed and nothing opens. Review the account; stop Guard; `guard resume --reason ".."`.',
  },
  clock: {
    severity: 'warning',
    title: 'The machine’s clock is wrong',
    over: 'The machine’s clock is right again',
    afterMs: 10_000,
    advice:
      'Guard goes by the venue’s time. Bots on this machine may be refused by theirs: set it right, and keep it so (NTP).',
  },
  discrepancy: {
    severity: 'warning',
    title: 'Account changed outside Guard',
    over: 'Account is explained again',
    advice: 'Was it you? If not, change the account’s keys and pull the kill switch.',
  },
  foreign_nonce: {
    severity: 'critical',
    title: 'API wallet seems to be used elsewhere',
    over: 'No sign of another user of the API wallet for an hour',
    advice:
      'Does another Guard or program have its key? Stop it. If nobody should: revoke the API wallet on the venue’s page, and pull the kill switch.',
  },
  events_missed: {
    severity: 'warning',
    title: 'Venue stream misses events',
    over: 'Venue stream is complete again',
    afterMs: 60_000,
    advice: 'Guard works from reads. If it lasts, restart Guard and check the network.',
  },
  unknown_outcome: {
    severity: 'warning',
    title: 'Order without an answer',
    over: 'Order without an answer is settled',
    afterMs: 20_000,
    advice: 'Guard asks the venue what became of it, and counts it as done until it knows.',
  },
  agent_expiring_soon: {
    severity: 'critical',
    title: 'API wallet ends within 2 days',
    over: 'API wallet is renewed',
    advice:
      'Without it Guard cannot close anything. Approve a new one on the venue’s API page, stop Guard, `guard key replace`, start.',
  },
  agent_expiring: {
    severity: 'warning',
    title: 'API wallet ends within 14 days',
    over: 'API wallet is renewed',
    advice: 'Approve a new one on the venue’s API page, stop Guard, `guard key replace`, start.',
  },
  internal: {
    severity: 'critical',
    title: 'A fault inside Guard',
    over: 'The fault inside Guard is over',
    advice: 'Check positions and stops at the venue. Restart Guard; report it with the log.',
  },
  host_ledger: {
    severity: 'warning',
    title: 'The host’s ledger cannot be used',
    over: 'The host’s ledger works again',
    afterMs: 10_000,
    advice:
      'Stops, closes and exits go on; bots have a tenth of the request weight. Check the folder of `host.dir`: `guard doctor`.',
  },
  fleet_store: {
    severity: 'warning',
    title: 'The fleet’s store cannot be used',
    over: 'The fleet’s store works again',
    afterMs: 10_000,
    advice:
      'Exits and cancels pass; nothing opens from ten seconds after the store was last heard on. A kill of the fleet is not heard here meanwhile: `guard kill --all` at this machine does it. Check the store and the URL file.',
  },
  fleet_fork: {
    severity: 'critical',
    title: 'The fleet has other records of this account',
    over: 'The fleet’s records fit again',
    advice:
      'Trading goes on; nothing is copied. Find out which is true: was this home restored or copied, or does somebody else write? Then `guard fleet retire` and `guard fleet add`.',
  },
  host_crowded: {
    severity: 'warning',
    title: 'Many Guards on one address',
    over: 'Fewer Guards on this address again',
    afterMs: 10_000,
    advice:
      'Trading goes on. The venue may stop telling some of them about their accounts: move some to another address.',
  },
  condition: {
    severity: 'warning',
    title: 'Guard needs a look',
    over: 'It is over',
    afterMs: 10_000,
    advice: 'Read the text; `guard status` shows it for as long as it lasts.',
  },
  protect: {
    severity: 'warning',
    title: 'Guard protected a position',
    advice: 'Why had it no stop: opened by hand, or its stop cancelled at the venue?',
  },
  error: {
    severity: 'warning',
    title: 'Guard reports an error',
    advice: 'Read the text; `guard events --kind error` shows all.',
  },
  recovered: {
    severity: 'warning',
    title: 'An earlier order’s fate is unknown',
    advice: 'Compare the venue’s order history with `guard events`.',
  },
  stopped: {
    severity: 'warning',
    title: 'Guard stopped',
    advice:
      'Stops at the venue stand; nothing else is watched. Start it again if you did not stop it.',
  },
  journal_head: {
    severity: 'info',
    title: 'The journal’s last record of the day',
    advice: 'Keep it: if that event ever has another `hash`, records were changed.',
  },
  started: { severity: 'info', title: 'Guard started', advice: null },
  reviewed: {
    severity: 'info',
    title: 'Guard was reviewed',
    advice: 'If it was not you: pull the kill switch, and find out who can log in.',
  },
  undelivered: {
    severity: 'off',
    title: 'The venue did not take an order',
    advice: 'See `guard decision NONCE`: the venue’s own words are in it.',
  },
  veto: {
    severity: 'off',
    title: 'Guard refused a request',
    advice: 'See the code in the documentation of reason codes.',
  },
} as const satisfies Record<string, KindFacts>
