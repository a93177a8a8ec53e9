import { describe, expect, test } from 'vitest'
import type { AccountEvent, Source } from '../account/accountEvent.ts'
import type { PositionView } from '../account/accountView.ts'
import type { SightEvent } from '../account/ifTold.ts'
import { fixtureNow, later, venueState } from '../account/account.fixture.ts'
import { coin } from '../values/coin.ts'
import type { Coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import { millis } from '../values/millis.ts'
import type { Millis } from '../values/millis.ts'
import { OddSights } from './oddSights.ts'
import type { SightHelp } from './oddSights.ts'
import type { CashDoubt } from './cashBook.ts'

const eth = coin('ETH')
const dec = (text: string): Decimal => Decimal.of(text)
const at = (ms: number) => later(ms)

/** What the events of these tests would make of the account; told by hand, event by event. */
interface Would {
  readonly cash?: string | null
  readonly doubt?: CashDoubt | null
  readonly size?: string
}

class Scene {
  readonly would = new Map<SightEvent, Would>()
  held = '2'
  isUnified = false
  venueTime: Millis | null = fixtureNow
  peak: Decimal | null = dec('10000')
  readonly odd = new OddSights({
    account: this.#account(),
    risk: {
      doubts: (view) =>
        [...this.would.values()].find(({ cash }) => cash === view.cash.toString())?.doubt ?? null,
      view: () => ({ peak: this.peak }),
    },
  })

  #account(): SightHelp['account'] {
    const venueTime = (): Millis | null => this.venueTime
    return {
      get venueTime() {
        return venueTime()
      },
      ifTold: (event) => {
        const { cash = '10000', size = this.held } = this.would.get(event) ?? {}
        const view = cash === null ? null : { ...cashOf(cash), isUnified: this.isUnified }
        const held = new Map([[eth, dec(this.held)]])
        return { cash: view, positions: this.#positions(() => size), held, heldUntil: 0 }
      },
    }
  }

  #positions(size: () => string): ReadonlyMap<Coin, PositionView> {
    const view = (): PositionView => ({ size: dec(size()) }) as PositionView
    return {
      get: () => (view().size.isZero() ? undefined : view()),
      *[Symbol.iterator]() {
        yield [eth, view()] as const
      },
    } as unknown as ReadonlyMap<Coin, PositionView>
  }

  state(source: Source, ms: number, would: Would = {}): SightEvent {
    const state = venueState({}, fixtureNow + ms)
    const event: SightEvent = { kind: 'state', state, source, at: at(ms) }
    this.would.set(event, would)
    return event
  }
}

function cashOf(cash: string) {
  const amount = dec(cash)
  return { equity: amount, cash: amount, unrealised: Decimal.zero, isUnified: false }
}

const empty: Would = { cash: '0', doubt: { expected: dec('10000') }, size: '0' }
const gone: Would = { size: '0.5' }

