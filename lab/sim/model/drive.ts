import { address } from '../../../src/core/values/address.ts'
import { coin } from '../../../src/core/values/coin.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { defaultOptions } from '../engine/options.ts'
import type { VenueOptions } from '../engine/options.ts'
import { Venue } from '../engine/venue.ts'
import type { OrderView } from '../engine/views.ts'
import type { DexSpec, VenueConfig } from '../engine/venueConfig.ts'
import { Dice } from './dice.ts'
import { difference } from './difference.ts'
import { accountTold, fillTold, orderTold } from './engineViews.ts'
import { Exact } from './exact.ts'
import { withIds } from './ids.ts'
import { accountSaid, fillSaid, orderSaid } from './modelViews.ts'
import { ModelVenue } from './modelVenue.ts'
import type { ModelMarketSpec } from './modelVenue.ts'
import { readings, rulesOf } from './readings.ts'
import { nextStep } from './steps.ts'
import type { Step } from './steps.ts'

const startMs = Date.UTC(2026, 8, 7, 12, 5)
const users = ['a1', 'b0', 'ca', 'd4'].map((byte) => address(`0x${byte.repeat(20)}`))
const builder = address(`0x${'bb'.repeat(20)}`)
const equities = ['20000', '5000', '1500', '4000']
const [, freshUser, , unifiedUser] = users

/** Bounds low enough to be met, one market that is isolated only and one that is halted. */
const markets: readonly ModelMarketSpec[] = [
  {
    coin: 'ETH',
    sizeDecimals: 4,
    maxLeverage: 25,
    mid: '2000',
    tiers: [
      ['0', 25],
      ['9000', 3],
    ],
  },
  { coin: 'HYPE', sizeDecimals: 2, maxLeverage: 10, mid: '41.873', tiers: [['0', 10]] },
  {
    coin: 'CANTO',
    sizeDecimals: 0,
    maxLeverage: 3,
    mid: '0.01934',
    tiers: [['0', 3]],
    onlyIsolated: true,
  },
  {
    coin: 'OLD',
    sizeDecimals: 1,
    maxLeverage: 5,
    mid: '0.37621',
    tiers: [['0', 5]],
    isDelisted: true,
  },
]

const tsla: ModelMarketSpec = {
  ...{ asset: 110_000, coin: 'xyz:TSLA', dex: 'xyz', sizeDecimals: 3, maxLeverage: 20, mid: '400' },
  tiers: [['0', 20]],
  // Half as much again for the builder, and a tenth of it all while the market is young.
  ...{ feeFactor: '0.15', volumeFactor: '0.1', cap: '200000000' },
}
const onDex = { dex: 'xyz', amount: '3000' }

interface StartLeverage {
  readonly coin: string
  readonly type: 'cross' | 'isolated'
  readonly value: number
}

/** One account has never set anything; the others begin where calm prices liquidate nobody. */
function startLeverage(user: string): StartLeverage[] {
  if (user === freshUser) return []
  return markets.map(({ coin: name, onlyIsolated, maxLeverage }) => ({
    coin: name,
    type: onlyIsolated === true ? 'isolated' : 'cross',
    value: Math.min(5, maxLeverage),
  }))
}

/** How a run ended: the steps it took, and the first difference with what led to it. */
interface RunResult {
  readonly steps: number
  readonly fills: number
  readonly statuses: ReadonlyMap<string, number>
  readonly found: string | null
}

/** The readings of a run: any of each option. */
export function anyReadings(seed: number): VenueOptions {
  const dice = new Dice(seed ^ 0x5eed)
  const chosen = Object.entries(readings).map(([name, values]) => [
    name,
    dice.pick(values as readonly unknown[]),
  ])
  return { ...defaultOptions, ...(Object.fromEntries(chosen) as VenueOptions) }
}

/** Drives the engine and the model with the same random steps until they part. */
export class Drive {
  readonly venue: Venue
  readonly model: ModelVenue
  private readonly idOfOid = new Map<number, number>()
  private readonly oids: number[] = []
  private readonly touched = new Set<number>()
  private readonly seenFills = new Map<string, number>()
  private readonly dice: Dice
  private answer: unknown = null
  private readonly hasOracles: boolean
  private readonly isWild: boolean
  private readonly planned: Step[] = []
  private readonly options: VenueOptions
  private readonly markets: readonly ModelMarketSpec[]

