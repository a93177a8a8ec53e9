import { expect, test } from 'vitest'
import { planOf } from './plan.ts'

test('some worlds trade a sub-account, some a vault, which has the plain mode', () => {
  const plans = Array.from({ length: 300 }, (_, seed) => planOf(seed, 8_000))
  const owned = plans.filter(({ isOwned }) => isOwned)
  const vaults = plans.filter(({ isVault }) => isVault)
  expect(owned.length - vaults.length).toBeGreaterThan(20)
  expect(vaults.length).toBeGreaterThan(5)
  expect(vaults.every(({ isOwned, isUnified }) => isOwned && !isUnified)).toBe(true)
})
