/** Everything that could grow has a bound, and it stands here. */
export const limits = {
  bodyBytesMax: 1_048_576,
  /** The largest honest request, of 64 orders, has less: a body up to this always finds room. */
  bodyBytesSmall: 65_536,
  /** Bodies beyond that, all that are being received or answered: read, each takes several times as much. */
  largeBodiesBytesMax: 2_097_152,
  /** What is read of them in a second, and at once: one of a mebibyte takes Guard some 30 ms. */
  largeBodiesBytesPerSecond: 4_194_304,
  largeBodiesBytesBurst: 33_554_432,
  /** A request behind another that its connection has not been answered yet counts as so much at least. */
  queuedBodyBytesMin: 1_024,
  /** A request on a socket up to this always finds room, as many as may wait there. */
  framePayloadBytesSmall: 8_192,
  subscriptionCharsMax: 4_096,
  /** Of a refused request its record holds so much; of a longer one its length, hash and beginning. */
  refusedRequestBytesMax: 16_384,
  refusedHeadCharsMax: 1_024,
  jsonDepthMax: 32,
  /** Of a request in JSON; the largest honest one, of 64 orders, has less than a tenth of it. */
  jsonValuesMax: 20_000,
  /** Of refusals that wait for a journal which takes none. */
  waitingRecordsMax: 10_000,
  waitingRecordBytesMax: 8_388_608,
  /** Of the log, while it cannot be written. */
  logWaitingBytesMax: 1_048_576,
  ordersPerActionMax: 64,
  websocketClientsMax: 64,
  /** Answers that were given and not taken yet, of all connections together and of one socket. */
  unreadBytesMax: 33_554_432,
  unreadBytesOfSocketMax: 4_194_304,
  /** Below this nobody is asked how much they keep. */
  unreadBytesSmall: 65_536,
  /** Starts whose request weight is guessed: no more have room in a minute. */
  countedStartsMax: 10,
  /** Requests that wait for their answers on one connection: with so many it is not read on. */
  unansweredOfSocketMax: 100,
  /** An order lane whose answers are not taken for so long is closed. */
  unreadMsMax: 30_000,
  /** What a socket is told of a frame that cannot be read. */
  echoedCharsMax: 1_024,
  httpConnectionsMax: 512,
  /** From so many connections on a request that has begun and does not go on is ended after a while. */
  connectionsShortFrom: 384,
  halfOpenMsMax: 5_000,
  /** So long a client whose WebSocket was refused may take to read why, and to close. */
  refusedUpgradeMsMax: 2_000,
  /** What the port had no room for is told at most so often. */
  unservedToldEveryMs: 60_000,
  /** Half of the connections: who follows the events keeps one, and bots must still find room. */
  eventFollowersMax: 256,
  followedFromStartMax: 24,
  /** Builder dexes whose orders the stream tells, and whose states are read at once; there may be hundreds. */
  dexesFollowedMax: 16,
  dexesReadMax: 16,
  eventsInMemory: 1_000,
  /** As they are on disk: parsed they take up to ten times as much. */
  eventsInMemoryBytes: 8_388_608,
  eventsPageMax: 1_000,
  /** Answers to bots' reads that are kept for a while, with their values and questions. */
  infoKeptMax: 256,
  infoKeptBytesMax: 67_108_864,
  infoKeyCharsMax: 4_096,
  longPollSecondsMax: 30,
  /** Of an unbroken row of heartbeats one is recorded in this time. */
  heartbeatRecordMs: 60_000,
  nonceAgeMsMax: 30_000,
  nonceAheadMsMax: 5_000,
  accountAgeMsMax: 6_000,
  priceAgeMsMax: 3_000,
  /** How long ago mark and oracle of a builder dex's perp may have been told for an entry there. */
  builderPriceAgeMsMax: 30_000,
  /** How old the book may be that an entry is measured against (`max_book_share`). */
  bookAgeMsMax: 2_000,
  /** Spot balances are told on a change and every few seconds, and bound no position. */
  spotAgeMsMax: 30_000,
  /** A spot state of the stream that came so long after an answer shows what that told. */
  spotShownMs: 2_000,
  /** Balances from before sells stand for so long against later ones that may show the sells or not. */
  spotKeptMs: 10_000,
  expiresAfterMsMax: 30_000,
  /** An action without an answer may still arrive for this long. */
  mayArriveMs: 60_000,
  sendLifeMs: 10_000,
  /** The same for a member of a fleet: another Guard that takes over waits for as long. */
  fleetSendLifeMs: 5_000,
  flattenBatchMax: 40,
  /** Up to so many orders whose cancel had no answer are cancelled one by one, more of them coin by coin. */
  cancelsApartMax: 20,
  /** TWAPs that are over and whose last slices may be told late, and reduce-only ones that run. */
  twapsRemembered: 256,
  /** So many parts of a change of a position are told one by one. */
  positionPartsMax: 8,
  /** The stream may list a TWAP for this long after its end: it lists them every five seconds. */
  twapListedLateMs: 10_000,
  twapMinutesMin: 5,
  /** The venue refuses a TWAP that is worth less. */
  minTwapValueUsd: 100,
  /** So many of Guard's own stops give way at once; the others do once these are gone. */
  tidiedStopsMax: 10,
  /** So many of those that still hold something are tried at once, whether they may go. */
  idleStopTriesMax: 3,
  /** Beside 1,000 other orders the venue refuses every stop and every close. */
  ordersCrowdedFrom: 980,
  /** What is kept of the venue's refusals of one coin's closes or stops, and of what was told of them. */
  refusedTextsMax: 5,
  refusedTextCharsMax: 300,
  refusalsToldMax: 1_000,
  /** How often a piece is halved that the venue called too large. */
  pieceHalvingsMax: 10,
  /** How many orders make room for a close in one round; the next round follows its answer. */
  roomRoundMax: 120,
  /** How long an entry waits for the told end of the one that it replaces. */
  endToldMsMax: 1_500,
  flowHoldMsMax: 10_000,
  killReasonCharsMax: 200,
  clientNameCharsMax: 64,
  refusalsPerSecond: 50,
  refusalsBurst: 200,
  clientRefusalsPerSecond: 20,
  clientRefusalsBurst: 200,
  /** What refusals may add to the journal in one UTC day: without a client, and of each client. */
  strangerRecordBytesPerDay: 33_554_432,
  clientRefusalBytesPerDay: 268_435_456,
  noncesPerClientMax: 200_000,
  journalQueueMax: 20_000,
  journalSyncMsMax: 2_000,
  /**
   * What closes, protects, latches or only reduces waits so long for the journal, then so long for an
   * emergency file, and then goes with its record in memory.
   */
  journalPatienceMs: 150,
  emergencyPatienceMs: 100,
  /** A kill is answered after this at the latest, on disk or not; a veto after that. */
  latchPatienceMs: 250,
  vetoPatienceMs: 100,
  sentFlushMs: 5,
  minOrderValueUsd: 10,

  // what bots and readers are served with
  metricSeriesMax: 1_000,
  equitySamplesMax: 12_000,
  orderHeadBytesMax: 8_192,
  drainBytesMax: 16_777_216,
  eventsTextBytesMax: 8_192,
  eventFrameBytes: 65_536,
  eventFramesSharedMax: 64,
  /** So many events of a longer answer are made and written in one turn of the event loop. */
  eventsPerTurn: 32,
  /** Answers with events that wait for their turn, of each kind; they are made one by one. */
  eventAnswersWaitingMax: 64,
  equityFileBytesMax: 1_048_576,
  equityFileLinesMax: 12_000,
  socketPendingMax: 100,
  relaySocketsMax: 6,
  relayUsersMax: 10,
  relayTopicsMax: 600,
  relayAsksPerMinuteMax: 600,
  relayConnectsPerMinuteMax: 12,
  silentPingsMax: 3,
  relayLossesMax: 2,
  /** Of prices that the venue packs: a frame when unpacked, in bytes, and coins that are remembered. */
  packedFrameBytesMax: 1_048_576,
  packedCoinsMax: 5_000,

  // the journal
  /** Below so many free bytes a person is told; from so many on there is enough room again. */
  diskFreeBytesLow: 1_073_741_824,
  diskFreeBytesAgain: 1_342_177_280,
  diskFreeEveryMs: 60_000,

  // How many a text for people names: entries that rest on, equities that were wrong.
  namedEntriesMax: 20,
  namedEquitiesMax: 5,
  /** Fills and ledger rows of liquidations that are remembered as told. */
  liquidationSignsMax: 4_096,
  /** Ledger rows of unknown types that are remembered as told, and what is told of a type. */
  unknownRowsMax: 256,
  unknownRowCharsMax: 60,
  diskProbeBytes: 65_536,
  segmentReadBytes: 262_144,
  /** Of the past so much is checked and taken apart in one turn of the event loop; one record may be more. */
  pastBytesPerTurn: 32_768,
  tailReadBytesMin: 8_192,
  tailReadBytesMax: 262_144,
  recordBytesMax: 67_108_864,
  emergencyReferencesMax: 10_000,
  emergencyFillBytes: 1_048_576,
  /** Of what waits for a disk that takes nothing: about a quarter of an hour at the venue's pace. */
  emergencyMemoryBytesMax: 33_554_432,
  rewriteBytes: 1_048_576,
  indexPendingMax: 20_000,
  indexSliceRows: 64,
  indexThreadMegabytesMax: 64,
  segmentBytes: 67_108_864,
  journalQueueBytesMax: 67_108_864,
  journalBatchBytesMax: 8_388_608,
  emergencyReserveBytes: 1_048_576,

  // what Guard may take of the machine's memory, whatever is sent to it
  residentBytesMax: 314_572_800,
  /** How much larger than what lives in it the heap may become before it is collected. */
  heapGrowingPercent: 50,

  // two Guards on one machine
  hostClaimAsksMax: 8,
  hostClaimCharsMax: 8_192,

  // files beside it
  copyPartBytes: 1_048_576,
  copyAttemptsMax: 5,
  /** A backup leaves at least so much free. */
  backupSpareBytes: 16_777_216,
  secretFileBytesMax: 16_384,
  /** guard.toml and what else a person writes: a hundred times what the largest one needs. */
  ownerFileBytesMax: 1_048_576,
  killFileBytesMax: 1_024,
  killOriginCharsMax: 60,

  // the venue
  streamAsksMax: 10,
  venueAnswerBytesMax: 67_108_864,
  venueConnectionsMax: 64,
  venueFrameBytesMax: 33_554_432,
  venueHeadBytesMax: 65_536,
  venueChunkLineBytesMax: 1_024,
  followedCoinsMax: 64,
  timeDoubtsMax: 16,

  // alerts
  alertLineCharsMax: 220,
  alertTextCharsMax: 400,
  lastingAlertsMax: 500,
  channelAnswerBytesMax: 65_536,
  alertLinesMax: 200,
  alertMessagesPerMinuteMax: 15,
  alertCalmPerMinuteMax: 8,

  // texts that others chose, where they are shown
  shownCharsMax: 4_000,
  shownNameCharsMax: 60,

  // what is read and remembered
  /** A longer name of a market is cut: the longest there is has 40. */
  coinCharsMax: 40,
  orderListGoneMax: 8,
  /** Orders under ids of Guard's that bots call by their own: more than the venue lets rest. */
  keptNamesMax: 2_048,
  problemsMax: 20,
  decimalDigitsMax: 60,
  cashMovementsMax: 1_000,
  tradesElsewhereMax: 1_000,
  cashFlowsMax: 6,
  cashSeenMax: 8_000,
  absorbedMax: 16,
  rulesCodeCharsMax: 8_192,

  // several Guards on one host
  /** Guards that the host's ledger remembers; those that do not run go, the longest unseen first. */
  hostGuardsMax: 1_000,
  hostNoteBytesMax: 64 * 1024,
  /** Others that one Guard's status names. */
  hostOthersMax: 64,

  // a fleet's store
  /** Records that are copied in one go, and their bytes; a single record may be larger. */
  fleetCopyRecordsMax: 100,
  fleetCopyBytesMax: 65_536,
  /** What the store takes in one go: the largest record there can be, written as JSON within JSON. */
  fleetCopyCharsMax: 200_000_000,
  /** Builder dexes whose positions `guard init` and `guard status` ask about; a testnet has hundreds. */
  dexesAskedMax: 32,
  /** Looks at positions a minute that are paid out of what is kept for stops: a weight of two each. */
  keptLooksMax: 8,
  /** How often in a row the store is asked for leases, where it tells of a budget that is new. */
  fleetLeaseRoundsMax: 4,
  /** Budgets that count for one Guard. */
  fleetBudgetsMax: 100,
  /** What a Guard says of itself every few seconds. */
  fleetReportBytesMax: 8_192,
  fleetReportAlertsMax: 32,
  /** What a Guard leaves with the store for a standby: its word, all of its memory, and of what orders. */
  fleetWordBytesMax: 65_536,
  fleetHandoverBytesMax: 1_048_576,
  fleetHandoverCloidsMax: 500,
  /** Records that a standby reads at a takeover, in all and in one go; beyond them it starts latched. */
  fleetInheritedRecordsMax: 20_000,
  fleetInheritedPageMax: 500,
  fleetReportTextCharsMax: 200,
  /** Homes of an account whose journals are known by their ends; and the names of all coins of a venue. */
  fleetHomesMax: 32,
  fleetCoinsBytesMax: 262_144,
  /** Records that are checked in one go, and their bytes; a single record may be larger. */
  fleetVerifyRowsMax: 500,
  fleetVerifyBytesMax: 4 * 1024 * 1024,
  /** What `guard fleet watch` shows; in its memory there is one picture. */
  fleetWatchMembersMax: 2_000,
  fleetWatchKillsMax: 20,
  fleetWatchBudgetsMax: 200,
  fleetWatchDecisionsMax: 100,
  /** Decisions of one Guard that are read in one look. */
  fleetWatchNewMax: 20,
  fleetWatchTextCharsMax: 300,
  fleetWatchConnectionsMax: 128,

  // agents (`guard mcp`)
  /** How much of either end of a line that is too long is looked at for the id of its request. */
  agentLineEndCharsMax: 256,
  /** One message of an agent; the largest honest one has less than a tenth of it. */
  agentMessageBytesMax: 65_536,
  /** What may wait of an agent's messages over standard input. */
  agentWaitingBytesMax: 1_048_576,
  agentArgumentsMax: 64,
  agentStatusCharsMax: 1_500,
  agentPreviewCharsMax: 600,
  /** Any other answer. */
  agentAnswerCharsMax: 40_000,
  agentEventsMax: 200,
  agentCandlesMax: 200,
  agentRowsMax: 50,
  agentBookLevelsMax: 20,
  /** Of one text that a market or a bot chose. */
  agentUntrustedCharsMax: 200,
  agentAlertsMax: 3,
  agentAlertCharsMax: 80,
  /** Where a status has no room for more. */
  agentAlertCharsMin: 16,
  agentReasonCharsMax: 200,
  agentReadsKeptMax: 64,
  /** What is looked at after a decision for word of what became of it. */
  agentRecoveredMax: 100,
  /** A nonce that somebody else has used is replaced so often. */
  agentReplaysMax: 5,
  /** A tenth of what the venue gives an account, until Guard has said how much that is. */
  agentWeightPerMinute: 120,
  /** First answers that are remembered; an older one is read from Guard's journal. */
  agentAnswersKeptMax: 1_000,
  /** Ids of orders of one agent that were let through, none of which passes again. */
  agentOrderIdsMax: 10_000,
  agentSessionsMax: 16,
  agentSubscriptionsMax: 16,
  /** How many marks a nonce can carry, in milliseconds: fewer than Guard lets a nonce be ahead. */
  agentMarks: 4_000,
  ruleMarketsMax: 64,
  /** Names of markets that no market should have, of which one log line tells. */
  oddNamesToldMax: 20,
  /** Letters of the name of a builder dex; the venue's own have 2 to 6. */
  dexNameCharsMax: 12,

  // `guard doctor --venue`
  /** Request weight of one examination, of the venue's 1,200 a minute. */
  examinedWeightMax: 800,
  /** Markets whose setting for the account is asked. */
  examinedMarketsMax: 5,
} as const
