/** Splits a list into runs of at most `most`. */
export function batches<T>(items: readonly T[], most: number): readonly (readonly T[])[] {
  const runs: T[][] = []
  for (let from = 0; from < items.length; from += most) runs.push(items.slice(from, from + most))
  return runs
}
