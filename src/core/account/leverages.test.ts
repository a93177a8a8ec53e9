import { expect, test } from 'vitest'
import type { Leverage } from '../protocol/venueState.ts'
import { coin } from '../values/coin.ts'
import { later, venueState } from './account.fixture.ts'
import { Leverages } from './leverages.ts'

const eth = coin('ETH')
const five: Leverage = { type: 'isolated', value: 5 }
const four: Leverage = { type: 'isolated', value: 4 }
const cross: Leverage = { type: 'cross', value: 5 }

test.each([
  { what: 'nothing is known', seen: null, onItsWay: null, is: null },
  { what: 'nothing is known, and one is on its way', seen: null, onItsWay: five, is: null },
  { what: 'nothing is on its way', seen: five, onItsWay: null, is: five },
  { what: 'the same is on its way', seen: five, onItsWay: { ...five }, is: five },
  { what: 'another is on its way', seen: five, onItsWay: four, is: null },
  { what: 'one of another kind is on its way', seen: five, onItsWay: cross, is: null },
])('$what', ({ seen, onItsWay, is }) => {
  const leverages = new Leverages()
  if (seen !== null) leverages.set(eth, seen, later(7))
  expect(leverages.get(eth, onItsWay)).toEqual(is === null ? null : { leverage: is, at: later(7) })
  leverages.shift(-3)
  expect(leverages.get(eth, null)?.at ?? null).toBe(seen === null ? null : later(4))
})

test('a state tells those of its positions, but not of a dex that was told before the rest', () => {
  const [told] = venueState(
    { positions: { ETH: { size: '1', entry: '2000' } } },
    later(0),
  ).positions
  if (told === undefined) throw new Error('no position')
  const tesla = coin('xyz:TSLA')
  const positions = [told, { ...told, coin: tesla }].map((each) => ({ ...each, leverage: four }))
  const dexTimes = new Map([['xyz', later(1)]])
  const leverages = new Leverages()
  leverages.set(tesla, five, later(2))
  leverages.applyState({ ...venueState({}, later(0)), positions, dexTimes }, later(3))
  expect(leverages.get(eth, null)).toEqual({ leverage: four, at: later(3) })
  expect(leverages.get(tesla, null)).toEqual({ leverage: five, at: later(2) })
})
