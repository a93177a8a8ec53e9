import { describe, expect, test } from 'vitest'
import { accountWith, fixtureNow, later } from '../account/account.fixture.ts'
import type { Account } from '../account/account.ts'
import { dexAccount } from '../account/builders.fixture.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { fitStep } from './fitSteps.ts'
import { countingMint } from './mint.fixture.ts'
import { planFlatten } from './planFlatten.ts'
import { plan } from './planProtect.fixture.ts'
import { RefusedTries } from './refusedTries.ts'

// One absurd offer puts the mid of a thin book far from all that trades, and the mark stays where it is.

const name = coin('xyz:TSLA')
const eth = coin('ETH')

/** A position whose mid is 400, on a builder dex. */
function held(
  size: string,
  mark: string,
  liquidation: string | null = null,
  oracle = mark,
): Account {
  const positions = { [name]: { size, liquidation } }
  return dexAccount({ positions, marks: { [name]: mark }, oracles: { [name]: oracle } })
}

/** Limits of the orders that close the position of `of`, once the venue has said no so often, and then yes. */
function closes(
  account: Account,
  noMatches: number,
  of = name,
  isTaken = false,
): readonly string[] {
  const tries = new RefusedTries()
  const size = account.positions.get(of)?.size ?? Decimal.zero
  for (let time = 0; time < noMatches; time += 1) {
    tries.refused(of, 'Order could not immediately match against any resting orders.', size, 1)
  }
  if (isTaken) tries.taken(of)
  const { steps } = planFlatten({
    ...{ account, now: fixtureNow, mint: countingMint(), tries },
    ...{ isHeld: () => false, isTwapHeld: () => false, isCancelLost: () => false },
    cancelsMax: Infinity,
    room: { isWanted: false, isBeingMade: false, cleared: 0 },
  })
  return steps.flatMap((step) =>
    step.kind === 'close' ? step.action.orders.map(({ price }) => price.toString()) : [],
  )
}

describe('a close that found nobody at the mid', () => {
  test.each([
    { what: 'a sale, the mark is lower', size: '1', mark: '300', is: ['380', '277.5', '270'] },
    { what: 'a sale, the mark is higher', size: '1', mark: '500', is: ['380', '370', '360'] },
    { what: 'a buy, the mark is higher', size: '-1', mark: '500', is: ['420', '537.5', '550'] },
    { what: 'a buy, the mark is lower', size: '-1', mark: '300', is: ['420', '430', '440'] },
  ])('is asked for from the worse of mid and mark: $what', ({ size, mark, is }) => {
    for (const [times, price] of is.entries()) {
      expect(closes(held(size, mark), times)).toEqual([price])
    }
  })

  test('is asked for from the oracle price where that is the worst', () => {
    expect(closes(held('1', '400', null, '300'), 1)).toEqual(['277.5'])
    expect(closes(held('-1', '400', null, '500'), 1)).toEqual(['537.5'])
  })

  // What told the prices may repeat old ones: the book is where nobody says that it is.
  test.each([
    { size: '1', is: ['380', '370', '360', '340', '300', '200', '80', '80'] },
    { size: '-1', is: ['420', '430', '440', '460', '500', '600', '720', '720'] },
  ])('goes further with each try, as far as the band: $size', ({ size, is }) => {
    expect(is.map((_, times) => closes(held(size, '400'), times))).toEqual(is.map((each) => [each]))
  })

  test('goes no further than the band around mark and oracle price, wherever the mid is', () => {
    expect(closes(held('1', '2500', null, '2000'), 9)).toEqual(['500'])
    expect(closes(held('-1', '300', null, '200'), 9)).toEqual(['360'])
  })

  test('is asked for from the mid where neither mark nor oracle price is told', () => {
    const plain = accountWith({ positions: { ETH: { size: '1' } }, mids: { ETH: '2500' } })
    expect(closes(plain, 1, eth)).toEqual(['2312.5'])
  })

  test('starts with what a stop may lose once the venue has taken one', () => {
    const taken = (times: number): readonly string[] => closes(held('1', '400'), times, name, true)
    expect([1, 2, 3, 6].map(taken)).toEqual([['370'], ['360'], ['360'], ['360']])
  })
})

describe('a mid that nobody has told for long is no price beside a fresh mark', () => {
  const account = (): Account => {
    const seen = accountWith({ positions: { ETH: { size: '1' } }, mids: { ETH: '2500' } })
    seen.apply({ kind: 'mark', coin: eth, mark: Decimal.of('2000'), at: later(60_000) })
    return seen
  }

  test('for a flatten', () => {
    expect(closes(account(), 0, eth)).toEqual(['1900'])
  })

  test('for a close of the protection', () => {
    const seen = account()
    const [step] = plan(seen, { recordedStops: new Map([[eth, Decimal.of('2100')]]) }).steps
    if (step?.kind !== 'close') throw new Error('no close')
    const tries = { stopTries: new RefusedTries(), closeTries: new RefusedTries() }
    const fitted = fitStep({ account: seen, mint: countingMint(), ...tries }, step)
    const { action } = fitted.step
    expect(action.type === 'order' ? action.orders[0]?.price.toString() : null).toBe('1900')
  })
})

describe("Guard's own stop does not lie where the mark would fire it at once", () => {
  const triggerOf = (account: Account, recorded: string | null): string => {
    const stops = recorded === null ? [] : [[account.positions.keys().next().value, recorded]]
    const recordedStops = new Map(stops.map(([of, at]) => [coin(`${of}`), Decimal.of(`${at}`)]))
    const [step] = plan(account, { recordedStops }).steps
    return step?.kind === 'stop' ? step.trigger.toString() : (step?.why ?? 'nothing')
  }

  test.each([
    { what: 'of a long', size: '1', mark: '380', is: '372.4' },
    { what: 'a little lower', size: '1', mark: '399', is: '391.02' },
    { what: 'at the mid', size: '1', mark: '400', is: '392' },
    { what: 'higher', size: '1', mark: '420', is: '392' },
    { what: 'of a short', size: '-1', mark: '420', is: '428.4' },
    { what: 'of a short, lower', size: '-1', mark: '380', is: '408' },
  ])('on a builder dex it is measured from the worse price: $what', ({ size, mark, is }) => {
    expect(triggerOf(held(size, mark), null)).toBe(is)
  })

  test.each([
    { mark: '2475', is: '2450' },
    { mark: '2451', is: '2450' },
    { mark: '2450', is: '2401' },
    { mark: '2400', is: '2352' },
  ])('on the main dex only where it must be, the mark $mark: $is', ({ mark, is }) => {
    const seen = accountWith({ positions: { ETH: { size: '1' } }, mids: { ETH: '2500' } })
    seen.apply({ kind: 'mark', coin: eth, mark: Decimal.of(mark), at: later(0) })
    expect(triggerOf(seen, null)).toBe(is)
  })

  test('where the liquidation is nearer it lies halfway from the mark to it', () => {
    expect(triggerOf(held('1', '380', '376'), null)).toBe('378')
  })

  test('one that was recorded and that the mark has passed closes the position', () => {
    expect(triggerOf(held('1', '380'), '385')).toContain('already crossed')
    expect(triggerOf(held('1', '390'), '385')).toBe('385')
  })
})
