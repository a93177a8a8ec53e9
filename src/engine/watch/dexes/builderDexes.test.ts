import { describe, expect, test } from 'vitest'
import { Account } from '../../../core/account/account.ts'
import { defaultRules } from '../../../core/rules/rules.ts'
import type { BuilderDex } from '../../../core/protocol/decodeDexes.ts'
import type { Market } from '../../../core/protocol/market.ts'
import type {
  AccountMode,
  ClearinghouseState,
  OrderUpdate,
} from '../../../core/protocol/venueState.ts'
import { coin } from '../../../core/values/coin.ts'
import type { Coin } from '../../../core/values/coin.ts'
import { Decimal } from '../../../core/values/decimal.ts'
import { millis } from '../../../core/values/millis.ts'
import { err, ok } from '../../../core/values/result.ts'
import { Alerts } from '../../alerts.ts'
import type { FollowedDex, Urgency, VenueNews } from '../../ports.ts'
import { BuilderDexes } from './builderDexes.ts'

interface DexList {
  readonly dexes: readonly BuilderDex[]
  readonly markets: readonly Market[]
}

const market = (name: string, asset: number, dex?: string): Market => ({
  ...{ asset, coin: coin(name), sizeDecimals: 2, maxLeverage: 10, tiers: [] },
  ...{ isDelisted: false, onlyIsolated: false },
  ...(dex === undefined
    ? {}
    : { builder: { dex, isPaidInUsdc: true, feeScale: Decimal.one, isGrowth: false } }),
})
/** Its parts that know nothing stand for the account's. */
const known = new Account()
const eth = market('ETH', 0)
const tesla = market('xyz:TSLA', 110_000, 'xyz')
const oil = market('abc:OIL', 120_000, 'abc')
const listOf = (...markets: Market[]) => ({
  byAsset: new Map(markets.map((each) => [each.asset, each])),
  byCoin: new Map(markets.map((each) => [each.coin, each])),
})
const both: DexList = {
  dexes: [
    { name: 'xyz', index: 1 },
    { name: 'abc', index: 2 },
  ],
  markets: [tesla, oil],
}
const none: DexList = { dexes: [], markets: [] }

const state = (value: string, time = 1, coins: readonly string[] = []): ClearinghouseState => ({
  ...{ accountValue: Decimal.of(value), crossValue: Decimal.of(value) },
  ...{ withdrawable: Decimal.zero, time: millis(time) },
  positions: coins.map((name) => ({
    ...{ coin: coin(name), size: Decimal.one, entryPrice: Decimal.one, maxLeverage: 10 },
    ...{ positionValue: Decimal.one, unrealisedPnl: Decimal.zero, marginUsed: Decimal.one },
    ...{ leverage: { type: 'isolated', value: 1 } as const, liquidationPrice: null },
  })),
})

/** The layer alone: what it tells the account, what it asks and what it has the stream follow. */
class Layer {
  nowMs = 0
  list: DexList | null = both
  /** The lists that the next questions are answered with, in place of `list`. */
  readonly lies: BuilderDex[][] = []
  readonly perpLies: Market[][] = []
  arePerpsTold = true
  asked = 0
  readonly lanes: Urgency[] = []
  followed: readonly FollowedDex[] | null = null
  onFollow: () => void = () => undefined
  readonly told: VenueNews[] = []
  readonly alerts = new Alerts()
  readonly account = {
    ...{ mode: 'disabled' as AccountMode, stream: 'live' as 'live' | 'down', markets: listOf() },
    coinsWithOrders: () => this.ordered,
    coinsInFlight: () => this.sent,
    ...{ twaps: known.twaps, fills: known.fills, funds: known.funds },
  }
  /** Coins to which something is on its way. */
  sent: readonly Coin[] = []
  /** Coins on which an order rests. */
  ordered: readonly Coin[] = []
  readonly dexes: BuilderDexes
  /** In how many milliseconds there is weight for what Guard itself looks at. */
  roomInMs = 0

  constructor(markets: readonly string[] = ['*']) {
    this.dexes = new BuilderDexes({
      clock: { now: () => millis(this.nowMs), monotonicMs: () => this.nowMs },
      ...{ log: { log: () => undefined }, alerts: this.alerts, account: this.account },
      stream: {
        followDexes: (dexes) => {
          this.followed = dexes
          this.onFollow()
        },
      },
      rulesFor: () => ({ ...defaultRules, markets }),
      reads: {
        dexes: (lane) => {
          this.asked += 1
          this.lanes.push(lane)
          const lie = this.lies.shift()
          if (lie !== undefined) return Promise.resolve(ok(lie))
          return Promise.resolve(this.list === null ? err('lost') : ok(this.list.dexes))
        },
        dexPerps: () => {
          const lie = this.perpLies.shift()
          if (lie !== undefined) return Promise.resolve(ok(lie))
          const isThere = this.list !== null && this.arePerpsTold
          return Promise.resolve(isThere ? ok(this.list?.markets ?? []) : err('lost'))
        },
      },
      budget: { roomInMs: () => this.roomInMs },
      deliver: (news) => {
        this.tell(news)
      },
      isStopped: () => false,
      setAnew: () => undefined,
    })
  }

  tell(news: VenueNews): void {
    this.told.push(...this.dexes.join(news))
  }

  main(value: string, time = 1): void {
    const at = millis(this.nowMs)
    this.tell({ kind: 'state', state: state(value, time), source: 'stream', at })
  }

  states(parts: Record<string, ClearinghouseState | null>, source: 'stream' | 'read' = 'stream') {
    const at = millis(this.nowMs)
    this.tell({ kind: 'dex_states', states: new Map(Object.entries(parts)), source, at })
  }

