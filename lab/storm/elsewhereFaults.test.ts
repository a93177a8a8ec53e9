import { expect, test } from 'vitest'
import type { FaultKind } from './faultKinds.ts'
import { venueWith } from './oracleParts.fixture.ts'
import { runSeed } from './runSeed.ts'
import { bot, curveFor, fault, scripted } from './storm.fixture.ts'
import { checkFlat } from './venueOracle.ts'
import { user } from './keys.ts'

/** What Guard wrote of the risk by the end of a world in which one thing happens three times. */
async function riskAfter(kind: FaultKind, isUnified: boolean) {
  const half = [0.6, 0.6, 0.99, 0.6] as const
  const plan = {
    ...scripted(
      3,
      bot(1_000, 'entry_market'),
      ...[4_000, 6_000, 8_000].map((at) => fault(at, kind, half)),
    ),
    isUnified,
  }
  const result = await runSeed(plan, curveFor(plan), { isTraced: true })
  expect(result.failure).toBe(null)
  return result.trace.filter((line) => / disk \d+ risk /.test(line)).join('\n')
}

test.each<[FaultKind, boolean]>([
  ['outside_spot_trade', false],
  ['outside_spot_trade', true],
  ['outside_spot_order', true],
  ['outside_dex_trade', false],
])('%s is no loss that halts (unified: %s)', async (kind, isUnified) => {
  const told = await riskAfter(kind, isUnified)
  expect(told).toMatch(/active/)
  expect(told).not.toMatch(/halted_for_day|stopped/)
})

test('a TWAP that could still open something is not flat', () => {
  const sim = venueWith({})
  const twap = { a: 0, b: true, s: '6', r: false, m: 30, t: false }
  const body = JSON.stringify({ user, action: { type: 'twapOrder', twap } })
  const request = { method: 'POST', url: '/sim/act', contentType: 'application/json', body }
  sim.http({ ...request, isObserver: true, ip: '127.0.0.1' }, () => undefined)
  expect(sim.venue.twaps(user)).toHaveLength(1)
  expect(() => {
    checkFlat(sim.venue, user, 'it is over')
  }).toThrow(/ETH TWAP \d+$/)
})
