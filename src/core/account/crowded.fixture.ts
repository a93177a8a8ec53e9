import type { OpenOrder } from '../protocol/venueState.ts'
import { makeGuardCloid } from '../protocol/guardCloid.ts'
import { coin } from '../values/coin.ts'
import { Decimal } from '../values/decimal.ts'
import {
  accountWith,
  botCloid,
  inFlight,
  later,
  markets,
  openOrder,
  reductionInFlight,
  restingEntry,
  stopInFlight,
  stopOrder,
} from './account.fixture.ts'
import type { Account } from './account.ts'

/** What may stand on one coin in great numbers. */
export const crowds = [
  'entries',
  'bot stops',
  'guard stops',
  'take profits',
  'entries in flight',
  'exits in flight',
  'stops in flight',
  'guard stops in flight',
] as const
type Crowd = (typeof crowds)[number]

const oidFrom = 1_000
const covering = stopOrder({
  ...{ coin: 'ETH', oid: 1, size: '1', trigger: '2400', cloid: botCloid(1) },
})

/** The order with this place in a crowd; entries bring their stops. */
function resting(crowd: Crowd, nth: number): readonly OpenOrder[] {
  const oid = oidFrom + 2 * nth
  const price = `${2_300 - nth / 10}`
  switch (crowd) {
    case 'entries':
      return restingEntry({
        ...{ coin: 'ETH', oid, isBuy: true, price, size: '0.01', stop: '1400' },
        cloid: botCloid(oidFrom + nth),
      })
    case 'bot stops':
      return [stopOrder({ coin: 'ETH', oid, size: '0.0001', trigger: price })]
    case 'guard stops': {
      const cloid = makeGuardCloid('stop', tailOf(nth))
      return [stopOrder({ coin: 'ETH', oid, size: '0.0001', trigger: price, cloid })]
    }
    case 'take profits':
      return [
        openOrder({
          ...{ coin: 'ETH', oid, isBuy: false, price: '2600', size: '0.01', isReduceOnly: true },
          trigger: { price: `${2_700 + nth / 10}`, tpsl: 'tp' },
        }),
      ]
    default:
      return []
  }
}

function tailOf(nth: number): Uint8Array {
  const tail = new Uint8Array(11)
  tail[9] = nth >> 8
  tail[10] = nth & 255
  return tail
}

function reserveOne(account: Account, crowd: Crowd, nth: number): void {
  const id = `crowd ${nth}`
  const cloid = botCloid(50_000 + 2 * nth)
  if (crowd === 'entries in flight') {
    const entry = {
      ...{ coin: coin('ETH'), isBuy: true, size: Decimal.of('0.01'), stop: Decimal.of('1400') },
      ...{ price: Decimal.of(`${2_300 - nth / 10}`), cloid, stopCloid: null, mayRest: true },
    }
    account.reserve(id, inFlight(entry), later(0))
  }
  if (crowd === 'exits in flight') {
    account.reserve(id, [reductionInFlight('ETH', '0.01', cloid)], later(0))
  }
  if (crowd === 'stops in flight' || crowd === 'guard stops in flight') {
    const trigger = `${2_300 - nth / 10}`
    const named = crowd === 'stops in flight' ? cloid : makeGuardCloid('stop', tailOf(nth))
    account.reserve(id, [stopInFlight({ size: '0.0001', trigger, cloid: named })], later(0))
  }
}

/**
 * An account with a position of 1 ETH, a stop of the bot's that covers it unless told otherwise, one
 * resting entry with its stop, and so many orders of one kind beside, children counted.
 */
export function crowdedAccount(crowd: Crowd, orders: number, isCovered = true): Account {
  const count = crowd === 'entries' ? orders / 2 : orders
  const nths = Array.from({ length: count }, (_, nth) => nth)
  const account = accountWith({
    ...{ equity: '1000000', markets: markets(), leverage: { ETH: { type: 'isolated', value: 2 } } },
    positions: {
      ETH: { size: '1', leverage: { type: 'isolated', value: 2 }, liquidation: '1300' },
    },
    orders: [
      ...(isCovered ? [covering] : []),
      ...restingEntry({
        ...{ coin: 'ETH', oid: 3, isBuy: true, price: '2350', size: '0.1', stop: '2250' },
        ...{ cloid: botCloid(2), stopCloid: botCloid(3) },
      }),
      ...nths.flatMap((nth) => resting(crowd, nth)),
    ],
  })
  for (const nth of nths) reserveOne(account, crowd, nth)
  account.exposure()
  account.cover(coin('ETH'))
  account.followCover()
  return account
}

/**
 * An account whose position is held by many stops of one unit each, every second of them Guard's own
 * where told so: as many again are to spare, and half of those may go to an entry that rests.
 */
export function heldByMany(stops: number, areGuards: boolean): Account {
  const nths = Array.from({ length: stops }, (_, nth) => nth)
  const size = `${stops / 2}`
  const account = accountWith({
    ...{ equity: '100000000', markets: markets() },
    leverage: { ETH: { type: 'isolated', value: 2 } },
    positions: { ETH: { size, leverage: { type: 'isolated', value: 2 }, liquidation: '1300' } },
    promised: { ETH: [{ trigger: '2360', size }] },
    orders: [
      ...restingEntry({
        ...{ coin: 'ETH', oid: 3, isBuy: true, price: '2350', size: `${stops / 4}`, stop: '2250' },
        ...{ cloid: botCloid(2), stopCloid: botCloid(3) },
      }),
      ...nths.map((nth) => {
        const isGuards = areGuards && nth % 2 === 1
        const cloid = isGuards ? makeGuardCloid('stop', tailOf(nth)) : botCloid(oidFrom + nth)
        const trigger = `${2_450 - nth / 10}`
        return stopOrder({ coin: 'ETH', oid: oidFrom + nth, size: '1', trigger, cloid })
      }),
    ],
  })
  account.exposure()
  account.cover(coin('ETH'))
  account.followCover()
  return account
}
