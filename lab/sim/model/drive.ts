import type { Address } from '../../../src/core/values/address.ts'
import { coin } from '../../../src/core/values/coin.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import { defaultOptions } from '../engine/options.ts'
import type { VenueOptions } from '../engine/options.ts'
import { Venue } from '../engine/venue.ts'
import type { OrderView } from '../engine/views.ts'
import { Dice } from './dice.ts'
import { difference } from './difference.ts'
import { accountsOf, builder, configOf, markets, startMs, tsla } from './driveWorld.ts'
import { users, vaultUser } from './driveWorld.ts'
import { accountTold, fillTold, orderTold } from './engineViews.ts'
import { Exact } from './exact.ts'
import { withIds } from './ids.ts'
import { accountSaid, fillSaid, orderSaid } from './modelViews.ts'
import { ModelVenue } from './modelVenue.ts'
import type { ModelMarketSpec } from './modelVenue.ts'
import { readings, rulesOf } from './readings.ts'
import { nextStep } from './steps.ts'
import type { Step, StepSource } from './steps.ts'
import { TwapLink } from './twapLink.ts'
import { twapStep } from './twapSteps.ts'
import { twapsSaid, twapsTold } from './twapViews.ts'
import { vaultStep } from './vaultSteps.ts'

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
  private readonly twaps = new TwapLink()
  private readonly users: readonly Address[]
  /** Of its own, so that the other steps of a seed are the same with TWAPs and a vault and without. */
  private readonly moreDice: Dice | null

  constructor(seed: number, readings: VenueOptions, hasMore = false) {
    this.moreDice = hasMore ? new Dice(seed ^ 0x7a9) : null
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
    this.users = hasMore ? [...users, vaultUser] : users
    this.venue = new Venue(configOf(seed, options, this.users, hasDex))
    for (const user of users) {
      this.venue.apply(user, { type: 'approveBuilderFee', builder, maxFeeRate: '0.01%' })
    }
    this.venue.onEvent((events) => {
      for (const event of events) if (event.kind === 'order') this.touched.add(event.order.oid)
    })
    const { postOnlyPeriod } = options
    this.model = new ModelVenue(
      rulesOf(options),
      startMs,
      this.markets,
      accountsOf(this.users, hasDex),
      postOnlyPeriod,
    )
    const { state } = this.model
    state.drawn = (twap) => this.twaps.drawn(this.venue, twap, state.now)
  }

  /** Takes a step in both, a random one unless it is given; what parts them, or null. */
  step(given?: Step): { readonly step: Step; readonly found: string | null } {
    const step = given ?? this.nextOfMore() ?? nextStep(this.source(this.dice))
    this.touched.clear()
    return { step, found: this.take(step) ?? this.compare() }
  }

  /** Two in five are about TWAPs or a vault, in a run that has them. */
  private nextOfMore(): Step | null {
    const { moreDice: dice, model, twaps } = this
    if (dice === null || this.planned.length > 0) return null
    const roll = dice.below(15)
    if (roll < 5) return twapStep({ dice, state: model.state, users, twapIdOf: twaps.twapIdOf })
    return roll === 5 ? vaultStep({ ...this.source(dice), vault: vaultUser }) : null
  }

  private source(dice: Dice): StepSource {
    return {
      ...{ dice, state: this.model.state, users, builder, planned: this.planned },
      ...{ hasOracles: this.hasOracles, hasDex: this.markets.includes(tsla), isWild: this.isWild },
      centres: this.markets.map(({ mid }) => Exact.of(mid)),
      oidOf: (id) => this.oids[id - 1] ?? -1,
    }
  }

  private get dexes(): string[] {
    return [...new Set(this.markets.map(({ dex = '' }) => dex))]
  }

  /** All that the engine has to say after a step, as text. */
  told(): string {
    const { venue, markets } = this
    const accounts = this.users.map((user) => [
      accountTold(venue, user, markets),
      this.openOf(user).map((order) => orderTold(order, this.idOf)),
      venue.fills(user).length,
      venue.fills(user).at(0)?.price,
      twapsTold(venue, user, this.dexes, this.twaps.idOf),
    ])
    const touched = [...this.touched].map((oid) =>
      this.users.map((user) => venue.orderStatus(user, oid)),
    )
    return JSON.stringify([this.answer, accounts, touched])
  }

  private openOf(user: Address): OrderView[] {
    const open = [...this.venue.openOrders(user), ...this.venue.openOrders(user, 'xyz')]
    return open.sort((one, two) => one.oid - two.oid)
  }

  private readonly idOf = (oid: number): number => this.idOfOid.get(oid) ?? -1

  private take(step: Step): string | null {
    const { venue, model } = this
    switch (step.kind) {
      case 'action': {
        const told = venue.apply(step.who, step.action)
        this.twaps.learn(told)
        const said = model.apply(step.who, this.twaps.inModel(step.action), this.idOf)
        this.learnOids()
        this.answer = withIds(withIds(told, this.idOf), this.twaps.idOf, 'twapId')
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
      case 'withdraw': {
        const done = venue.flow(step.who, Decimal.of(`-${step.amount}`))
        const isDone = model.withdraw(step.who, step.amount)
        this.learnOids()
        return difference(isDone, done.ok, 'withdrawn')
      }
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
    for (const user of this.users) {
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
        ) ??
        difference(
          twapsSaid(state, account, this.dexes),
          twapsTold(venue, user, this.dexes, this.twaps.idOf),
          `${user.slice(0, 4)} twaps`,
        )
      if (found !== null) return found
    }
    return this.compareStories()
  }

  private compareFills(user: Address): string | null {
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
      const rows = this.venue.historicalOrders(who as Address)
      const statuses = rows.filter((row) => row.order.oid === oid).map(({ status }) => status)
      const told = statuses.reverse().filter((status, index) => status !== statuses[index - 1])
      const now = this.venue.orderStatus(who as Address, oid)
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

/** So many steps of one seed. */
export function driveSeed(seed: number, steps: number, options = anyReadings(seed)): RunResult {
  const drive = new Drive(seed, options, true)
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
  for (const { status } of drive.model.state.accounts.flatMap(({ twapRows }) => twapRows)) {
    statuses.set(`twap ${status}`, (statuses.get(`twap ${status}`) ?? 0) + 1)
  }
  const fills = drive.model.state.accounts.reduce((sum, { fills, sliceFills }) => {
    return sum + fills.length + sliceFills.length
  }, 0)
  return { steps: taken, fills, statuses, found }
}