  markets(): void {
    this.tell({ kind: 'markets', markets: listOf(eth), at: millis(this.nowMs) })
  }

  last(kind: VenueNews['kind']): any {
    return this.told.findLast((each) => each.kind === kind)
  }

  equities(): readonly string[] {
    return this.told.flatMap((each) =>
      each.kind === 'state' ? [`${each.state.accountValue}`] : [],
    )
  }

  /** Waits for the read that is under way, or begins one. */
  async listed(): Promise<void> {
    await this.dexes.refresh('watch')
  }
}

test('without builder dexes everything passes as it is, and one question was asked', async () => {
  const layer = new Layer()
  layer.list = none
  await layer.listed()
  layer.main('5')
  layer.markets()
  expect(layer.told.map(({ kind }) => kind)).toEqual(['state', 'markets'])
  expect(layer.dexes.toRead()).toBeNull()
  expect(layer.followed).toBeNull()
  layer.nowMs = 100_000
  layer.dexes.tick()
  expect(layer.asked).toBe(1)
})

describe('states', () => {
  test('are one: money summed, positions of all, and the earliest time', async () => {
    const layer = new Layer()
    layer.markets()
    await layer.listed()
    layer.states({
      '': state('5', 9, ['ETH']),
      xyz: state('7', 8, ['xyz:TSLA']),
      abc: state('0', 9),
    })
    const { state: joined } = layer.last('state')
    expect(`${joined.accountValue} ${joined.crossValue} ${joined.time}`).toBe('12 5 8')
    expect(joined.positions.map((each: any) => each.coin)).toEqual(['ETH', 'xyz:TSLA'])
    layer.account.mode = 'unifiedAccount'
    layer.states({ '': state('5', 9), xyz: state('7', 9), abc: state('0', 9) })
    expect(`${layer.last('state').state.crossValue}`).toBe('12')
  })

  test('of the main dex alone count until all are told, and what is found then is a flow', async () => {
    const layer = new Layer()
    layer.main('5')
    await layer.listed()
    layer.main('5')
    layer.states({ '': state('5', 2), xyz: state('7', 2), abc: state('0', 2) })
    layer.main('6', 3)
    expect(layer.equities()).toEqual(['5', '5', '12'])
    const { changes } = layer.last('elsewhere')
    expect(changes).toMatchObject([{ id: 'dexes:xyz,abc:2', isFlow: true, at: 2 }])
    expect(`${changes[0].usdc} ${changes[0].foundWorth}`).toBe('7 7')
    expect(layer.told.findIndex(({ kind }) => kind === 'elsewhere')).toBe(2)
    layer.states({ '': state('5', 4), xyz: state('9', 4), abc: state('3', 4) })
    expect(layer.told.filter(({ kind }) => kind === 'elsewhere')).toHaveLength(1)
  })

  test('what is found counts with the unrealised profit of the positions there', async () => {
    const layer = new Layer()
    layer.main('5')
    await layer.listed()
    const { positions, ...held } = state('7', 2, ['xyz:TSLA'])
    const losing = positions.map((each) => ({ ...each, unrealisedPnl: Decimal.of('-3') }))
    layer.states({ '': state('5', 2), xyz: { ...held, positions: losing }, abc: state('1', 2) })
    const [{ usdc, foundWorth }] = layer.last('elsewhere').changes
    expect(`${usdc} ${foundWorth}`).toBe('11 8')
  })

  test('a unified account finds no money there', async () => {
    const layer = new Layer()
    layer.account.mode = 'unifiedAccount'
    layer.main('5')
    await layer.listed()
    layer.states({ '': state('5', 2), xyz: state('7', 2), abc: state('0', 2) })
    expect(layer.last('elsewhere')).toBeUndefined()
  })

  test('after a start that remembers dexes the first one waits for theirs, for three seconds', () => {
    const layer = new Layer()
    layer.dexes.restore(listOf(eth, tesla))
    expect(layer.followed).toEqual([{ name: 'xyz', withPrices: false }])
    layer.main('5')
    layer.nowMs = 2_999
    layer.main('5')
    layer.dexes.tick()
    expect(layer.equities()).toEqual([])
    layer.nowMs = 3_000
    layer.dexes.tick()
    expect(layer.equities()).toEqual(['5'])

    const other = new Layer()
    other.dexes.restore(listOf(eth, tesla))
    other.main('5')
    other.states({ '': state('5', 2), xyz: state('7', 2) })
    other.nowMs = 5_000
    other.dexes.tick()
    expect(other.equities()).toEqual(['12'])
    expect(other.last('elsewhere')).toBeUndefined()
  })

  test('miss money until every dex is told on which there was some, which is no flow then', () => {
    const layer = new Layer()
    layer.dexes.restore(listOf(eth, tesla, oil), ['xyz', 'gone'])
    expect(layer.dexes.touched).toEqual(['xyz'])
    layer.states({ '': state('5', 1), xyz: null, abc: state('0', 1) }, 'read')
    expect(layer.equities()).toEqual(['5'])
    expect(layer.dexes.gap()).toContain('had something on xyz')
    layer.account.mode = 'unifiedAccount'
    expect(layer.dexes.gap()).toBeNull()
    layer.account.mode = 'disabled'
    layer.states({ '': state('5', 2), xyz: state('7', 2), abc: state('0', 2) }, 'read')
    expect(layer.dexes.gap()).toBeNull()
    expect(layer.equities().at(-1)).toBe('12')
    expect(layer.last('elsewhere')).toBeUndefined()
    expect(layer.dexes.touched).toEqual(['xyz'])
  })

  test('keep what opens waiting for a list of the orders on those that are named, used or remembered', () => {
    const layer = new Layer(['*', 'xyz:*'])
    layer.dexes.restore(listOf(eth, tesla, oil), ['abc'])
    layer.dexes.lists.restore(1)
    expect(layer.dexes.unlisted).toEqual(['xyz', 'abc'])
    const at = millis(layer.nowMs)
    for (const dex of ['xyz', 'abc']) {
      layer.tell({ kind: 'orders', orders: [], dex, source: 'read', at })
    }
    expect(layer.dexes.unlisted).toEqual([])

    const other = new Layer(['*'])
    other.dexes.restore(listOf(eth, tesla, oil))
    other.dexes.lists.restore(1)
    expect(other.dexes.unlisted).toEqual([])
    other.states({ '': state('5', 2), xyz: state('7', 2), abc: state('0', 2) })
    expect(other.dexes.unlisted).toEqual(['xyz'])
    // What an order was told of may have others when the next run starts.
    const update = { coin: coin('abc:OIL') } as OrderUpdate
    other.tell({ kind: 'order_updates', updates: [update], at })
    expect(other.dexes.unlisted).toEqual(['xyz', 'abc'])
    expect(other.dexes.touched).toEqual(['xyz', 'abc'])
  })

  test('wait no longer for a dex that the list lacks and of which nothing is told', async () => {
    const layer = new Layer()
    layer.dexes.restore(listOf(eth, tesla, oil), ['xyz'])
    layer.list = { dexes: [{ name: 'abc', index: 2 }], markets: [oil] }
    await layer.listed()
    expect(layer.dexes.gap()).not.toBeNull()
    layer.nowMs += 10_000
    layer.main('5')
    await layer.listed()
    expect(layer.dexes.gap()).toBeNull()
  })

  test('a dex that could not be read stays as it was, and a person is told', async () => {
    const layer = new Layer()
    await layer.listed()
    layer.states({ '': state('5'), xyz: state('7'), abc: state('0') })
    layer.states({ '': state('6'), xyz: null }, 'read')
    expect(layer.equities()).toEqual(['12', '13'])
    expect([layer.dexes.unseen, layer.alerts.list()]).toEqual([[], []])
    layer.nowMs += 6_001
    layer.dexes.tick()
    expect(layer.dexes.unseen).toEqual(['xyz'])
    expect(layer.alerts.list()).toMatchObject([{ code: 'dex_unread' }])
    layer.states({ '': state('6'), xyz: state('8') }, 'read')
    expect(layer.equities().at(-1)).toBe('14')
    expect(layer.alerts.list()).toEqual([])
    layer.states({ xyz: state('8') })
    expect(layer.equities()).toHaveLength(3)
  })

  test('a dex that was not told, or could not be read, is as old as it was', async () => {
    const layer = new Layer()
    const times = () => [layer.last('state').state.dexTimes].flatMap((each) => [...(each ?? [])])
    await layer.listed()
    layer.states({ '': state('5', 100), xyz: state('7', 100), abc: state('0', 100) })
    expect(times()).toEqual([])
    layer.states({ '': state('5', 200), xyz: null, abc: state('0', 210) }, 'read')
    expect(times()).toEqual([['xyz', 100]])
    layer.states({ '': state('5', 300), xyz: state('7', 300) }, 'read')
    expect(times()).toEqual([['abc', 210]])
    layer.states({ '': state('5', 400), xyz: state('7', 400), abc: state('0', 400) })
    expect(times()).toEqual([])
    // What filled while its answer was on its way is not in it.
    layer.states({ '': state('5', 3_000), xyz: state('7', 999), abc: state('0', 1_000) }, 'read')
    expect([times(), layer.last('state').state.time]).toEqual([[['xyz', 999]], 1_000])
  })

  test('of a dex that has vanished is let go of, however late it is told', async () => {
    const layer = new Layer()
    const held = { '': state('5', 1), xyz: state('7', 1, ['xyz:TSLA']), abc: state('0', 1) }
    const positions = () => layer.last('state').state.positions.map((each: any) => each.coin)
    await layer.listed()
    layer.states(held)
    // The stream is down, and a read is on its way while the dex vanishes.
    layer.account.stream = 'down'
    layer.list = { dexes: [{ name: 'abc', index: 2 }], markets: [oil] }
    await layer.listed()
    layer.nowMs += 10_000
    layer.states({ '': state('5', 1) }, 'read')
    await layer.listed()
    layer.states(held, 'read')
    expect(positions()).toEqual([])
    // The last frame of the stream was on its way, too; the list is the same when it is read again.
    layer.states(held)
    expect(positions()).toEqual(['xyz:TSLA'])
    await layer.listed()
    layer.states({ '': state('12', 2), abc: state('0', 2) }, 'read')
    expect(positions()).toEqual([])
    expect(layer.equities().at(-1)).toBe('12')
    // Where no dex is left the main dex tells by itself.
    layer.list = none
    await layer.listed()
    layer.nowMs += 10_000
    layer.states({ '': state('12', 2) }, 'read')
    await layer.listed()
    layer.states(held, 'read')
    layer.main('13', 3)
    expect(layer.equities().at(-1)).toBe('13')
  })

  test('are read where something is held or untold, and in turn while the stream is silent', async () => {
    const layer = new Layer()
    await layer.listed()
    expect(layer.dexes.toRead()).toEqual(['xyz', 'abc'])
    layer.states({ '': state('5'), xyz: state('7'), abc: state('0') })
    expect(layer.dexes.toRead()).toEqual(['xyz'])
    // Nothing is held on abc, and only its own state tells that what was sent there is over.
    layer.sent = [coin('abc:OIL'), coin('ETH')]
    expect(new Set(layer.dexes.toRead())).toEqual(new Set(['xyz', 'abc']))
    expect(layer.dexes.inUse).toEqual(['xyz', 'abc'])
    layer.sent = []
    expect(layer.dexes.toRead()).toEqual(['xyz'])
    layer.account.stream = 'down'
    expect(layer.dexes.toRead()).toEqual(['xyz', 'abc'])
  })
})

