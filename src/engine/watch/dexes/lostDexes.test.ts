import { expect, test } from 'vitest'
import { Account } from '../../../core/account/account.ts'
import type { AccountEvent } from '../../../core/account/accountEvent.ts'
import type { ClearinghouseState, Fill } from '../../../core/protocol/venueState.ts'
import { defaultRules } from '../../../core/rules/rules.ts'
import { RiskEngine } from '../../../core/safety/riskEngine.ts'
import { coin } from '../../../core/values/coin.ts'
import { Decimal } from '../../../core/values/decimal.ts'
import { millis } from '../../../core/values/millis.ts'
import { JoinedStates } from './joinedStates.ts'
import { LostDexes } from './lostDexes.ts'

const begin = 1_700_000_000_000
const oil = coin('hyn:OIL')
/** So much cash, and one OIL bought at 50 and worth `mark`; null: no position. */
const state = (ms: number, cash: string, mark: string | null = null): ClearinghouseState => {
  const profit = Decimal.of(mark ?? '50').minus(Decimal.of('50'))
  const position = {
    ...{ coin: oil, size: Decimal.one, entryPrice: Decimal.of('50'), maxLeverage: 10 },
    ...{ positionValue: Decimal.of(mark ?? '50'), unrealisedPnl: profit, marginUsed: Decimal.one },
    ...{ leverage: { type: 'isolated', value: 1 } as const, liquidationPrice: null },
  }
  return {
    ...{ accountValue: Decimal.of(cash).plus(profit), withdrawable: Decimal.zero },
    ...{ time: millis(begin + ms), positions: mark === null ? [] : [position] },
  }
}

/** A plain account with the dexes xyz (USDC) and hyn (another token), and what its losses are measured by. */
class Scene {
  readonly account = new Account()
  readonly risk = new RiskEngine(defaultRules)
  readonly states = new JoinedStates()
  readonly known = new Set(['xyz', 'hyn'])
  readonly awaited = new Set<string>()
  anew = 0
  readonly lost = new LostDexes({
    ...{ account: this.account, states: this.states },
    markets: { isInToken: (dex) => dex === 'hyn' },
    isKnown: (dex) => this.known.has(dex),
    untold: { isAwaited: (dex) => this.awaited.has(dex) },
    setAnew: () => (this.anew += 1),
  })

  constructor(mode: 'disabled' | 'unifiedAccount' = 'disabled') {
    this.#take({ kind: 'mode', mode, at: millis(begin) })
  }

  /** The stream tells these; what else it told before is gone. */
  tell(ms: number, told: Record<string, ClearinghouseState>): void {
    const states = new Map(Object.entries({ '': state(ms, '1000'), ...told }))
    const main = states.get('') as ClearinghouseState
    this.lost.lose(this.states.builderDexes.filter((dex) => !states.has(dex)))
    const joined = this.states.take(states, main, true, false)
    const at = millis(begin + ms)
    for (const event of this.lost.joined(main.time, at)) this.#take(event)
    this.#take({ kind: 'state', state: joined, source: 'stream', at })
  }

  /** The position is settled with so much profit. */
  settle(ms: number, profit: string): void {
    const at = millis(begin + ms)
    const fill: Fill = {
      ...{ coin: oil, isBuy: false, size: Decimal.one, startPosition: Decimal.one, at, tid: 1 },
      ...{ price: Decimal.of('50').plus(Decimal.of(profit)), closedPnl: Decimal.of(profit) },
      ...{ fee: Decimal.zero, oid: 1, cloid: null, isSettlement: true },
    }
    const event = { kind: 'fills', fills: [fill], isSnapshot: false, at } as const
    for (const each of [event, ...this.lost.undone(event)]) this.#take(each)
  }

  #take(event: AccountEvent): void {
    // As the engine does: what comes out of the layer is judged by the account as it is then.
    this.account.apply(event)
    this.risk.apply(event, this.account)
  }

  get figures(): string {
    const { state: name, equity, peak, drawdown } = this.risk.tick(millis(begin + 90_000))
    const loss = equity === null ? 'unknown' : String(drawdown)
    return `${name} ${String(equity)} of ${String(peak)}: ${loss}`
  }
}

test('the money of a dex in another token is a flow, and what its positions made until then is none', () => {
  for (const order of ['fill first', 'state first']) {
    const scene = new Scene()
    scene.tell(1, { hyn: state(1, '500', '55') })
    expect(scene.risk.view()).toMatchObject({ equity: Decimal.of('1505') })
    if (order === 'fill first') scene.settle(2, '5')
    scene.tell(3, {})
    if (order === 'state first') scene.settle(2, '5')
    scene.tell(4, {})
    expect(scene.figures).toBe('active 1000 of 1000: 0')
    // Nothing is left that would explain or hide a later change.
    scene.tell(5, { '': state(5, '900') })
    expect(scene.figures).toMatch(/^halted_for_day 900 of 1000/)
  }
})

test('a settlement far from the last mark is a loss where it is told in time', () => {
  const scene = new Scene()
  scene.tell(1, { hyn: state(1, '500', '50') })
  scene.settle(2, '-30')
  scene.tell(3, {})
  expect(scene.figures).toMatch(/^active 1000 of 10[2-3]/)
})

test('one that is told of again was not lost, and one that is known from an earlier run leaves it anew', () => {
  const scene = new Scene()
  scene.tell(1, { hyn: state(1, '500') })
  scene.lost.lose(['hyn'])
  scene.tell(2, { hyn: state(2, '500') })
  expect(scene.figures).toBe('active 1500 of 1500: 0')
  expect(scene.anew).toBe(0)
  scene.awaited.add('hyn').add('abc')
  scene.states.forget('hyn')
  scene.lost.lose(['hyn', 'abc'])
  expect(scene.anew).toBe(1)
})

test('the money of a dex in USDC is on its way until the main dex is told later than the dex was', () => {
  const scene = new Scene()
  const main = state(1, '1000')
  scene.tell(1, { '': main, xyz: state(1, '500') })
  expect(scene.lost.gap).toBeNull()
  scene.tell(3, { '': main, hyn: state(3, '0') })
  expect(scene.lost.gap).toContain('xyz is told of no more')
  expect(scene.lost.has('xyz')).toBe(true)
  // It is not in the list any more, and the main dex stands still.
  scene.known.delete('xyz')
  scene.tell(4, { '': main, hyn: state(4, '0') })
  expect(scene.lost.gap).not.toBeNull()
  scene.tell(5, { '': state(5, '1500'), hyn: state(5, '0') })
  expect(scene.lost.gap).toBeNull()
})

test('nothing is on its way from one that the list still has once it is told again, that held nothing, or in one pool', () => {
  const scene = new Scene()
  scene.tell(1, { xyz: state(1, '500') })
  scene.tell(2, {})
  scene.tell(3, {})
  expect(scene.lost.gap).not.toBeNull()
  scene.tell(4, { xyz: state(4, '0') })
  expect(scene.lost.gap).toBeNull()
  scene.tell(5, {})
  expect(scene.lost.gap).toBeNull()
  const pooled = new Scene('unifiedAccount')
  pooled.tell(1, { xyz: state(1, '500'), hyn: state(1, '500') })
  pooled.tell(2, {})
  expect(pooled.lost.gap).toBeNull()
})
