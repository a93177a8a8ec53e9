import type { Timers } from './ports.ts'

/** What a promise had come to when somebody stopped waiting for it. */
type Within<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** It has not answered yet; it may still. */
  | { readonly kind: 'late' }

/** Waits for a promise, and for no longer than `ms`. Never rejects. */
export function within<T>(
  timers: Pick<Timers, 'after'>,
  promise: Promise<T>,
  ms: number,
): Promise<Within<T>> {
  return new Promise((resolve) => {
    const cancel = timers.after(ms, () => {
      resolve({ kind: 'late' })
    })
    promise.then(
      (value) => {
        cancel()
        resolve({ kind: 'done', value })
      },
      (error: unknown) => {
        cancel()
        resolve({ kind: 'failed', error })
      },
    )
  })
}