describe('more dexes than the stream has room for', () => {
  const names = Array.from({ length: 18 }, (_, at) => `d${String.fromCharCode(97 + at)}`)
  const eighteen: DexList = {
    dexes: names.map((name, at) => ({ name, index: at + 1 })),
    markets: names.map((name, at) => market(`${name}:COIN`, 110_000 + at * 10_000, name)),
  }
  const listed = async (markets: readonly string[] = ['*']): Promise<Layer> => {
    const layer = new Layer(markets)
    layer.list = eighteen
    await layer.listed()
    return layer
  }
  const told = (layer: Layer): readonly string[] =>
    layer.alerts.list().flatMap(({ code, text }) => (code === 'dex_unfollowed' ? text : []))
  const holding = (count: number, from = 0): Record<string, ClearinghouseState> => ({
    '': state('5'),
    ...Object.fromEntries(
      names.map((name, at) => [
        name,
        state('1', 1, at >= from && at < from + count ? [`${name}:COIN`] : []),
      ]),
    ),
  })

  test('those with positions and orders come first, and nothing is told while they fit', async () => {
    const layer = await listed()
    layer.ordered = [coin('dr:COIN')]
    layer.states(holding(1, 16))
    expect(layer.followed?.map(({ name }) => name)).toEqual(['dq', 'dr', ...names.slice(0, 14)])
    expect([told(layer), layer.dexes.doubt]).toEqual([[], null])
    expect(layer.dexes.unfollowed).toEqual(['do', 'dp'])
  })

  test('named ones beyond it are told, and keep nothing else from opening', async () => {
    const layer = await listed(['*', ...names.map((name) => `${name}:*`)])
    expect(told(layer)).toEqual([expect.stringContaining('dq, dr of `markets` are not followed')])
    expect(layer.dexes.doubt).toBe(null)
  })

  test('what is held beyond it is named, and nothing opens until it is gone', async () => {
    const layer = await listed()
    layer.states(holding(17))
    expect(layer.dexes.doubt).toContain('on dq, and Guard follows 16 builder dexes at most')
    expect(told(layer)).toEqual([expect.stringContaining('nothing opens: ')])
    layer.states(holding(16))
    expect([told(layer), layer.dexes.doubt]).toEqual([[], null])
  })

  test('their states are read in turn', async () => {
    const layer = await listed()
    layer.states(holding(18))
    layer.account.stream = 'down'
    expect(layer.dexes.toRead()).toEqual(names.slice(0, 16))
    expect(layer.dexes.toRead()).toEqual([...names.slice(16), ...names.slice(0, 14)])
  })
})