describe('a sight that cannot be', () => {
  test('is kept back, asked for once more, and dropped by the next good one', () => {
    const scene = new Scene()
    const odd = scene.state('stream', 10, empty)
    expect(scene.odd.told(odd, 10)).toEqual({ take: null, wrong: [], ask: 'state' })
    expect([scene.odd.isBlind, scene.odd.isEmpty]).toEqual([false, false])
    expect(scene.odd.doubt(10)).toBe(
      'the state of the account with 0 USDC besides unrealised profit; less of ETH without a fill, which nothing explains (10000 USDC expected)',
    )
    const good = scene.state('stream', 20)
    const { take, wrong } = scene.odd.told(good, 20)
    expect([take?.event, wrong.map(({ source, expected }) => [source, expected])]).toEqual([
      good,
      [['stream', '10000 USDC expected']],
    ])
    expect([scene.odd.doubt(99_999), scene.odd.isEmpty]).toEqual([null, true])
  })

  test.each<[string, Source, Would, boolean]>([
    ['the other source says the same', 'read', empty, true],
    ['the same source says it again', 'stream', empty, false],
    ['the other source has other cash', 'read', { ...empty, cash: '5000' }, false],
    ['the other source has the position', 'read', { ...empty, size: '2' }, false],
    ['the other source has no cash to tell', 'read', { ...empty, cash: null }, false],
  ])('%s', (_, source, would, counts) => {
    const scene = new Scene()
    scene.odd.told(scene.state('stream', 10, empty), 10)
    const second = scene.state(source, 20, would)
    const { take } = scene.odd.told(second, 20)
    expect(take).toEqual(counts ? { event: second, sinceMs: 10 } : null)
  })

  test('an older good one does not contradict it', () => {
    const scene = new Scene()
    scene.odd.told(scene.state('stream', 50, empty), 50)
    const older = scene.state('read', 40)
    expect(scene.odd.told(older, 60)).toEqual({
      ...{ take: { event: older, sinceMs: 60 }, wrong: [], ask: null },
    })
    expect(scene.odd.doubt(60)).not.toBe(null)
  })

  test('counts once it has stood for the whole hold, or a report explains it', () => {
    const scene = new Scene()
    const odd = scene.state('stream', 10, empty)
    scene.odd.told(odd, 10)
    expect(scene.odd.due(10_009)).toEqual([])
    expect(scene.odd.due(10_010)).toEqual([{ event: odd, sinceMs: 10 }])
    expect(scene.odd.due(99_999)).toEqual([])
    const next = scene.state('stream', 20, gone)
    scene.odd.told(next, 20)
    scene.held = '0.5'
    expect(scene.odd.due(21)).toEqual([{ event: next, sinceMs: 20 }])
  })

  test('where nothing was known before, the account has it and the risk engine does not look', () => {
    const scene = new Scene()
    scene.venueTime = null
    scene.held = '0'
    const odd = scene.state('stream', 10, empty)
    expect(scene.odd.told(odd, 10).take).toEqual({ event: odd, sinceMs: 10 })
    expect(scene.odd.isBlind).toBe(true)
    scene.odd.told(scene.state('read', 20), 20)
    expect(scene.odd.isBlind).toBe(false)
  })

  test('a first one after a start without what the run before held is not taken', () => {
    const scene = new Scene()
    scene.venueTime = null
    const odd = scene.state('read', 10, gone)
    expect(scene.odd.told(odd, 10)).toEqual({ take: null, wrong: [], ask: 'state' })
    expect(scene.odd.isBlind).toBe(false)
    const good = scene.state('read', 20)
    expect(scene.odd.told(good, 20)).toMatchObject({ take: { event: good }, wrong: [{}] })
  })

  test('the very first one waits for a second one that agrees, whoever tells it', () => {
    const scene = new Scene()
    scene.peak = null
    const first = (cash: string): Would => ({ cash, doubt: { expected: null } })
    expect(scene.odd.told(scene.state('stream', 10, first('99')), 10).ask).toBe('state')
    expect(scene.odd.doubt(10)).toBe(
      'the state of the account with 99 USDC besides unrealised profit is the first that was told, and a second look has to agree',
    )
    scene.odd.told(scene.state('read', 20, first('10')), 20)
    expect(scene.odd.isBlind).toBe(true)
    const third = scene.state('read', 30, first('10'))
    expect(scene.odd.told(third, 30)).toEqual({
      ...{ take: { event: third, sinceMs: 10 }, wrong: [], ask: null },
    })
    expect(scene.odd.isBlind).toBe(false)
  })

  test.each([
    [false, 'state'],
    [true, 'spot'],
  ] as const)('a second answer about the mode does not confirm money (%s)', (isUnified, ask) => {
    const scene = new Scene()
    scene.peak = null
    scene.isUnified = isUnified
    const mode = (): SightEvent => {
      const event: SightEvent = { kind: 'mode', mode: 'default', at: at(10) }
      scene.would.set(event, { cash: '10', doubt: { expected: null } })
      return event
    }
    expect(scene.odd.told(mode(), 10).ask).toBe(ask)
    expect(scene.odd.told(mode(), 20).ask).toBe(ask)
    expect(scene.odd.isBlind).toBe(true)
  })
})

