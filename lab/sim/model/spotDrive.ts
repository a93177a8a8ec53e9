import { address } from '../../../src/core/values/address.ts'
import type { Address } from '../../../src/core/values/address.ts'
import { coin } from '../../../src/core/values/coin.ts'
import { Decimal } from '../../../src/core/values/decimal.ts'
import type { Order, OrderType, Tif } from '../../../src/core/protocol/action.ts'
import { defaultMarkets } from '../defaultMarkets.ts'
import { defaultOptions } from '../engine/options.ts'
import type { VenueOptions } from '../engine/options.ts'
import { Venue } from '../engine/venue.ts'
import { Dice } from './dice.ts'
import { difference, Rounded } from './difference.ts'
import { Exact } from './exact.ts'
import { nextPrice } from './grid.ts'
import { withIds } from './ids.ts'
import { SpotModel } from './spotModel.ts'
import type { SpotModelAccount } from './spotModel.ts'

/** Every reading of each option about orders on spot pairs, its usual one first. */
export const spotReadings = {
  spot_triggers: ['refuse', 'accept'],
  spot_hold_fee: [false, true],
  spot_reduce_only: ['refuse', 'ignore'],
  spot_balance_text: ['short', 'long'],
} as const satisfies { readonly [Name in keyof VenueOptions]?: readonly VenueOptions[Name][] }

export type SpotOption = keyof typeof spotReadings

const pair = { asset: 10_001, name: '@1', price: '30', now: Date.UTC(2026, 8, 7, 12, 5) }
const users = ['a1', 'b0'].map((byte) => address(`0x${byte.repeat(20)}`))

export function anySpotReadings(seed: number): VenueOptions {
  const dice = new Dice(seed ^ 0x5b07)
  return {
    ...defaultOptions,
    spot_triggers: dice.pick(spotReadings.spot_triggers),
    spot_hold_fee: dice.pick(spotReadings.spot_hold_fee),
    spot_reduce_only: dice.pick(spotReadings.spot_reduce_only),
    spot_balance_text: dice.pick(spotReadings.spot_balance_text),
  }
}

/** Drives the engine and the model of a spot pair with the same random steps. */
export class SpotDrive {
  private readonly dice: Dice
  private readonly venue: Venue
  private readonly model: SpotModel
  private readonly idOfOid = new Map<number, number>()
  private answer: unknown = null

  constructor(seed: number, options: VenueOptions) {
    this.dice = new Dice(seed)
    const spot = [
      { token: 'USDC', total: Decimal.of('900') },
      { token: 'HYPE', total: Decimal.of('30') },
    ]
    const accounts = users.map((user) => ({ address: user, equity: Decimal.one, spot }))
    const world = { seed, startMs: pair.now, frozen: true, scenario: 'calm' } as const
    this.venue = new Venue({ ...world, markets: defaultMarkets, accounts, options })
    this.venue.onEvent((events) => {
      const fresh = events.flatMap((event) => (event.kind === 'order' ? [event.order.oid] : []))
      for (const oid of fresh.sort((one, two) => one - two)) {
        if (!this.idOfOid.has(oid)) this.idOfOid.set(oid, this.idOfOid.size + 1)
      }
    })
    const rules = {
      takesTriggers: options.spot_triggers === 'accept',
      holdsFee: options.spot_hold_fee,
      ignoresReduceOnly: options.spot_reduce_only === 'ignore',
      balanceWords: options.spot_balance_text,
    }
    const [base, quote] = [Exact.of(30), Exact.of(900)]
    const owners = users.map((user) => ({ address: user, base, quote, fills: [] }))
    this.model = new SpotModel(rules, pair, owners)
  }

  private readonly idOf = (oid: number): number => this.idOfOid.get(oid) ?? -1

  /** Takes one step in both; what parts them, or null. */
  step(): string | null {
    const { dice, venue, model } = this
    const roll = dice.below(100)
    const place = dice.below(users.length)
    const [user, account] = [users[place] as Address, model.accounts[place] as SpotModelAccount]
    if (roll < 20) {
      const price = this.anyPrice(20).toString()
      venue.setPrice(coin(pair.name), { mid: Decimal.of(price) })
      model.move(price)
      return this.compare()
    }
    if (roll < 35) {
      const own = model.open.filter(({ owner }) => owner === account)
      const id = own.length === 0 || dice.oneIn(6) ? -1 : dice.pick(own).id
      const oid = [...this.idOfOid].find(([, each]) => each === id)?.[0] ?? 999
      const cancels = [{ asset: pair.asset, oid }]
      this.answer = venue.apply(user, { type: 'cancel', cancels })
      return this.parted('cancel', [model.cancel(account, id)])
    }
    const orders = Array.from({ length: dice.oneIn(4) ? 2 : 1 }, () => this.anyOrder())
    const action = { type: 'order', orders, grouping: 'na', builder: null } as const
    this.answer = withIds(venue.apply(user, action), this.idOf)
    return this.parted('order', model.place(account, orders))
  }

