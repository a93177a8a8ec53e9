/** Everything that could grow has a bound, and it stands here. */
export const limits = {
  bodyBytesMax: 1_048_576,
  /** Of a refused request its record holds so much; of a longer one its length, hash and beginning. */
  refusedRequestBytesMax: 16_384,
  refusedHeadCharsMax: 1_024,
  jsonDepthMax: 32,
  ordersPerActionMax: 64,
  websocketClientsMax: 64,
  /** Answers that were given and not taken yet, of all connections together and of one socket. */
  unreadBytesMax: 67_108_864,
  unreadBytesOfSocketMax: 4_194_304,
  /** Below this nobody is asked how much they keep. */
  unreadBytesSmall: 65_536,
  /** An order lane whose answers are not taken for so long is closed. */
  unreadMsMax: 30_000,
  /** What a socket is told of a frame that cannot be read. */
  echoedCharsMax: 1_024,
  httpConnectionsMax: 512,
  /** Half of the connections: who follows the events keeps one, and bots must still find room. */
  eventFollowersMax: 256,
  followedFromStartMax: 24,
  eventsInMemory: 1_000,
  /** As they are on disk: parsed they take up to ten times as much. */
  eventsInMemoryBytes: 8_388_608,
  eventsPageMax: 1_000,
  /** Answers to bots' reads that are kept for a while, with their values and questions. */
  infoKeptMax: 256,
  infoKeptBytesMax: 67_108_864,
  infoKeyCharsMax: 4_096,
  longPollSecondsMax: 30,
  nonceAgeMsMax: 30_000,
  nonceAheadMsMax: 5_000,
  accountAgeMsMax: 6_000,
  priceAgeMsMax: 3_000,
  expiresAfterMsMax: 30_000,
  /** An action without an answer may still arrive for this long. */
  mayArriveMs: 60_000,
  sendLifeMs: 10_000,
  flattenBatchMax: 40,
  /** Beside 1,000 other orders the venue refuses every stop and every close. */
  ordersCrowdedFrom: 980,
  flattenJournalWaitMs: 2_000,
  flowHoldMsMax: 10_000,
  killReasonCharsMax: 200,
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
  sentFlushMs: 5,
  minOrderValueUsd: 10,
} as const
