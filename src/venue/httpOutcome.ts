/** What came of one POST. Whether a request may have arrived is decided once, by its connection. */
export type HttpOutcome =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly body: Buffer
      /** What the server's clock showed, in whole seconds of UTC epoch milliseconds, where it said so. */
      readonly dateMs?: number
    }
  /** No byte of it can have reached the venue. */
  | { readonly kind: 'not_sent'; readonly error: string }
  | { readonly kind: 'unknown'; readonly error: string }
