/** So long, or until it is over; null: until it is over. */
export function pause(ms: number | null, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve()
      return
    }
    const timer = ms === null ? null : setTimeout(done, ms)
    function done(): void {
      if (timer !== null) clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
}
