import { describe, expect, test } from 'vitest'
import { err } from '../../src/core/values/result.ts'
import { Chance } from './chance.ts'
import { stateDirectory } from './guardProcess.ts'
import type { ProcessParts } from './guardProcess.ts'
import { curveFor, scripted } from './storm.fixture.ts'
import { drained } from './turns.ts'
import { uncoveredCoins } from './venueOracle.ts'
import { World } from './world.ts'
import { user } from './keys.ts'

interface Trouble {
  /** Which share of the reads fails; one that fails each second instead, where it says so. */
  readonly reads: number | 'one a second'
  readonly isStreamDown: boolean
  readonly isLatched: boolean
}

/** How the second life of a Guard goes that was ended from outside with a bare position open. */
async function msToSafety(seed: number, trouble: Trouble): Promise<number> {
  const plan = scripted(seed)
  const chance = new Chance(seed, 'trouble')
  let failedAt = -Infinity
  const isLost = (elapsed: number): boolean => {
    if (trouble.reads !== 'one a second') return chance.is(trouble.reads)
    if (elapsed - failedAt < 1_000) return false
    failedAt = elapsed
    return true
  }
  const inTrouble = (parts: ProcessParts, world: World): ProcessParts => ({
    ...parts,
    venue: ({ exchange, info }) => ({
      exchange,
      info: (request, lane) =>
        isLost(world.time.elapsed)
          ? Promise.resolve(err({ kind: 'unreachable', text: 'the connection was reset' }))
          : info(request, lane),
    }),
  })
  const world: World = new World(plan, curveFor(plan), {
    sabotage: (life, parts) => (life.number === 1 ? parts : inTrouble(parts, world)),
  })
  world.start()
  await pass(world, () => world.time.elapsed > 2_000)
  world.die('killed')
  const order = { a: 1, b: true, p: '4100', s: '0.5', r: false, t: { limit: { tif: 'Ioc' } } }
  world.control('act', { user, action: { type: 'order', orders: [order], grouping: 'na' } })
  if (trouble.isStreamDown) world.net.streams.refuseUntil = Infinity
  world.isHeld = true
  let isWritten = !trouble.isLatched
  if (trouble.isLatched) {
    void writeKillFile(world).then(() => {
      isWritten = true
    })
  }
  await pass(world, () => isWritten)
  world.isHeld = false
  world.start()
  const begun = world.time.elapsed
  const isSafe = (): boolean =>
    trouble.isLatched
      ? world.sim.venue.perpState(user).positions.length === 0
      : uncoveredCoins(world.sim.venue, user).length === 0
  await pass(world, () => isSafe() || world.time.elapsed > begun + 60_000)
  return world.time.elapsed - begun
}

async function writeKillFile({ disk }: World): Promise<void> {
  const file = await disk.io.open(`${stateDirectory}/kill`, 'create')
  await file.write(Buffer.from('smoke\n'), 0)
  await file.sync()
  await disk.io.syncDirectory(stateDirectory)
}

/** Lets the world's time pass until something holds. */
async function pass({ time, sim }: World, holds: () => boolean): Promise<void> {
  await drained()
  while (!holds()) {
    time.moveTo(Math.min(time.nextAt(), Math.max(time.elapsed, sim.nextAt() - time.startMs)))
    if (sim.nextAt() <= time.now) sim.advance()
    time.runDue()
    await drained()
  }
}

const seeds = Array.from({ length: 10 }, (_, at) => 9_000 + at)

describe.each([
  ['protected', false],
  ['flat where the switch was pulled', true],
])('what is held is %s soon after a start', (_, isLatched) => {
  test.each<[string, Omit<Trouble, 'isLatched'>, number]>([
    ['three of ten reads fail', { reads: 0.3, isStreamDown: false }, 10_000],
    ['a read fails in every second', { reads: 'one a second', isStreamDown: false }, 10_000],
    ['every read fails', { reads: 1, isStreamDown: false }, 10_000],
    ['the stream is down and three of ten fail', { reads: 0.3, isStreamDown: true }, 15_000],
    ['the stream is down and seven of ten fail', { reads: 0.7, isStreamDown: true }, 15_000],
  ])('%s', async (_name, trouble, bound) => {
    const taken: number[] = []
    for (const seed of seeds) taken.push(await msToSafety(seed, { ...trouble, isLatched }))
    expect(Math.max(...taken)).toBeLessThanOrEqual(bound)
  })
})
