/** The answer with the model's numbers of the orders. */
export function withIds(value: unknown, idOf: (oid: number) => number): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => withIds(each, idOf))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]: [string, unknown]) => [
    key,
    key === 'oid' && typeof each === 'number' ? idOf(each) : withIds(each, idOf),
  ])
  return Object.fromEntries(entries)
}
