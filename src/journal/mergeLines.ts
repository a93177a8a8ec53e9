import type { EmergencyLine } from './emergencyPlace.ts'

/**
 * What two emergency files hold together, each line once. Files of the same run share lines, and
 * their numbers give the order; files of different runs share none, and the older comes first.
 */
export function mergeLines(
  left: readonly EmergencyLine[],
  right: readonly EmergencyLine[],
): readonly EmergencyLine[] {
  const known = new Set(left.map(({ hash }) => hash))
  const more = right.filter(({ hash }) => !known.has(hash))
  if (more.length < right.length) {
    return [...left, ...more].sort((a, b) => b.number - a.number)
  }
  const isOlder = (more[0]?.atMs ?? Infinity) < (left[0]?.atMs ?? -Infinity)
  return isOlder ? [...more, ...left] : [...left, ...more]
}