  constructor(seed: number, readings: VenueOptions) {
    const options = { ...readings }
    this.options = options
    this.dice = new Dice(seed)
    this.hasOracles = this.dice.oneIn(2)
    this.isWild = this.dice.oneIn(2)
    const hasDex = this.dice.oneIn(2)
    this.markets = hasDex ? [...markets, tsla] : markets
    // Before a price was set there, the builder of a market follows its book.
    const { mid } = tsla
    if (hasDex) this.planned.push({ kind: 'price', asset: 110_000, mid, mark: mid, oracle: mid })
    this.venue = new Venue(configOf(seed, options, hasDex))
    for (const user of users) {
      this.venue.apply(user, { type: 'approveBuilderFee', builder, maxFeeRate: '0.01%' })
    }
    this.venue.onEvent((events) => {
      for (const event of events) if (event.kind === 'order') this.touched.add(event.order.oid)
    })
    const accounts = users.map((user, index) => ({
      address: user,
      equity: equities[index] ?? '0',
      onDex: hasDex && user !== unifiedUser ? onDex : { ...onDex, amount: '0' },
      isUnified: user === freshUser ? null : user === unifiedUser,
      builders: new Map([[builder, 10]]),
      leverage: new Map(
        startLeverage(user).map(({ coin: name, type, value }) => {
          return [name, { isCross: type === 'cross', value }]
        }),
      ),
    }))
    const { postOnlyPeriod } = options
    this.model = new ModelVenue(rulesOf(options), startMs, this.markets, accounts, postOnlyPeriod)
  }

  /** Takes a step in both, a random one unless it is given; what parts them, or null. */
  step(given?: Step): { readonly step: Step; readonly found: string | null } {
    const step =
      given ??
      nextStep({
        dice: this.dice,
        state: this.model.state,
        users,
        builder,
        centres: this.markets.map(({ mid }) => Exact.of(mid)),
        hasOracles: this.hasOracles,
        hasDex: this.markets.includes(tsla),
        isWild: this.isWild,
        planned: this.planned,
        oidOf: (id) => this.oids[id - 1] ?? -1,
      })
    this.touched.clear()
    return { step, found: this.take(step) ?? this.compare() }
  }

  /** All that the engine has to say after a step, as text. */
  told(): string {
    const { venue, markets } = this
    const accounts = users.map((user) => [
      accountTold(venue, user, markets),
      this.openOf(user).map((order) => orderTold(order, this.idOf)),
      venue.fills(user).length,
      venue.fills(user).at(0)?.price,
    ])
    const touched = [...this.touched].map((oid) =>
      users.map((user) => venue.orderStatus(user, oid)),
    )
    return JSON.stringify([this.answer, accounts, touched])
  }

  private openOf(user: (typeof users)[number]): OrderView[] {
    const open = [...this.venue.openOrders(user), ...this.venue.openOrders(user, 'xyz')]
    return open.sort((one, two) => one.oid - two.oid)
  }

  private readonly idOf = (oid: number): number => this.idOfOid.get(oid) ?? -1

  private take(step: Step): string | null {
    const { venue, model } = this
    switch (step.kind) {
      case 'action': {
        const told = venue.apply(step.who, step.action)
        const said = model.apply(step.who, step.action, this.idOf)
        this.learnOids()
        this.answer = withIds(told, this.idOf)
        return difference(said, this.answer, 'answer')
      }
      case 'price': {
        const { asset, mid, mark, oracle } = step
        const name = coin(model.market(asset).coin)
        const done = venue.setPrice(name, {
          mid: Decimal.of(mid),
          mark: Decimal.of(mark),
          oracle: Decimal.of(oracle),
        })
        model.move(asset, mid, mark, oracle)
        this.learnOids()
        return done.ok ? null : done.error
      }
      case 'wait':
        venue.advanceTo(venue.nowMs + step.ms)
        model.wait(model.state.now + step.ms)
        this.learnOids()
        return null
      case 'builder': {
        const { asset, change } = step
        const { cap, ...rest } = change
        const capped = cap === undefined ? rest : { ...rest, cap: Decimal.of(cap) }
        venue.changeDex('xyz', coin(model.market(asset).coin), capped)
        model.build(asset, change)
        this.learnOids()
        return null
      }
      case 'upgrade':
        Object.assign(this.options, { postOnlyPeriod: step.isPostOnly })
        venue.followOptions()
        model.upgrade(step.isPostOnly)
        this.learnOids()
        return null
      case 'deposit':
        venue.flow(step.who, Decimal.of(step.amount))
        model.deposit(step.who, step.amount)
        return null
    }
  }

  /** Orders get numbers in the order in which they are made, in both. */
  private learnOids(): void {
    const fresh = [...this.touched].filter((oid) => !this.idOfOid.has(oid))
    for (const oid of fresh.sort((one, two) => one - two)) {
      this.oids.push(oid)
      this.idOfOid.set(oid, this.oids.length)
    }
  }

