import { expect, test } from 'vitest'
import { coin } from '../core/values/coin.ts'
import type { GuardPort } from './guardPort.ts'
import { ReadShare } from './readShare.ts'

test('a name that is not listed is looked for in a new list, but not time and again', async () => {
  let nowMs = 1_000_000
  let asked = 0
  const names = ['BTC']
  const universe = () =>
    names.map((name) => ({ name, szDecimals: 4, maxLeverage: 20, marginTableId: 20 }))
  const port = {
    info: async () => {
      asked += 1
      return { universe: universe(), marginTables: [], collateralToken: 0 }
    },
  } as unknown as GuardPort
  const reads = new ReadShare(port, () => nowMs)
  const has = async (name: string): Promise<boolean> =>
    (await reads.marketsWith([name])).byCoin.has(coin(name))
  expect([await has('BTC'), asked]).toEqual([true, 1])
  names.push('NEW')
  expect([await has('NEW'), asked]).toEqual([false, 1])
  nowMs += 5_000
  expect([await has('NEW'), asked]).toEqual([true, 2])
  nowMs += 6_000
  for (let guess = 0; guess < 10; guess += 1) expect(await has(`NO${guess}`)).toBe(false)
  expect(asked).toBe(3)
})
