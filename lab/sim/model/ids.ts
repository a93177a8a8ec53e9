/** The answer with the model's numbers in the place of those under `name`. */
export function withIds(value: unknown, idOf: (id: number) => number, name = 'oid'): unknown {
  if (Array.isArray(value)) return value.map((each: unknown) => withIds(each, idOf, name))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, each]: [string, unknown]) => [
    key,
    key === name && typeof each === 'number' ? idOf(each) : withIds(each, idOf, name),
  ])
  return Object.fromEntries(entries)
}