describe('the list', () => {
  test('joins the markets, whichever comes first, and lets go of a dex that is gone', async () => {
    const layer = new Layer()
    await layer.listed()
    expect(layer.last('markets')).toBeUndefined()
    layer.markets()
    expect([...layer.last('markets').markets.byAsset.keys()]).toEqual([0, 110_000, 120_000])
    layer.list = {
      dexes: [{ name: 'abc', index: 1 }],
      markets: [market('abc:OIL', 110_000, 'abc')],
    }
    await layer.listed()
    // The place of xyz is that of abc now: none of its perps has an id that is right.
    expect([...layer.last('markets').markets.byCoin.keys()]).toEqual(['ETH', 'abc:OIL'])
    expect(layer.last('orders')).toBeUndefined()
    layer.states({ '': state('5'), abc: state('0') })
    expect(layer.last('orders')).toMatchObject({ dex: 'xyz', orders: [] })
    expect(layer.last('twaps')).toMatchObject({ dex: 'xyz', twaps: [] })
    layer.list = none
    // The read that is under way since the dex was missing, and another one.
    await layer.listed()
    await layer.listed()
    layer.states({ '': state('5') })
    expect(layer.followed).toBeNull()
    expect([...layer.last('markets').markets.byCoin.keys()]).toEqual(['ETH'])
  })

  test('is asked for where a dex or a perp is told that it lacks, ever later', async () => {
    const layer = new Layer()
    layer.list = none
    await layer.listed()
    layer.list = both
    const update = { coin: coin('xyz:TSLA') } as never
    layer.tell({ kind: 'order_updates', updates: [update], at: millis(0) })
    expect(layer.asked).toBe(2)
    await layer.listed()
    expect(layer.dexes.isKnown('xyz')).toBe(true)
    layer.states({ '': state('5'), xyz: state('7'), abc: state('0'), new: state('0') })
    expect(layer.asked).toBe(3)
    await layer.listed()
    layer.states({ '': state('5'), xyz: state('7'), abc: state('0'), new: state('0') })
    expect(layer.asked).toBe(3)
    layer.nowMs = 2_000
    layer.dexes.tick()
    expect(layer.asked).toBe(4)
  })

  test('is asked for at once where a dex is missing, and as ever where it says that it is there', async () => {
    const layer = new Layer()
    await layer.listed()
    const held = { '': state('5'), xyz: state('7', 1, ['xyz:TSLA']), abc: state('0') }
    layer.states({ ...held, new: state('0') })
    await layer.listed()
    layer.states({ '': state('5'), xyz: state('7', 1, ['xyz:TSLA']) })
    expect(layer.asked).toBe(3)
    await layer.listed()
    layer.states({ '': state('5'), xyz: state('7', 1, ['xyz:TSLA']) })
    layer.nowMs = 1_999
    layer.dexes.tick()
    expect(layer.asked).toBe(3)
    layer.nowMs = 2_000
    layer.dexes.tick()
    expect(layer.asked).toBe(4)
  })

  test('gives perps that are known their new ids, whenever it tells more of them', async () => {
    const layer = new Layer()
    layer.markets()
    await layer.listed()
    layer.arePerpsTold = false
    layer.list = { dexes: [{ name: 'abc', index: 1 }], markets: [] }
    await layer.listed()
    const { byAsset } = layer.last('markets').markets
    expect([...byAsset].map(([asset, each]) => [asset, each.coin])).toEqual([
      [0, 'ETH'],
      [110_000, 'abc:OIL'],
    ])
  })

  const swapped = [
    { name: 'abc', index: 1 },
    { name: 'xyz', index: 2 },
  ]
  const idsOf = (layer: Layer): Record<string, number> =>
    Object.fromEntries(
      [...layer.last('markets').markets.byAsset].map(([asset, each]) => [each.coin, asset]),
    )
  const ids = { ETH: 0, 'xyz:TSLA': 110_000, 'abc:OIL': 120_000 }

  test('that gives known dexes other places is believed if a second one says the same', async () => {
    const layer = new Layer()
    layer.markets()
    await layer.listed()
    layer.lies.push(swapped)
    await layer.listed()
    expect([idsOf(layer), layer.asked]).toEqual([ids, 3])
    expect(layer.last('dex_places')).toBeUndefined()
    layer.lies.push(swapped, [{ name: 'abc', index: 1 }])
    await layer.listed()
    expect(idsOf(layer)).toEqual(ids)
    layer.arePerpsTold = false
    layer.lies.push(swapped, swapped)
    await layer.listed()
    // One that stands behind another it was before was added again: nobody knows its perps.
    expect(idsOf(layer)).toEqual({ ETH: 0, 'abc:OIL': 110_000 })
    // And no perp has confirmed it: nothing opens by these ids.
    expect(layer.last('dex_places').areDoubted).toBe(true)
    layer.arePerpsTold = true
    await layer.listed()
    expect(idsOf(layer)).toEqual(ids)
    expect(layer.last('dex_places').areDoubted).toBe(false)
  })

  test.each<[string, Market[]]>([
    ['other ids', [market('xyz:TSLA', 110_001, 'xyz'), market('xyz:HOOD', 110_000, 'xyz'), oil]],
    ['other lots', [{ ...tesla, sizeDecimals: 0 }, oil]],
    ['no place', [oil]],
  ])('that gives known perps %s is believed if a second one says the same', async (_what, lie) => {
    const layer = new Layer()
    layer.markets()
    await layer.listed()
    layer.perpLies.push(lie)
    await layer.listed()
    expect(idsOf(layer)).toEqual(ids)
    expect(layer.last('markets').markets.byCoin.get('xyz:TSLA').sizeDecimals).toBe(2)
    layer.perpLies.push(lie, lie)
    await layer.listed()
    expect([...layer.last('markets').markets.byAsset.values()]).toEqual([
      ...[eth, ...lie].toSorted((left, right) => left.asset - right.asset),
    ])
  })

  test('that has more perps and dexes than before is believed at once', async () => {
    const layer = new Layer()
    layer.markets()
    await layer.listed()
    const hood = market('xyz:HOOD', 110_001, 'xyz')
    const wheat = market('new:WHEAT', 130_000, 'new')
    layer.list = {
      dexes: [...both.dexes, { name: 'new', index: 3 }],
      markets: [tesla, hood, oil, wheat],
    }
    await layer.listed()
    expect(idsOf(layer)).toEqual({ ...ids, 'xyz:HOOD': 110_001, 'new:WHEAT': 130_000 })
    expect(layer.asked).toBe(2)
  })

  test('is asked for where an order of Guard’s own does not fit its id, and nothing opens meanwhile', async () => {
    const layer = new Layer()
    layer.markets()
    await layer.listed()
    layer.nowMs = 1_000
    layer.dexes.ids.doubt(coin('ETH'))
    expect([layer.asked, layer.last('dex_places')]).toEqual([1, undefined])
    layer.dexes.ids.doubt(coin('xyz:TSLA'))
    expect([layer.asked, layer.last('dex_places').areDoubted]).toEqual([2, true])
    await layer.listed()
    expect(layer.last('dex_places').areDoubted).toBe(false)
    // It may have another reason: the list is not asked for with every order.
    layer.nowMs = 15_999
    layer.dexes.ids.doubt(coin('xyz:TSLA'))
    expect([layer.asked, layer.last('dex_places').areDoubted]).toEqual([2, false])
    layer.nowMs = 16_000
    layer.dexes.ids.doubt(coin('xyz:TSLA'))
    expect([layer.asked, layer.last('dex_places').areDoubted]).toEqual([3, true])
    // Where much depends on it the list is asked for, and what goes out waits for it, a second at most.
    await layer.listed()
    const isAwaited = (): boolean => layer.dexes.ids.isAwaited(coin('xyz:TSLA'))
    expect(isAwaited()).toBe(false)
    layer.nowMs = 20_000
    layer.list = null
    layer.dexes.ids.doubt(coin('xyz:TSLA'), true)
    expect([isAwaited(), layer.dexes.ids.isAwaited(coin('ETH'))]).toEqual([true, false])
    layer.nowMs = 20_999
    expect(isAwaited()).toBe(true)
    layer.nowMs = 21_000
    expect(isAwaited()).toBe(false)
    layer.list = both
    await layer.listed()
    await layer.listed()
    layer.dexes.ids.doubt(coin('xyz:TSLA'), true)
    expect(isAwaited()).toBe(true)
  })

  test('of an earlier run is not trusted before it was read again', async () => {
    const layer = new Layer()
    layer.dexes.restore(listOf(eth, tesla, oil))
    layer.states({ '': state('5'), xyz: state('0'), abc: state('0') })
    expect(layer.last('dex_places').areDoubted).toBe(true)
    expect(layer.dexes.ids.isAwaited(coin('xyz:TSLA'))).toBe(true)
    await layer.listed()
    expect(layer.last('dex_places').areDoubted).toBe(false)
    expect(layer.dexes.ids.isAwaited(coin('xyz:TSLA'))).toBe(false)
  })

  test.each<[string, BuilderDex[], Record<string, number>]>([
    ['moved up', [{ name: 'abc', index: 1 }], { 'abc:OIL': 110_000 }],
    ['stayed where it was', [{ name: 'abc', index: 2 }], { 'abc:OIL': 120_000 }],
    ['was added again', [{ name: 'abc', index: 3 }], {}],
    ['was added again behind another', swapped, { 'abc:OIL': 110_000 }],
  ])(
    'of places tells the ids of a dex that %s, and no ids of one that is another',
    async (...row) => {
      const [, dexes, wanted] = row
      const layer = new Layer()
      layer.markets()
      await layer.listed()
      layer.arePerpsTold = false
      layer.list = { dexes, markets: [] }
      layer.states({
        '': state('5'),
        ...Object.fromEntries(dexes.map(({ name }) => [name, state('0')])),
      })
      await layer.listed()
      await layer.listed()
      expect(idsOf(layer)).toEqual({ ETH: 0, ...wanted })
    },
  )

  test('has the weight that is kept for stops where ids may be wrong, twice a minute at most', async () => {
    const layer = new Layer()
    const left = { '': state('5'), abc: state('7', 1, ['abc:OIL']) }
    await layer.listed()
    layer.states({ ...left, xyz: state('0') })
    layer.list = null
    layer.states(left)
    const passed = async (until: number): Promise<void> => {
      for (; layer.nowMs <= until; layer.nowMs += 250) {
        layer.states(left)
        layer.dexes.tick()
        await Promise.resolve()
      }
    }
    // While there is weight for what Guard looks at, it is asked out of that, however often it fails.
    await passed(30_000)
    expect(layer.asked).toBeGreaterThan(4)
    expect(layer.lanes).not.toContain('safety')
    layer.roomInMs = 5_000
    await passed(150_000)
    // One that fails is tried a second time, and then not before the minute is over.
    expect(layer.lanes.filter((lane) => lane === 'safety')).toHaveLength(4)
    expect(layer.asked).toBeGreaterThan(15)
  })

  test('is doubted from the moment that a dex is missing until it is told', async () => {
    const layer = new Layer()
    await layer.listed()
    const doubts = () =>
      layer.told.flatMap((each) => (each.kind === 'dex_places' ? [each.areDoubted] : []))
    const held = { '': state('5'), xyz: state('0'), abc: state('7') }
    layer.states(held)
    expect(doubts()).toEqual([])
    layer.list = null
    layer.states({ '': state('5'), abc: state('7') })
    await layer.listed()
    layer.states({ '': state('5'), abc: state('7') })
    expect(doubts()).toEqual([true])
    layer.list = { dexes: [{ name: 'abc', index: 1 }], markets: [] }
    await layer.listed()
    expect(doubts()).toEqual([true, false])
  })

  test('that was asked for before a dex was missing does not say that it is there', async () => {
    const layer = new Layer()
    await layer.listed()
    const asked = layer.listed()
    layer.states({ '': state('5'), abc: state('7') })
    await asked
    expect(layer.last('dex_places')).toMatchObject({ areDoubted: true })
  })

  test('has no such weight where nothing is on a builder dex', async () => {
    const layer = new Layer()
    await layer.listed()
    layer.states({ '': state('5'), xyz: state('0'), abc: state('0') })
    layer.states({ '': state('5'), xyz: state('0') })
    expect(layer.lanes).toEqual(['watch', 'watch'])
  })

  test('that fails is asked for again, and what the rules name is told as missing', async () => {
    const layer = new Layer(['*', 'xyz:*', 'gone:COIN'])
    layer.list = null
    await layer.listed()
    expect(layer.alerts.list()[0]?.text).toContain('could not be read yet')
    layer.list = both
    layer.nowMs = 1_000
    layer.dexes.tick()
    await layer.listed()
    expect(layer.alerts.list()).toMatchObject([{ code: 'dex_missing' }])
    expect(layer.alerts.list()[0]?.text).toContain('names gone, and')
    expect(layer.dexes.named).toEqual(['xyz'])
    expect(layer.followed).toEqual([
      { name: 'xyz', withPrices: true },
      { name: 'abc', withPrices: false },
    ])
  })

  test('prices come by the order of the perps, and a settled position is a halt', async () => {
    const layer = new Layer()
    await layer.listed()
    const context = { mark: Decimal.one, oracle: Decimal.one, mid: null }
    layer.tell({ kind: 'dex_prices', dex: 'xyz', contexts: [context], at: millis(1) })
    const pricesOf = () => layer.told.flatMap((each) => (each.kind === 'contexts' ? each : []))
    expect([...(pricesOf()[0]?.contexts.keys() ?? [])]).toEqual(['xyz:TSLA'])
    expect(pricesOf()[0]?.areLastMade).toBeUndefined()
    const toldAlone = new Set([coin('xyz:TSLA')])
    layer.tell({ kind: 'dex_prices', dex: 'xyz', contexts: [context], toldAlone, at: millis(1) })
    expect([...(pricesOf().at(-1)?.contexts.keys() ?? [])]).toEqual(['xyz:TSLA'])
    expect(pricesOf().at(-1)?.areLastMade).toBe(true)
    const fill = { coin: coin('xyz:TSLA'), isSettlement: true } as never
    layer.tell({ kind: 'fills', fills: [fill], isSnapshot: true, at: millis(1) })
    expect(layer.last('halted')).toBeUndefined()
    layer.tell({ kind: 'fills', fills: [fill], isSnapshot: false, at: millis(1) })
    expect(layer.last('halted')).toMatchObject({ coin: 'xyz:TSLA' })
    expect(layer.dexes.inUse).toEqual(['xyz'])
  })
})

