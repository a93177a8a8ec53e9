import { expect, test } from 'vitest'
import { Account } from '../../core/account/account.ts'
import { fixtureNow, later, venueState } from '../../core/account/account.fixture.ts'
import type { AccountEvent } from '../../core/account/accountEvent.ts'
import { coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { MissingMarks } from './missingMarks.ts'

const at = fixtureNow
const eth = coin('ETH')

function stateAt(mid: string, ms = 0, venueMs = 0): AccountEvent {
  const spec = { mids: { ETH: mid }, positions: { ETH: { size: '-2', entry: '2400' } } }
  return { kind: 'state', state: venueState(spec, at + venueMs), source: 'stream', at: later(ms) }
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

test('one from before the state that the account has tells none', () => {
  const account = new Account()
  const marks = new MissingMarks()
  account.apply(stateAt('2500', 0, 10))
  expect(marks.toldBy(stateAt('2400', 5_000, 9), account)).toEqual([])
  expect(marks.toldBy(stateAt('2400', 5_000, 10), account)).toHaveLength(1)
})

test('a dex whose state is older than the rest tells a mark of its time', () => {
  const account = new Account()
  const spec = { mids: { 'xyz:TSLA': '400' }, positions: { 'xyz:TSLA': { size: '2' } } }
  const state = {
    ...venueState(spec, at + 9_000),
    dexTimes: new Map([['xyz', later(2_000)]]),
  }
  const tell = () =>
    new MissingMarks().toldBy({ kind: 'state', state, source: 'read', at: later(9_500) }, account)
  expect(tell()).toMatchObject([{ coin: 'xyz:TSLA', at: later(2_500) }])
  const mark = { kind: 'mark', coin: coin('xyz:TSLA'), mark: Decimal.of('410') } as const
  account.apply({ ...mark, at: later(1_500) })
  expect(tell()).toEqual([])
})
