import { beforeEach, expect, test } from 'vitest'
import { millis } from '../../core/values/millis.ts'
import { err, ok } from '../../core/values/result.ts'
import type { Result } from '../../core/values/result.ts'
import { Recheck } from './recheck.ts'

let nowMs: number
let isBelieved: boolean
let done: string[]
let reads: { readonly answer: (result: Result<null>) => void; readonly fail: () => void }[]
let hasWeight: boolean
let recheck: Recheck

beforeEach(() => {
  ;[nowMs, isBelieved, hasWeight, done, reads] = [0, true, true, [], []]
  recheck = new Recheck({
    clock: { now: () => millis(nowMs), monotonicMs: () => nowMs },
    log: { log: () => undefined },
    account: { sumAnew: () => done.push('summed') },
    isBelieved: () => isBelieved,
    agreed: () => done.push('agreed'),
    readWhole: () => {
      if (!hasWeight) return null
      return new Promise((answer, reject) => {
        const fail = (): void => {
          reject(new Error('gone'))
        }
        reads.push({ answer, fail })
      })
    },
  })
})

/** The read that is under way is answered, and what waits for it goes on. */
async function answered(result: Result<null> = ok(null)): Promise<void> {
  reads.at(-1)?.answer(result)
  await new Promise((resolve) => setImmediate(resolve))
}

test('a read of everything that agrees ends the doubt; all is summed and looked at anew', async () => {
  expect(recheck.doubt).toBe(null)
  recheck.tick()
  expect(reads).toHaveLength(0)
  recheck.demand('ETH: the venue liquidated 1')
  expect(recheck.doubt).toBe('ETH: the venue liquidated 1; the whole account is being read anew')
  recheck.seen(false)
  await answered()
  expect([recheck.doubt, done]).toEqual([null, ['summed', 'agreed']])
})

test.each<[string, () => Promise<void>]>([
  ['failed', () => answered(err('HTTP 500'))],
  [
    'was cut off',
    async () => {
      reads.at(-1)?.fail()
      await new Promise((resolve) => setImmediate(resolve))
    },
  ],
  [
    'showed other positions',
    async () => {
      recheck.seen(true)
      recheck.seen(false)
      await answered()
    },
  ],
  [
    'was asked for before the last sign',
    async () => {
      recheck.demand('another')
      await answered()
    },
  ],
  [
    'came while a sight is kept back',
    async () => {
      isBelieved = false
      await answered()
      isBelieved = true
    },
  ],
])(
  'a read that %s ends nothing: the next one waits a second, then twice as long',
  async (_, first) => {
    recheck.demand('a sign')
    await first()
    expect([recheck.doubt === null, done]).toEqual([false, []])
    nowMs = 999
    recheck.tick()
    expect(reads).toHaveLength(1)
    nowMs = 1_000
    recheck.tick()
    recheck.tick()
    expect(reads).toHaveLength(2)
    await answered(err('again'))
    nowMs = 2_999
    recheck.tick()
    expect(reads).toHaveLength(2)
    nowMs = 3_000
    recheck.tick()
    await answered()
    expect(recheck.doubt).toBe(null)
  },
)

test('without the weight for it nothing is asked and nothing has failed: it goes once there is some', async () => {
  hasWeight = false
  recheck.demand('ETH was set to cross margin')
  for (nowMs = 0; nowMs < 60_000; nowMs += 500) recheck.tick()
  expect(reads).toHaveLength(0)
  hasWeight = true
  recheck.tick()
  expect(reads).toHaveLength(1)
  await answered()
  expect(recheck.doubt).toBe(null)
})