describe('a list that lacks what is there', () => {
  const held = { '': state('5', 1), xyz: state('7', 1, ['xyz:TSLA']), abc: state('0', 1) }
  const begun = async (): Promise<Layer> => {
    const layer = new Layer(['*', 'xyz:*'])
    await layer.listed()
    layer.markets()
    layer.states(held)
    return layer
  }
  const coins = (layer: Layer) => [...layer.last('markets').markets.byCoin.keys()]
  const positions = (layer: Layer) =>
    layer.last('state').state.positions.map((each: any) => each.coin)
  const onlyAbc = { dexes: [{ name: 'abc', index: 2 }], markets: [oil] }

  test.each([
    ['all of them', none],
    ['one', onlyAbc],
  ])('of %s takes nothing away while the stream shows it', async (_, list) => {
    const layer = await begun()
    layer.list = list
    for (let times = 1; times <= 5; times += 1) {
      await layer.listed()
      layer.states({ ...held, '': state('6', 1 + times), xyz: state('7', times, ['xyz:TSLA']) })
      expect(positions(layer)).toEqual(['xyz:TSLA'])
      expect(layer.equities().at(-1)).toBe('13')
      expect(coins(layer)).toEqual(['ETH', 'xyz:TSLA', 'abc:OIL'])
      expect(layer.last('dex_places')).toMatchObject({ areDoubted: true })
      layer.nowMs += 9_000
    }
    // The venue ends a connection that asks for a dex which it does not have.
    expect(layer.followed?.map(({ name }) => name)).not.toContain('xyz')
    expect([layer.dexes.isListed('xyz'), layer.dexes.isGone('xyz')]).toEqual([false, false])
    expect(layer.dexes.unfollowed).toContain('xyz')
    expect(layer.alerts.list()).toMatchObject([{ code: 'dex_missing' }])
    layer.list = both
    await layer.listed()
    expect(layer.followed?.map(({ name }) => name)).toContain('xyz')
    expect(layer.last('dex_places')).toMatchObject({ areDoubted: false })
    expect([layer.dexes.isListed('xyz'), layer.alerts.list()]).toEqual([true, []])
  })

  test('is asked for again soon, and later once a minute', async () => {
    const layer = await begun()
    layer.list = none
    await layer.listed()
    const asked: number[] = []
    for (let second = 1; second <= 600; second += 1) {
      layer.nowMs += 1_000
      const before = layer.asked
      layer.dexes.tick()
      if (layer.asked > before) asked.push(second)
      await new Promise(setImmediate)
      layer.states({ ...held, '': state('5', second) })
    }
    expect(layer.dexes.isGone('xyz')).toBe(false)
    const from = (start: number, end: number) =>
      asked.filter((each) => each >= start && each < end).length
    expect(from(0, 15)).toBeGreaterThanOrEqual(3)
    expect(from(0, 120)).toBeLessThanOrEqual(20)
    expect(from(300, 600)).toBeGreaterThanOrEqual(4)
    expect(from(300, 600)).toBeLessThanOrEqual(6)
  })

  test('is believed once the stream lacks it too, whichever comes first', async () => {
    const first = await begun()
    first.list = onlyAbc
    await first.listed()
    first.states({ '': state('5', 2), abc: state('0', 2) })
    expect([first.dexes.isGone('xyz'), coins(first)]).toEqual([true, ['ETH', 'abc:OIL']])
    const second = await begun()
    second.list = onlyAbc
    second.states({ '': state('5', 2), abc: state('0', 2) })
    await second.listed()
    expect([second.dexes.isGone('xyz'), coins(second)]).toEqual([true, ['ETH', 'abc:OIL']])
  })

  test('is believed after ten seconds in which nothing told of it, and not while a read does', async () => {
    const layer = await begun()
    layer.account.stream = 'down'
    layer.list = onlyAbc
    await layer.listed()
    layer.nowMs += 8_000
    layer.states({ '': state('5', 2), xyz: state('7', 2, ['xyz:TSLA']) }, 'read')
    layer.nowMs += 8_000
    await layer.listed()
    expect([layer.dexes.isGone('xyz'), positions(layer)]).toEqual([false, ['xyz:TSLA']])
    layer.nowMs += 2_000
    layer.states({ '': state('5', 3), xyz: null }, 'read')
    await layer.listed()
    expect(layer.dexes.isGone('xyz')).toBe(true)
    layer.states({ '': state('5', 4) }, 'read')
    expect(positions(layer)).toEqual([])
  })

  test('is not believed for an outage of everything, nor by what an earlier connection told', async () => {
    const layer = await begun()
    layer.tell({ kind: 'stream', state: 'down', at: millis(0) })
    layer.list = onlyAbc
    await layer.listed()
    await layer.listed()
    layer.nowMs += 60_000
    await layer.listed()
    expect(layer.dexes.isGone('xyz')).toBe(false)
    // A dex that was listed again since the last frame, which lacks it.
    const again = await begun()
    again.list = onlyAbc
    await again.listed()
    again.states({ '': state('5', 2), abc: state('0', 2) })
    again.list = both
    await again.listed()
    await again.listed()
    again.tell({ kind: 'stream', state: 'down', at: millis(0) })
    again.list = onlyAbc
    await again.listed()
    await again.listed()
    expect(again.dexes.isGone('xyz')).toBe(false)
  })

  test('is not confirmed by what the stream told before the dex was listed', async () => {
    const layer = await begun()
    layer.list = onlyAbc
    await layer.listed()
    layer.states({ '': state('5', 2), abc: state('0', 2) })
    expect(layer.dexes.isGone('xyz')).toBe(true)
    for (const list of [both, onlyAbc]) {
      layer.list = list
      await layer.listed()
      await layer.listed()
      expect(layer.dexes.isGone('xyz')).toBe(false)
    }
  })

  test('and is agreed with lets go of the coins that were followed there', async () => {
    const layer = await begun()
    let times = 0
    layer.list = onlyAbc
    await layer.listed()
    layer.onFollow = () => (times += 1)
    layer.states({ '': state('5', 2), abc: state('0', 2) })
    expect([layer.dexes.isGone('xyz'), times]).toEqual([true, 1])
  })

  test('of none leaves the main dex told, whatever a late frame shows', async () => {
    const layer = await begun()
    layer.list = none
    await layer.listed()
    layer.states({ '': state('5', 2) })
    layer.states(held)
    await layer.listed()
    layer.main('8', 9)
    expect([layer.equities().at(-1), positions(layer)]).toEqual(['8', []])
  })

  test('and has its place for another leaves its position, and none of its ids', async () => {
    const layer = await begun()
    layer.list = {
      dexes: [{ name: 'abc', index: 1 }],
      markets: [market('abc:OIL', 110_000, 'abc')],
    }
    await layer.listed()
    layer.states(held)
    expect(positions(layer)).toEqual(['xyz:TSLA'])
    expect(layer.last('markets').markets.byAsset.get(110_000)?.coin).toBe('abc:OIL')
    expect(coins(layer)).toEqual(['ETH', 'abc:OIL'])
  })
})

