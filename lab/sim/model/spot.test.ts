import { expect, test } from 'vitest'
import { compareSpot } from './main.ts'
import { anySpotReadings, SpotDrive, spotReadings } from './spotDrive.ts'
import type { SpotOption } from './spotDrive.ts'

test('engine and model of a spot pair say the same after each of 500 random steps', () => {
  expect(compareSpot(1, 500)).toEqual({ steps: 500, found: null })
})

/** Whether two runs that differ in one reading alone part, agreeing with the model until then. */
function doPart(name: SpotOption, seed: number): boolean {
  const [usual, other] = spotReadings[name]
  const drives = [usual, other].map(
    (reading) => new SpotDrive(seed, { ...anySpotReadings(seed), [name]: reading }),
  )
  for (let step = 0; step < 60; step++) {
    expect(drives.map((drive) => drive.step())).toEqual([null, null])
    if (drives[0]?.told() !== drives[1]?.told()) return true
  }
  return false
}

test.each(Object.keys(spotReadings) as SpotOption[])('both readings of %s are reached', (name) => {
  expect([1, 2, 3, 4, 5].some((seed) => doPart(name, seed))).toBe(true)
})
