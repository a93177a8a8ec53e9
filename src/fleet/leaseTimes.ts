/** How long what a Guard was told of its leases counts, by its own clocks and by the store's alike. */
export const leaseTimes = {
  /** Until then entries within what is held pass without a word of the store. */
  spareMs: 300_000,
  renewMs: 5_000,
  /** Who was not heard for that long takes no part in how spare is shared. */
  silentMs: 15_000,
} as const