  /** What the engine has to say after a step, as text. */
  told(): string {
    return JSON.stringify([this.answer, users.map((user) => this.accountTold(user))])
  }

  private parted(type: string, statuses: readonly unknown[]): string | null {
    const said = { status: 'ok', response: { type, data: { statuses } } }
    return difference(said, this.answer, 'answer') ?? this.compare()
  }

  private compare(): string | null {
    for (const [place, user] of users.entries()) {
      const account = this.model.accounts[place] as SpotModelAccount
      const found = difference(this.accountSaid(account), this.accountTold(user), user.slice(0, 4))
      if (found !== null) return found
    }
    return null
  }

  private accountSaid(account: SpotModelAccount): unknown {
    const { model } = this
    const own = model.orders.filter(({ owner }) => owner === account)
    const holds = model.holds(account)
    return {
      ...{ base: account.base, quote: account.quote },
      baseHold: holds.base,
      quoteHold: new Rounded(holds.quote, 8, 'nearest'),
      open: own
        .filter(({ where }) => where !== 'gone')
        .map(({ id, isBuy, price, left, size, cloid }) => ({
          id,
          isBuy,
          price,
          left,
          size,
          cloid,
        })),
      fills: account.fills.slice(-3),
      stories: own.slice(-6).map(({ id, story }) => ({ id, story })),
    }
  }

  private accountTold(user: Address): unknown {
    const { venue, idOf } = this
    const spot = venue.spotState(user)
    const open = venue.openOrders(user).sort((one, two) => one.oid - two.oid)
    const rows = venue.historicalOrders(user).toReversed()
    const ids = [...new Set(rows.map(({ order }) => order.oid))].sort((one, two) => one - two)
    const storyOf = (oid: number): string[] => {
      const statuses = rows.filter(({ order }) => order.oid === oid).map(({ status }) => status)
      return statuses.filter((status, index) => status !== statuses[index - 1])
    }
    return {
      ...{ base: spot.tokens.get('HYPE'), quote: spot.usdcTotal },
      ...{ baseHold: spot.holds.get('HYPE'), quoteHold: spot.usdcHold },
      open: open.map(({ oid, isBuy, limitPrice: price, size: left, originalSize: size, cloid }) => {
        return { id: idOf(oid), isBuy, price, left, size, cloid }
      }),
      fills: venue
        .fills(user)
        .slice(0, 3)
        .reverse()
        .map(({ price, size, isBuy, startPosition: start, oid, crossed, fee }) => {
          return { price, size, isBuy, start, id: idOf(oid), crossed, fee }
        }),
      stories: ids.slice(-6).map((oid) => ({ id: idOf(oid), story: storyOf(oid) })),
    }
  }

  /** So many thousandths around the price at the start. */
  private anyPrice(permille: number): Exact {
    const share = 1000 + this.dice.between(-permille, permille)
    const wished = Exact.of(pair.price).times(Exact.of(share)).over(Exact.of(1000))
    return nextPrice(wished, 0, 1) ?? wished
  }

  private anyOrder(): Order {
    const { dice, model } = this
    const isBuy = dice.oneIn(2)
    const atPrice = dice.oneIn(3) ? model.price : this.anyPrice(25)
    const trigger: OrderType = {
      kind: 'trigger',
      ...{ isMarket: dice.oneIn(2), tpsl: dice.pick(['tp', 'sl'] as const) },
      triggerPrice: Decimal.of(this.anyPrice(25).toString()),
    }
    const tif = dice.pick<Tif>(['Gtc', 'Gtc', 'Ioc', 'Alo', 'FrontendMarket'])
    const size = dice.oneIn(12) ? '0.2' : `${dice.between(1, 24)}.${dice.between(0, 99)}`
    return {
      ...{ asset: pair.asset, isBuy, isReduceOnly: dice.oneIn(10), cloid: null },
      ...{ price: Decimal.of(atPrice.toString()), size: Decimal.of(size) },
      type: dice.oneIn(4) ? trigger : { kind: 'limit', tif },
    }
  }
}
