import { anyReadings, driveSeed } from './drive.ts'

const stepsPerSeed = 250

export interface ModelOptions {
  readonly steps: number
  readonly seed: number
}

/** Drives engine and model with so many steps in all; the exit code. */
export function compareAll({ steps, seed }: ModelOptions, say: (line: string) => void): number {
  const statuses = new Map<string, number>()
  let taken = 0
  let fills = 0
  for (let at = seed; taken < steps; at++) {
    const result = driveSeed(at, Math.min(stepsPerSeed, steps - taken), anyReadings(at))
    if (result.found !== null) {
      say(result.found)
      return 1
    }
    taken += result.steps
    fills += result.fills
    for (const [status, count] of result.statuses) {
      statuses.set(status, (statuses.get(status) ?? 0) + count)
    }
  }
  say(`${taken} steps from seed ${seed} on, ${fills} fills, no difference`)
  for (const [status, count] of [...statuses].sort()) say(`  ${status}: ${count}`)
  return 0
}
