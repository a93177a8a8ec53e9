/**
 * Longer than an order has an aftermath: the venue tells of it 3 ms later, and its outcome is on disk
 * within 5 ms. No order then meets what the one before has left to do.
 */
export const restMs = 8

/** Lets everything come to rest, as it is between two orders of a bot. */
export function rest(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, restMs)
  })
}