describe('a dex whose state stands still while those of others go on', () => {
  const begun = async (): Promise<Layer> => {
    const layer = new Layer()
    layer.markets()
    await layer.listed()
    layer.states({ '': state('5', 1), xyz: state('7', 1), abc: state('0', 1) })
    return layer
  }
  /** So many seconds of frames, one a second. */
  const pass = (layer: Layer, secs: number, xyz: () => ClearinghouseState, abc?: number): void => {
    for (let n = 0; n < secs; n += 1) {
      layer.nowMs += 1_000
      const time = 1 + layer.nowMs
      layer.states({ '': state('5', time), xyz: xyz(), abc: state('0', abc ?? time) })
    }
  }

  test('is read before it is too old, again and again, and is unseen where that fails', async () => {
    const layer = await begun()
    pass(layer, 4, () => state('7', 1))
    expect(layer.dexes.isReadDue).toBe(false)
    pass(layer, 1, () => state('7', 1))
    expect([layer.dexes.isReadDue, layer.dexes.unseen]).toEqual([true, []])
    expect(layer.dexes.toRead()).toContain('xyz')
    const fails = (): void => {
      layer.states({ '': state('5', layer.nowMs + 1), xyz: null }, 'read')
    }
    fails()
    expect(layer.dexes.isReadDue).toBe(false)
    pass(layer, 2, () => state('7', 1))
    expect([layer.dexes.isReadDue, layer.dexes.unseen]).toEqual([true, ['xyz']])
    expect(layer.alerts.list()).toMatchObject([{ code: 'dex_unread' }])
    expect(layer.alerts.list()[0]?.text).toContain('xyz')
    layer.states({ '': state('5', 9_000), xyz: state('7', 9_000, ['xyz:TSLA']) }, 'read')
    expect([layer.dexes.unseen, layer.alerts.list()]).toEqual([[], []])
    // What the stream repeats is older, and takes nothing away.
    pass(layer, 1, () => state('7', 1))
    expect(layer.last('state').state.positions).toHaveLength(1)
    pass(layer, 1, () => state('7', 1 + layer.nowMs))
    expect(layer.last('state').state.positions).toEqual([])
  })

  test('where no quiet dex was ever told with a new time, a quiet one is read beside others', async () => {
    const layer = await begun()
    pass(layer, 60, () => state('7', 1), 1)
    expect([layer.dexes.isReadDue, layer.dexes.unseen]).toEqual([false, []])
    expect(layer.dexes.toRead()).toEqual(['xyz', 'abc'])
    // One that is held is no quiet one, and neither is one whose read has failed.
    layer.states({ '': state('5', 70_000), xyz: state('7', 70_000, ['xyz:TSLA']) })
    pass(layer, 10, () => state('7', 70_000, ['xyz:TSLA']), 1)
    expect([layer.dexes.isReadDue, layer.dexes.unseen]).toEqual([true, ['xyz']])
    layer.states({ '': state('5', 80_000), abc: null }, 'read')
    expect(layer.dexes.unseen).toContain('abc')
  })

  test('and one to which orders went is no quiet one that was told', async () => {
    const layer = await begun()
    const fill = { coin: coin('xyz:TSLA'), isSettlement: false } as never
    layer.tell({ kind: 'fills', fills: [fill], isSnapshot: false, at: millis(1) })
    expect(layer.dexes.inUse).toEqual(['xyz'])
    pass(layer, 20, () => state('0', 1 + layer.nowMs), 1)
    expect([layer.dexes.isReadDue, layer.dexes.unseen]).toEqual([false, []])
  })

  test('is forgotten when the dex is gone', async () => {
    const layer = await begun()
    pass(layer, 10, () => state('7', 1))
    expect(layer.dexes.unseen).toEqual(['xyz'])
    layer.list = { dexes: [{ name: 'abc', index: 2 }], markets: [oil] }
    await layer.listed()
    layer.nowMs += 10_000
    layer.main('5')
    await layer.listed()
    layer.dexes.tick()
    expect([layer.dexes.unseen, layer.alerts.list()]).toEqual([[], []])
  })
})
