/** How a set of times is spread, in the unit they were given in. */
export interface Spread {
  readonly count: number
  readonly p50: number
  readonly p90: number
  readonly p99: number
}

export function spreadOf(times: readonly number[]): Spread {
  const sorted = Float64Array.from(times).sort()
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN
  return { count: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99) }
}

export function medianOf(times: readonly number[]): number {
  return spreadOf(times).p50
}