test('a position that is smaller without a fill is doubted only after its report could have come', () => {
  const scene = new Scene()
  scene.odd.told(scene.state('stream', 10, gone), 10)
  expect(scene.odd.doubt(1_009)).toBe(null)
  expect(scene.odd.doubt(1_010)).toMatch(/less of ETH .* \(the positions as they were\)$/)
})

test('a short that is smaller is seen as well; one that grew is not odd', () => {
  const scene = new Scene()
  scene.held = '-2'
  expect(scene.odd.told(scene.state('stream', 10, { size: '-1' }), 10).take).toBe(null)
  const grown = scene.state('stream', 20, { size: '-3' })
  expect(scene.odd.told(grown, 20).take?.event).toBe(grown)
})

test('an account that Guard cannot size for has positions that vanish as well', () => {
  const scene = new Scene()
  const odd: Would = { cash: null, size: '0' }
  scene.odd.told(scene.state('stream', 10, odd), 10)
  expect(scene.odd.doubt(2_000)).toMatch(/^the state of the account; less of ETH/)
  const second = scene.state('read', 20, odd)
  expect(scene.odd.told(second, 20).take?.event).toBe(second)
})

test('the balance of a unified account is doubted like its state', () => {
  const scene = new Scene()
  scene.isUnified = true
  const spot = (source: Source): SightEvent => {
    const event: SightEvent = { kind: 'spot', spot: {} as never, source, at: at(10) }
    scene.would.set(event, { cash: '0', doubt: { expected: dec('10000') } })
    return event
  }
  expect(scene.odd.told(spot('read'), 10)).toMatchObject({ take: null, ask: 'spot' })
  expect(scene.odd.doubt(10)).toMatch(/^the spot of the account with 0 USDC/)
  expect(scene.odd.told(spot('stream'), 20).take).not.toBe(null)
})

test('the balance of a plain account says nothing of its money: it is not doubted beside the state', () => {
  const scene = new Scene()
  const spot: SightEvent = { kind: 'spot', spot: {} as never, source: 'read', at: at(10) }
  scene.would.set(spot, { cash: '7000', doubt: { expected: dec('10000') } })
  expect(scene.odd.told(spot, 10)).toMatchObject({ take: { event: spot }, ask: null })
  expect(scene.odd.doubt(10)).toBe(null)
})

test('a mode is confirmed by the next answer', () => {
  const scene = new Scene()
  const mode = (ms: number): SightEvent => {
    const event: SightEvent = { kind: 'mode', mode: 'unifiedAccount', at: millis(fixtureNow + ms) }
    scene.would.set(event, { cash: '0', doubt: { expected: dec('10000') } })
    return event
  }
  expect(scene.odd.told(mode(10), 10)).toMatchObject({ take: null, ask: 'mode' })
  expect(scene.odd.doubt(10)).toMatch(/^mode unifiedAccount with 0 USDC/)
  const again = mode(20)
  expect(scene.odd.told(again, 20).take).toEqual({ event: again, sinceMs: 10 })
})

test('an old state and anything that is no sight pass', () => {
  const scene = new Scene()
  const old = scene.state('read', -10, empty)
  const fills: AccountEvent = { kind: 'fills', fills: [], isSnapshot: false, at: at(10) }
  for (const event of [old, fills]) {
    expect(scene.odd.told(event, 5)).toEqual({
      ...{ take: { event, sinceMs: 5 }, wrong: [], ask: null },
    })
  }
})

test('a mode that the next answer contradicts was wrong', () => {
  const scene = new Scene()
  const odd: SightEvent = { kind: 'mode', mode: 'unifiedAccount', at: at(10) }
  scene.would.set(odd, { cash: '0', doubt: { expected: dec('10000') } })
  scene.odd.told(odd, 10)
  const { wrong } = scene.odd.told({ kind: 'mode', mode: 'default', at: at(20) }, 20)
  expect(wrong).toMatchObject([{ source: 'read', expected: '10000 USDC expected' }])
})
