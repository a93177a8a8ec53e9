/** Longer than the venue takes to tell of the last order: nobody reads of it in the next one. */
export const restMs = 5

/** Lets everything come to rest, as it is between two orders of a bot. */
export function rest(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, restMs)
  })
}
