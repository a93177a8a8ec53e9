import { expect, test } from 'vitest'
import { millis } from '../../core/values/millis.ts'
import { err, ok } from '../../core/values/result.ts'
import type { Urgency } from '../ports.ts'
import { FirstReads } from './firstReads.ts'
import { Picture } from './picture.ts'
import type { PicturePart } from './picture.ts'

/** The lanes in which each part was asked for; entries have no weight, and the pauses take no time. */
async function lanesOf(isShown: boolean): Promise<ReadonlyMap<PicturePart, readonly Urgency[]>> {
  const picture = new Picture()
  const lanes = new Map<PicturePart, Urgency[]>()
  let asked = 0
  const paused: (() => void)[] = []
  const reads = new FirstReads({
    clock: { now: () => millis(0), monotonicMs: () => 0 },
    timers: {
      after: (ms, task) => {
        // The patience with an answer, which comes at once here.
        if (ms !== 2_000) paused.push(task)
        return () => undefined
      },
      every: () => () => undefined,
    },
    picture,
    read: (part, lane) => {
      lanes.set(part, [...(lanes.get(part) ?? []), lane])
      asked += 1
      const answers = lane === 'watch' && (isShown || (part !== 'state' && part !== 'orders'))
      if (!answers) return Promise.resolve(err('no weight'))
      picture.told({ kind: part } as Parameters<Picture['told']>[0])
      return Promise.resolve(ok(null))
    },
    noted: () => undefined,
    areMarketsKnown: () => true,
    isStopped: () => asked > 40,
  })
  const done = reads.run()
  for (let step = 0; step < 200; step += 1) {
    await Promise.resolve()
    for (const task of paused.splice(0)) task()
  }
  picture.end()
  await done
  return lanes
}

test('once the positions are shown, all else goes on where entries have no weight', async () => {
  const lanes = await lanesOf(true)
  for (const part of ['markets', 'mode', 'ledger'] as const) {
    expect([part, lanes.get(part)?.at(-1)]).toEqual([part, 'watch'])
  }
})

test('until then it leaves the weight to what shows them', async () => {
  const lanes = await lanesOf(false)
  for (const part of ['markets', 'mode'] as const) {
    expect(new Set(lanes.get(part))).toEqual(new Set(['entry']))
  }
})
