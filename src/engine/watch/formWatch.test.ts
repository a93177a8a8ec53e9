import { expect, test } from 'vitest'
import { accountWith, fixtureNow, later, venueState } from '../../core/account/account.fixture.ts'
import type { AccountEvent } from '../../core/account/accountEvent.ts'
import { RiskEngine } from '../../core/safety/riskEngine.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { FormWatch } from './formWatch.ts'

/** An account whose mode has changed, read whole at 50 ms of the venue's time; `look` tells one more state. */
function changedAccount() {
  const account = accountWith({ equity: '10000' })
  const limit = Decimal.of('0.06')
  const risk = new RiskEngine({ dailyLossStop: limit, drawdownHalt: limit, equityCap: null })
  risk.observe(account, later(0))
  const asked: string[] = []
  const form = new FormWatch({
    ...{ account, risk },
    clock: { now: () => later(0), monotonicMs: () => 0 },
    recorder: { record: () => null },
    alerts: { raise: () => undefined, clear: () => undefined },
    askAgain: (part) => asked.push(part),
    equityGap: () => null,
    demand: () => undefined,
  })
  const deliver = (event: AccountEvent): void => {
    form.told(event)
    account.apply(event)
    form.took(event)
  }
  const look = (ms: number): void => {
    const state = venueState({ equity: '10000' }, fixtureNow + ms)
    deliver({ kind: 'state', state, source: 'stream', at: later(60) })
  }
  form.told({ kind: 'mode', mode: account.mode, at: later(0) })
  deliver({ kind: 'mode', mode: 'disabled', at: later(1) })
  look(50)
  form.agreed()
  return { form, look, asked }
}

test('the equity counts once a younger state says the same as the whole read', () => {
  const { form, look, asked } = changedAccount()
  expect(asked).toEqual(['state'])
  look(51)
  expect(form.doubt).toBeNull()
})

test.each([20, 50])('a state of %i ms, no younger than the read, is no second look', (ms) => {
  const { form, look } = changedAccount()
  look(ms)
  expect([form.doubt, form.sight.cash]).toEqual([
    'the account was set up anew, and another look at its money has to agree',
    null,
  ])
})
