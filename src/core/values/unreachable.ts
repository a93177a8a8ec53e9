/** Ends an exhaustive switch: the compiler refuses a member that nobody handles. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${String(value)}`)
}

/** A bug, not an expected failure. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`)
}
