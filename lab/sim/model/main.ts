import { anyReadings, driveSeed } from './drive.ts'
import { anySpotReadings, SpotDrive } from './spotDrive.ts'

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
  const spot = compareSpot(seed, Math.ceil(steps / 10))
  if (spot.found !== null) {
    say(spot.found)
    return 1
  }
  say(`${spot.steps} steps on a spot pair, no difference`)
  say(`${taken} steps from seed ${seed} on, ${fills} fills, no difference`)
  for (const [status, count] of [...statuses].sort()) say(`  ${status}: ${count}`)
  return 0
}

/** The same for a spot pair, in runs of as many steps. */
export function compareSpot(
  seed: number,
  steps: number,
): { readonly steps: number; readonly found: string | null } {
  let drive = new SpotDrive(seed, anySpotReadings(seed))
  for (let step = 0, at = seed; step < steps; step++) {
    if (step > 0 && step % stepsPerSeed === 0) {
      at += 1
      drive = new SpotDrive(at, anySpotReadings(at))
    }
    const found = drive.step()
    if (found !== null) return { steps: step, found: `spot, seed ${at}, step ${step}: ${found}` }
  }
  return { steps, found: null }
}
