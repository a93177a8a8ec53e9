import { describe, expect, test } from 'vitest'
import { Account } from '../../core/account/account.ts'
import type { Reservation } from '../../core/account/reservation.ts'
import type { Json } from '../../core/protocol/action.ts'
import { infoWeight } from '../../core/protocol/requestWeight.ts'
import type { OrderUpdate } from '../../core/protocol/venueState.ts'
import { address } from '../../core/values/address.ts'
import { defaultRules } from '../../core/rules/rules.ts'
import type { Rules } from '../../core/rules/rules.ts'
import { coin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { millis } from '../../core/values/millis.ts'
import type { Millis } from '../../core/values/millis.ts'
import { err, ok } from '../../core/values/result.ts'
import { loadCrypto } from '../../crypto/loadCrypto.ts'
import { createSimulator } from '../../../lab/sim/createSimulator.ts'
import type { SimulatorCore } from '../../../lab/sim/simulatorOptions.ts'
import { AccountReads } from './accountReads.ts'
import { Alerts } from '../alerts.ts'
import { BuilderDexes } from './dexes/builderDexes.ts'
import type { Clock, VenueHttp, VenueNews } from '../ports.ts'
import { Picture } from './picture.ts'
import { Reconciler } from './reconciler.ts'

const user = address('0x00000000000000000000000000000000000000aa')
const crypto = await loadCrypto()
const startMs = 1_790_000_000_000

type Told = 'state' | 'orders'

interface Given {
  readonly stream: 'live' | 'down'
  /** Whether somebody holds a position with a stop, by hand. */
  readonly isHeld: boolean
  /** What the stream tells again, and how often. */
  readonly tells?: Partial<Record<Told, number>>
  /** The stream's lists lack an entry that it has shown, and that is on the venue or is not. */
  readonly missing?: 'there' | 'gone'
  /** A stop was accepted, and nothing has told what became of it. */
  readonly isStopUnshown?: boolean
  /** Until this second, from the first on, the venue answers no read. */
  readonly failsUntil?: number
  readonly entriesASecond?: number
  /** Builder dexes that the rules name and on which something is held. */
  readonly dexes?: readonly string[]
  /** Left out: a minute. */
  readonly seconds?: number
}

/** A minute of an account that is read from the simulator, and of a stream that tells this much. */
class Minute {
  readonly asked: { readonly type: string; readonly second: number }[] = []
  private elapsedMs = 0
  private ticks: (() => void)[] = []
  private readonly sim: SimulatorCore
  readonly account = new Account()
  private readonly picture = new Picture()
  readonly reads: AccountReads
  private readonly dexes: BuilderDexes
  private readonly given: Given

  constructor(given: Given) {
    this.given = given
    const names = given.dexes ?? []
    const dexEquity = {
      ...(names.length > 0 && { dex_equity: Object.fromEntries(names.map((dex) => [dex, '500'])) }),
    }
    const options = { control: true, weightLimit: null }
    this.sim = createSimulator(options, crypto, () => startMs + this.elapsedMs)
    this.post('/sim/reset', {
      ...{
        frozen: true,
        seed: 1,
        accounts: [{ address: user, equity: '10000', agents: [], ...dexEquity }],
      },
      ...(names.length === 0 ? {} : { dexes: names.map(dexNamed) }),
      markets: [{ name: 'ETH', szDecimals: 4, maxLeverage: 25, mid: '4000' }],
    })
    if (given.isHeld) this.hold()
    const info: VenueHttp['info'] = (request) => {
      const { type } = request as { readonly type: string }
      const second = Math.round(this.elapsedMs / 1_000)
      this.asked.push({ type, second })
      if (second > 0 && second < (given.failsUntil ?? 0)) {
        return Promise.resolve(err({ kind: 'unreachable', text: 'lost' } as const))
      }
      return Promise.resolve(ok({ status: 200, body: this.post('/info', request) }))
    }
    const clock = this.clock
    const { account, deliver } = this
    const dexesToRead = (): readonly string[] | null => this.dexes.toRead()
    this.reads = new AccountReads({ clock, venue: { info }, account: user, deliver, dexesToRead })
    this.dexes = new BuilderDexes({
      ...{ clock, account, deliver, alerts: new Alerts(), reads: this.reads },
      ...{ log: { log: () => undefined }, stream: { followDexes: () => undefined } },
      ...{ rulesFor: () => this.rules, isStopped: () => false, budget: { roomInMs: () => 0 } },
      setAnew: () => undefined,
    })
  }

  private get rules(): Rules {
    return { ...defaultRules, markets: ['*', ...(this.given.dexes ?? []).map((dex) => `${dex}:*`)] }
  }

  private readonly deliver = (news: VenueNews): void => {
    for (const event of this.dexes.join(news)) {
      this.picture.told(event)
      this.account.apply(event)
    }
  }

  private get clock(): Clock {
    return { now: () => millis(startMs + this.elapsedMs), monotonicMs: () => this.elapsedMs }
  }

  private post(url: string, body: Json): Json {
    let text = 'null'
    const by = { contentType: 'application/json', isObserver: true, ip: '127.0.0.1' }
    this.sim.http({ method: 'POST', url, ...by, body: JSON.stringify(body) }, (reply) => {
      text = reply?.body ?? text
    })
    return JSON.parse(text) as Json
  }

  private hold(): void {
    const trigger = { isMarket: true, triggerPx: '3900', tpsl: 'sl' }
    const orders = [
      { a: 0, b: true, p: '4100', s: '0.5', r: false, t: { limit: { tif: 'Ioc' } } },
      { a: 0, b: false, p: '3500', s: '0.5', r: true, t: { trigger } },
    ]
    for (const order of orders) {
      const action = { type: 'order', orders: [order], grouping: 'na' }
      this.post('/sim/act', { user, action })
    }
  }

  /** An entry that rests; nobody has told its end. */
  private enter(): void {
    const order = { a: 0, b: true, p: '3500', s: '0.01', r: false, t: { limit: { tif: 'Gtc' } } }
    const action = { type: 'order', orders: [order], grouping: 'na' }
    if (this.given.missing === 'there') this.post('/sim/act', { user, action })
    const size = Decimal.of('0.01')
    const update: OrderUpdate = {
      ...{ coin: coin('ETH'), isBuy: true, price: Decimal.of('3500'), size, originalSize: size },
      ...{ oid: 999_999, cloid: null, status: 'open', at: this.clock.now(), isReduceOnly: false },
    }
    if (this.given.missing === 'gone') {
      this.deliver({ kind: 'order_updates', updates: [update], at: this.clock.now() })
    }
  }

  /** A stop that went with an entry and left with it, before any list had shown it. */
  private placeStop(): void {
    const [trigger, size] = [Decimal.of('3900'), Decimal.of('0.01')]
    const cloid = '0x67756172010000000000000000000001'
    const stop: Reservation = {
      ...{ kind: 'stop' as const, coin: coin('ETH'), isBuy: false, trigger, size, cloid },
      ...{ index: 0, price: Decimal.one, parent: null, mayRest: true },
    }
    this.account.reserve('1:0', [stop], this.clock.now())
    this.account.settle('1:0', { outcome: 'accepted' }, this.clock.now())
  }

  async pass(): Promise<void> {
    const reconciler = new Reconciler({
      clock: this.clock,
      timers: {
        after: () => () => undefined,
        every: (_, run) => {
          this.ticks.push(run)
          return () => undefined
        },
      },
      log: { log: () => undefined },
      alerts: new Alerts(),
      account: this.account,
      recorder: { record: () => null } as never,
      budget: {
        ...{ setAllowance: () => undefined, setCappedByDay: () => undefined },
        ...{ limit: 1_200, venueLimit: 1_200, roomInMs: () => 0 },
        actionShortage: () => null,
      } as never,
      reads: this.reads,
      picture: this.picture,
      rulesFor: () => this.rules,
      dexes: this.dexes,
    })
    if (this.given.missing !== undefined) this.enter()
    await reconciler.start(() => false)
    if (this.given.isStopUnshown === true) this.placeStop()
    for (let second = 1; second <= (this.given.seconds ?? 60); second += 1) {
      this.elapsedMs = second * 1_000
      await this.tell(second)
      for (const run of this.ticks) run()
      for (let n = 0; n < (this.given.entriesASecond ?? 0); n += 1) {
        await reconciler.freshen([coin('ETH')])
      }
      await settled()
    }
  }

  private async tell(second: number): Promise<void> {
    const { stream, tells = {} } = this.given
    const at = this.clock.now()
    this.deliver({ kind: 'stream', state: stream, at })
    // Prices come either way, so that only the account is read.
    this.deliver({ kind: 'mids', mids: new Map([[coin('ETH'), Decimal.of('4000')]]), at })
    if (this.given.missing !== undefined) {
      this.deliver({ kind: 'orders', orders: [], source: 'stream', at })
    }
    for (const [kind, every] of Object.entries(tells)) {
      if (second % every !== 0) continue
      // What the stream says is what a read would say: only who asked is different.
      const before = this.asked.length
      await (kind === 'state' ? this.reads.state('read') : this.reads.orders('read'))
      this.asked.splice(before)
    }
    if (this.given.dexes !== undefined) await this.tellDexes(at)
  }

  /** What the stream tells every few seconds beside: orders of each dex, TWAPs and the marks there. */
  private async tellDexes(at: Millis): Promise<void> {
    this.deliver({ kind: 'twaps', twaps: [], source: 'stream', at })
    for (const dex of this.given.dexes ?? []) {
      const before = this.asked.length
      await this.reads.orders('read', dex)
      await this.reads.dexPrices(dex, 'read')
      this.asked.splice(before)
    }
  }

  /** What the reads after the first cost of the venue's request weight. */
  get weight(): number {
    const later = this.asked.filter(({ second }) => second > 0)
    return later.reduce((sum, { type }) => sum + infoWeight({ type }), 0)
  }

  seconds(type: string): readonly number[] {
    return this.asked.filter((each) => each.type === type).map(({ second }) => second)
  }
}

function dexNamed(name: string): Json {
  return { name, markets: [{ name: 'COIN', szDecimals: 2, maxLeverage: 10, mid: '100' }] }
}

const settled = async (): Promise<void> => {
  await new Promise<void>((resolve) => setImmediate(resolve))
}

const full = [0, 30, 60]
const fullWeight = 172

describe('how often the orders are read in a minute, and what that costs beside the full reads', () => {
  test.each<[string, Given, readonly number[], number]>([
    ['the stream tells the state', { stream: 'live', isHeld: true, tells: { state: 1 } }, full, 0],
    [
      'a live stream tells nothing of the account',
      { stream: 'live', isHeld: true },
      [0, 6, 12, 18, 24, 30, 36, 42, 48, 54, 60],
      36 + 160,
    ],
    [
      'it tells nothing but the orders',
      { stream: 'live', isHeld: true, tells: { orders: 5 } },
      full,
      36,
    ],
    ['it tells nothing, and nothing is held', { stream: 'live', isHeld: false }, full, 36],
    [
      'nothing is held, but a stop that was sent has not shown itself',
      { stream: 'live', isHeld: false, isStopUnshown: true },
      [0, 6, 12, 30, 60],
      36 + 40,
    ],
    [
      'the stream is down',
      { stream: 'down', isHeld: true },
      [0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 48, 51, 54, 57, 60],
      36 + 360,
    ],
    [
      'its lists lack an entry that has gone without a word',
      { stream: 'live', isHeld: false, tells: { state: 1 }, missing: 'gone' },
      [0, 7, 30, 60],
      2 + 20,
    ],
    [
      'its lists lack an entry for good, and every read finds it',
      { stream: 'live', isHeld: false, tells: { state: 1 }, missing: 'there' },
      [0, 8, 16, 24, 30, 38, 46, 54, 60],
      6 * (2 + 20),
    ],
  ])('%s', async (_, given, seconds, more) => {
    const minute = new Minute(given)
    await minute.pass()
    expect(minute.account.positions.size).toBe(given.isHeld ? 1 : 0)
    const isThere = given.isHeld || given.missing === 'there'
    expect(minute.account.openOrderCount).toBe(isThere ? 1 : 0)
    expect(minute.account.inFlight).toBe(0)
    expect(minute.seconds('frontendOpenOrders')).toEqual(seconds)
    // Nobody lists the TWAPs here: they are read soon after the start, and once that is old.
    expect(minute.seconds('webData2')).toEqual([3, 43])
    expect(minute.weight).toBe(fullWeight + more + 2 * infoWeight({ type: 'webData2' }))
  })
})

test('three builder dexes in use cost at most 1.3 times what the main dex costs alone', async () => {
  const weightWith = async (dexes: readonly string[]): Promise<number> => {
    const seconds = 1_300
    const minute = new Minute({ stream: 'live', isHeld: true, tells: { state: 1 }, dexes, seconds })
    await minute.pass()
    const equity = 10_000 + 500 * dexes.length
    expect(minute.account.positions.size).toBe(1)
    expect(
      Number(minute.account.ifTold({ kind: 'mode', mode: 'disabled', at: millis(0) }).cash?.equity),
    ).toBeCloseTo(equity, -1)
    return minute.weight
  }
  const alone = await weightWith([])
  const withDexes = await weightWith(['xyz', 'para', 'io'])
  expect(withDexes).toBeGreaterThan(alone)
  expect(withDexes / alone).toBeLessThanOrEqual(1.3)
})

describe('where the venue answers no read', () => {
  test.each([10, 30, 59])(
    'for %i s, most of the weight is left when it does again, and that is seen soon',
    async (failsUntil) => {
      const minute = new Minute({ stream: 'down', isHeld: true, failsUntil })
      await minute.pass()
      const lost = minute.asked.filter(({ second }) => second > 0 && second < failsUntil)
      expect(lost.length).toBeGreaterThan(failsUntil / 10)
      expect(lost.reduce((sum, { type }) => sum + infoWeight({ type }), 0)).toBeLessThan(550)
      const found = minute.seconds('clearinghouseState').find((second) => second >= failsUntil)
      expect(found ?? 65).toBeLessThanOrEqual(failsUntil + 6)
    },
  )

  test('an entry asks no more often than that, however many there are', async () => {
    const minute = new Minute({ stream: 'down', isHeld: true, failsUntil: 60, entriesASecond: 5 })
    await minute.pass()
    expect(minute.weight).toBeLessThan(900)
  })
})
