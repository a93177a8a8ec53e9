import { expect, test } from 'vitest'
import { accountWith } from '../../core/account/account.fixture.ts'
import { Account } from '../../core/account/account.ts'
import { millis } from '../../core/values/millis.ts'
import { err } from '../../core/values/result.ts'
import { UnreadFills } from './unreadFills.ts'

/** At which seconds the fills are asked for, in the first two minutes, where every read fails. */
async function askedAt(account: Pick<Account, 'areFillsTold' | 'positions'>): Promise<number[]> {
  let nowMs = 0
  const asked: number[] = []
  const fills = new UnreadFills({
    clock: { now: () => millis(0), monotonicMs: () => nowMs },
    account,
    read: () => {
      asked.push(nowMs / 1_000)
      return Promise.resolve(err('lost'))
    },
  })
  for (; nowMs < 120_000; nowMs += 500) {
    fills.tick()
    fills.tick()
    await Promise.resolve()
    await Promise.resolve()
  }
  return asked
}

const { positions } = accountWith({ positions: { ETH: { size: '1' } } })

test('they are read where positions are held and nobody has listed them, ever more rarely', async () => {
  expect(await askedAt({ areFillsTold: false, positions })).toEqual([
    ...[3, 3.5, 4, 5, 7, 11, 19, 35, 67],
  ])
})

test('a list that was told, and an account without positions, cost nothing', async () => {
  expect(await askedAt({ areFillsTold: true, positions })).toEqual([])
  expect(await askedAt(new Account())).toEqual([])
})
