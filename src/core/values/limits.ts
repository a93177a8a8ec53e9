/** Everything that could grow has a bound, and it stands here. */
export const limits = {
  bodyBytesMax: 1_048_576,
  /** Of a refused request its record holds so much; of a longer one its length, hash and beginning. */
  refusedRequestBytesMax: 16_384,
  refusedHeadCharsMax: 1_024,
  jsonDepthMax: 32,
  ordersPerActionMax: 64,
  websocketClientsMax: 64,
  httpConnectionsMax: 512,
  /** Half of the connections: who follows the events keeps one, and bots must still find room. */
  eventFollowersMax: 256,
  followedFromStartMax: 24,
  eventsInMemory: 1_000,
  eventsPageMax: 1_000,
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
