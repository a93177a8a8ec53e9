/** A journal belongs to one account on one network, for life. */
export interface Identity {
  readonly account: string
  readonly network: string
}
