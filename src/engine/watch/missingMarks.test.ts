import { expect, test } from 'vitest'
import { Account } from '../../core/account/account.ts'
import { fixtureNow, later, venueState } from '../../core/account/account.fixture.ts'
import type { AccountEvent } from '../../core/account/accountEvent.ts'
import { coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { MissingMarks } from './missingMarks.ts'

const at = fixtureNow
const eth = coin('ETH')

function stateAt(mid: string, ms = 0): AccountEvent {
  const spec = { mids: { ETH: mid }, positions: { ETH: { size: '-2', entry: '2400' } } }
  return { kind: 'state', state: venueState(spec, at), source: 'stream', at: later(ms) }
}

test('a state tells the mark of what is held until somebody else does, and where he falls silent', () => {
  const account = new Account()
  const marks = new MissingMarks()
  const take = (event: AccountEvent): string | undefined => {
    for (const mark of marks.toldBy(event, account)) account.apply(mark)
    account.apply(event)
    return account.mark(eth)?.toString()
  }
  expect(take(stateAt('2500'))).toBe('2500')
  expect(take(stateAt('2510'))).toBe('2510')
  expect(take({ kind: 'mark', coin: eth, mark: Decimal.of('2511'), at })).toBe('2511')
  expect(take(stateAt('2520'))).toBe('2511')
  expect(take(stateAt('2530', 1_000))).toBe('2511')
  expect(take(stateAt('2540', 1_001))).toBe('2540')
})
