/** How long what a Guard was told of its leases counts, by its own clocks and by the store's alike. */
export const leaseTimes = {
  /** Until then entries within what is held pass without a word of the store. */
  spareMs: 300_000,
  renewMs: 5_000,
  /** Who was not heard for that long takes no part in how spare is shared. */
  silentMs: 15_000,
} as const

/** The right to act for an account. */
export const writerTimes = {
  heldMs: 10_000,
  renewMs: 2_000,
  /** What a member of a fleet has signed can happen at the venue for that long, and no longer. */
  signedMs: 5_000,
} as const

/** Who would take over. */
export const standbyTimes = {
  /** Beyond what was signed: a run of the first home that is started anew comes before a standby. */
  restMs: 2_000,
  /** A standby that was not heard for so long is forgotten, and so are the oldest beyond so many. */
  keptDays: 7,
  most: 8,
} as const