  private compare(): string | null {
    const { venue, model } = this
    const { state } = model
    if (this.oids.length !== state.orders.length) {
      return `orders made: the model ${state.orders.length}, the engine ${this.oids.length}`
    }
    for (const user of users) {
      const account = model.account(user)
      const own = state.open.filter(({ owner }) => owner === account)
      const open = this.openOf(user)
      const found =
        difference(
          own.sort((one, two) => one.id - two.id).map((order) => orderSaid(state, order)),
          open.map((order) => orderTold(order, this.idOf)),
          `${user.slice(0, 4)} open`,
        ) ??
        this.compareFills(user) ??
        difference(
          accountSaid(state, account),
          accountTold(venue, user, this.markets),
          `${user.slice(0, 4)} account`,
        )
      if (found !== null) return found
    }
    return this.compareStories()
  }

  private compareFills(user: (typeof users)[number]): string | null {
    const before = this.seenFills.get(user) ?? 0
    const said = this.model.account(user).fills
    this.seenFills.set(user, said.length)
    const told = this.venue
      .fills(user)
      .slice(0, Math.max(said.length - before, 1))
      .reverse()
    return difference(
      said.slice(-Math.max(said.length - before, 1)).map(fillSaid),
      told.map((fill) => fillTold(fill, this.idOf)),
      `${user.slice(0, 4)} fills`,
    )
  }

  /** The statuses each order of this step went through, and what is left of it. */
  private compareStories(): string | null {
    for (const oid of this.touched) {
      const order = this.model.state.orders[this.idOf(oid) - 1]
      if (order === undefined) return `an order that the model does not have: ${oid}`
      const { address: who } = order.owner
      const rows = this.venue.historicalOrders(who as (typeof users)[number])
      const statuses = rows.filter((row) => row.order.oid === oid).map(({ status }) => status)
      const told = statuses.reverse().filter((status, index) => status !== statuses[index - 1])
      const now = this.venue.orderStatus(who as (typeof users)[number], oid)
      const found =
        difference(order.story, told, `order ${order.id} story`) ??
        difference(
          { status: order.where === 'gone' ? order.story.at(-1) : 'open', left: order.left },
          { status: now?.status, left: now?.order.size },
          `order ${order.id}`,
        )
      if (found !== null) return found
    }
    return null
  }
}

function configOf(seed: number, options: VenueOptions, hasDex: boolean): VenueConfig {
  return {
    seed,
    startMs,
    frozen: true,
    scenario: 'calm',
    markets: markets.map((market) => ({
      ...market,
      coin: coin(market.coin),
      mid: Decimal.of(market.mid),
      tiers: market.tiers.map(([from, maxLeverage]) => ({
        lowerBound: Decimal.of(from),
        maxLeverage,
      })),
    })),
    accounts: users.map((user, index) => ({
      address: user,
      equity: Decimal.of(equities[index] ?? '0'),
      ...(user === freshUser ? {} : { mode: user === unifiedUser ? 'unifiedAccount' : 'disabled' }),
      leverage: new Map(startLeverage(user).map((each) => [coin(each.coin), each])),
      ...(hasDex && user !== unifiedUser
        ? { dexEquity: new Map([[onDex.dex, Decimal.of(onDex.amount)]]) }
        : {}),
    })),
    dexes: hasDex ? [dexOf(tsla)] : [],
    options,
  }
}

function dexOf(market: ModelMarketSpec): DexSpec {
  const { coin: name, sizeDecimals, maxLeverage, mid, cap = '' } = market
  return {
    name: onDex.dex,
    markets: [
      {
        ...{ coin: coin(name), sizeDecimals, maxLeverage, mid: Decimal.of(mid) },
        ...{ hasGrowthMode: true, feeScale: Decimal.of('0.5'), cap: Decimal.of(cap) },
      },
    ],
  }
}

/** So many steps of one seed. */
export function driveSeed(seed: number, steps: number, options = anyReadings(seed)): RunResult {
  const drive = new Drive(seed, options)
  const last: Step[] = []
  let taken = 0
  let found: string | null = null
  while (taken < steps && found === null) {
    const result = drive.step()
    taken += 1
    last.push(result.step)
    if (last.length > 6) last.shift()
    if (result.found === null) continue
    const story = last.map((step) => JSON.stringify(step)).join('\n  ')
    found = `seed ${seed}, step ${taken}: ${result.found}\n  ${story}`
  }
  const statuses = new Map<string, number>()
  for (const { story } of drive.model.state.orders) {
    for (const status of story) statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  const fills = drive.model.state.accounts.reduce((sum, each) => sum + each.fills.length, 0)
  return { steps: taken, fills, statuses, found }
}
