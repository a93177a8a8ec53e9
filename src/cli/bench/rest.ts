const restMs = 2

/** Lets everything come to rest, as it is between two orders of a bot. */
export function rest(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, restMs)
  })
}
