import { afterEach, describe, expect, test } from 'vitest'
import { attacks } from '../../src/redteam/attackList.ts'
import { everythingHeld, resultLine, summaryText } from '../../src/redteam/report.ts'
import { runRedteam } from '../../src/redteam/runRedteam.ts'
import { guardedWorld, naiveWorld } from './world.fixture.ts'
import type { World } from './world.fixture.ts'

let world: World | null = null
afterEach(async () => {
  await world?.close()
  world = null
})

test('every attack has a name of its own', () => {
  const names = attacks.map(({ group, name }) => `${group}: ${name}`)
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThan(200)
})

test('Guard holds against every attack', async () => {
  world = await guardedWorld()
  const report = await runRedteam({ ...world, withKill: true })
  const failures = report.results.filter(({ outcome }) => outcome !== 'held').map(resultLine)
  expect(failures).toEqual([])
  const otherReason = report.results
    .filter(({ how }) => how.includes('was expected'))
    .map(resultLine)
  expect(otherReason).toEqual([])
  expect(everythingHeld(report)).toBe(true)
  expect(summaryText(report)).toContain(`${attacks.length} attacks: ${attacks.length} held`)
})

describe('a proxy without rules', () => {
  test('is found out by nearly every attack', async () => {
    world = await naiveWorld()
    const report = await runRedteam({ ...world, withKill: true, patienceMs: 200 })
    const found = report.results.filter(({ outcome }) => outcome === 'got_through').length
    expect(found / report.results.length).toBeGreaterThan(0.85)
    expect(everythingHeld(report)).toBe(false)
  })
})
