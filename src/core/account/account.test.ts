import { expect, test } from 'vitest'
import { coin } from '../values/coin.ts'
import { accountWith, stopOrder } from './account.fixture.ts'

test('open risk and value of a covered position are those of the worked vector', () => {
  const account = accountWith({
    positions: {
      SOL: { size: '20', leverage: { type: 'isolated', value: 5 }, liquidation: '100' },
    },
    orders: [stopOrder({ coin: 'SOL', oid: 11, size: '20', trigger: '120' })],
  })
  expect(account.exposure().openRisk.toString()).toBe('348.4')
  expect(account.exposure().openValue.toString()).toBe('2748.4')
  expect(account.exposure().uncoveredPositions).toEqual([])
  expect(account.cover(coin('SOL'))?.isFull).toBe(true)
})
