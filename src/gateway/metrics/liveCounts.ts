export interface LiveCounts {
  readonly sseReaders: number
  readonly longPolls: number
  readonly websocketClients: number
  readonly upstreamSockets: number
  readonly upstreamSubscriptions: number
  readonly ready: boolean
  readonly firstSeq: number
}
