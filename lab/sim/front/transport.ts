/** The front without sockets: what a server, or a fake network in a test, puts bytes into. */

export interface HttpRequest {
  readonly method: string
  /** Path and query; doubled slashes are taken as one. */
  readonly url: string
  readonly contentType: string | null
  /** Sent with `X-Sim-Observer: 1`: meets no fault and costs no weight. */
  readonly isObserver: boolean
  /** The caller's IP; the weight is counted by it. */
  readonly ip: string
  readonly body: string
}

export interface HttpReply {
  readonly status: number
  readonly contentType: string | null
  readonly body: string
}

/** Called once; null means that the connection is closed without an answer. */
export type Answer = (reply: HttpReply | null) => void

/** The venue's end of one socket, as the network gives it. */
export interface Link {
  readonly ip: string
  readonly isObserver: boolean
  send(text: string): void
  /** Ends the connection without a close frame. */
  drop(): void
}

/** What the network tells the venue about one socket. */
export interface Connection {
  receive(text: string): void
  /** The client is gone. */
  closed(): void
}
