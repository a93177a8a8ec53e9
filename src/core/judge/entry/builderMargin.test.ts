import { describe, expect, test } from 'vitest'
import { later, stopOrder } from '../../account/account.fixture.ts'
import type { PositionSpec } from '../../account/account.fixture.ts'
import { dexAccount } from '../../account/builders.fixture.ts'
import { Decimal } from '../../values/decimal.ts'
import type { Decision } from '../decision.ts'
import { judged } from '../judge.fixture.ts'

const name = 'xyz:TSLA'
const add = (usd: number) => ({
  ...{ type: 'updateIsolatedMargin', asset: 110_001, isBuy: true },
  ntli: Math.round(usd * 1_000_000),
})

/** One unit at 400, with its stop 2% away. */
function added(
  usd: number,
  spec: Partial<PositionSpec>,
  stop: string | null = '392',
  gap = '0.1',
): Decision {
  const { size = '1' } = spec
  const isBuy = size.startsWith('-')
  const held = { coin: name, size: size.replace('-', ''), isBuy }
  const orders = stop === null ? [] : [stopOrder({ oid: 3, ...held, trigger: stop })]
  const positions = { [name]: { ...spec, size } }
  const account = dexAccount({ positions, orders })
  account.countGaps(() => Decimal.of(gap))
  return judged(add(usd), { account, rules: { markets: ['xyz:*'] } })
}

describe('margin that is added on a builder dex', () => {
  // It risks 8 at its stop, 39.2 at the stop's worst fill, and the gap of 40: 87.2, and twice that is 174.4.
  // Liquidated at 300 it holds 100, and 15 of maintenance.
  test.each([
    ['up to twice the risk', 59, { liquidation: '300' }, '392', 'allow'],
    ['more than that', 60, { liquidation: '300' }, '392', 'veto'],
    ['a position that nothing can liquidate', 1, { liquidation: null }, '392', 'veto'],
    [
      'a liquidation before the worst fill of the stop',
      100,
      { liquidation: '360' },
      '392',
      'allow',
    ],
    ['far more than that needs', 500, { liquidation: '360' }, '392', 'veto'],
    ['a position without its stop', 1, { liquidation: '300' }, null, 'veto'],
    ['a short', 40, { size: '-1', liquidation: '500' }, '408', 'allow'],
    ['a short with more', 100, { size: '-1', liquidation: '500' }, '408', 'veto'],
    ['a short that needs it', 90, { size: '-1', liquidation: '440' }, '408', 'allow'],
    ['a short with far more', 500, { size: '-1', liquidation: '440' }, '408', 'veto'],
  ] as const)('%s', (_, usd, spec, stop, verdict) => {
    const decision = added(usd, spec, stop)
    expect(decision.verdict, decision.text).toBe(verdict)
  })

  // Without a gap a close stop needs more than twice its risk. The long's fills at 359.1 at worst and
  // risks 40.9; it needs 1.1 x 40.9 and 5% each of 400 for maintenance and to spare: 84.99, and holds
  // 40 and 18. The short's fills at 441.1: 1.1 x 41.1 and 40 are 85.21, and it holds 40 and 22.
  test.each([
    ['a long up to what its stop needs', 26.99, { liquidation: '360' }, '399', 'allow'],
    ['a long with more', 26.990001, { liquidation: '360' }, '399', 'veto'],
    ['a short up to that', 23.21, { size: '-1', liquidation: '440' }, '401', 'allow'],
    ['a short with more', 23.210001, { size: '-1', liquidation: '440' }, '401', 'veto'],
  ] as const)('where no gap counts: %s', (_, usd, spec, stop, verdict) => {
    const decision = added(usd, spec, stop, '0')
    expect(decision.verdict, decision.text).toBe(verdict)
  })

  test('counts what is on its way to it', () => {
    const positions = { [name]: { size: '1', liquidation: '300' } }
    const orders = [stopOrder({ oid: 3, coin: name, size: '1', trigger: '392' })]
    const account = dexAccount({ positions, orders })
    const rules = { markets: ['xyz:*'] }
    const ask = (usd: number): Decision => judged(add(usd), { account, rules })
    const first = ask(40)
    expect(first.verdict).toBe('allow')
    const items = first.reservations.flat()
    account.reserve('a', items, later(1))
    expect(ask(19).verdict).toBe('allow')
    expect(ask(20)).toMatchObject({
      code: 'leverage',
      text: expect.stringMatching(/^xyz:TSLA has 155\b.* 20\b.* 174\.4/),
    })
    account.settle('a', { outcome: 'refused' }, later(2))
    expect(ask(59).verdict).toBe('allow')
  })

  test('is told with its figures', () => {
    expect(added(60, { liquidation: '300' })).toMatchObject({
      code: 'leverage',
      text: expect.stringMatching(/^xyz:TSLA has 115\b.* 60\b.* 174\.4.*twice what it risks/),
    })
  })

  test('waits for the position, and for its stop', () => {
    const rules = { markets: ['xyz:*'] }
    const none = judged(add(50), { account: dexAccount(), rules })
    expect(none).toMatchObject({
      code: 'leverage',
      text: expect.stringContaining('margin on xyz:TSLA waits until its position and its stop'),
    })
    const positions = { [name]: { size: '1', liquidation: '300' } }
    const untold = dexAccount({ positions, isUntold: true })
    expect(judged(add(50), { account: untold, rules }).code).toBe('leverage')
  })
})
