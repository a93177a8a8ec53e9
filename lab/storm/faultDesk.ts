import type { Address } from '../../src/core/values/address.ts'
import type { Json } from '../../src/core/protocol/action.ts'
import { roundSizeDown } from '../../src/core/protocol/grid.ts'
import type { Market } from '../../src/core/protocol/market.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import type { PositionView } from '../sim/engine/views.ts'
import { pickAt } from './chance.ts'
import { healAccounts, strikeAccounts } from './accounts/strikeAccounts.ts'
import { healDexes, strikeDexes } from './dexes/strikeDexes.ts'
import { endTwaps, strikeElsewhere } from './elsewhereFaults.ts'
import { isArmedFault } from './armedFaults.ts'
import type { ArmedFault } from './armedFaults.ts'
import { botFaults, diskFaults } from './faultKinds.ts'
import type { BotFault, FaultKind } from './faultKinds.ts'
import type { Dice } from './step.ts'
import { strikeLimits } from './limitFaults.ts'
import { strikeProcess } from './processFaults.ts'
import { limitOrder, orders, times } from './wireOrders.ts'
import { keys, owner, user } from './keys.ts'
import type { World } from './world.ts'

const nobody = '0x0000000000000000000000000000000000000000'

/** Lets one fault strike the world. */
export function strike(world: World, fault: FaultKind, dice: Dice): void {
  world.trace.say(`fault ${fault}`)
  const [, first, second, third] = dice
  if (isArmedFault(fault)) {
    armNet(world, fault, dice)
    return
  }
  if (fault === 'connections_vanish' || fault === 'connections_reset') {
    if (world.net.strikeAll(fault)) world.touched(fault)
    return
  }
  if ((botFaults as readonly string[]).includes(fault)) {
    // It counts as struck when a bot's request meets it.
    world.bots.arm(fault as BotFault, 1 + Math.floor(first * 4), 500 + third * 6_000)
    return
  }
  world.touched(fault)
  if (/^(outside_|day_of_loss|ruin)/.test(fault)) world.isTraded = true
  if ((diskFaults as readonly string[]).includes(fault)) {
    const kind = fault as (typeof diskFaults)[number]
    const count = first < 0.7 ? 1 + Math.floor(first * 4) : 1_000
    world.trouble.arm(world.disk, kind, count, Math.floor(200 + second * 6_000))
    return
  }
  if (strikeStream(world, fault, dice)) return
  if (strikeVenue(world, fault, dice)) return
  if (strikeLimits(world, fault, dice)) return
  if (strikeElsewhere(world, fault, dice)) return
  if (strikeDexes(world, fault, dice)) return
  if (strikeAccounts(world, fault, dice)) return
  strikeProcess(world, fault, dice)
}

/** A fault of the network; it counts as struck when a request or a connection meets it. */
function armNet(world: World, fault: ArmedFault, [, first, second, third]: Dice): void {
  const ms = Math.floor(fault === 'request_late' ? 1_000 + second * 8_000 : second * 4_000)
  if (fault === 'answers_held' || fault === 'answers_overtake') {
    world.net.arm(fault, 1_000, 100 + ms, ms)
    return
  }
  const count = first < 0.7 ? 1 + Math.floor(first * 3) : 1_000
  world.net.arm(fault, count, 500 + third * 6_000, ms)
}

function strikeStream(world: World, fault: FaultKind, [, first, second, third]: Dice): boolean {
  const { streams } = world.net
  const now = world.time.elapsed
  const forMs = Math.floor(500 + second * 9_000)
  const channel = pickAt(channels, third)
  const match: Json = channel === null ? {} : { type: channel }
  const ofStream = (kind: string, more: Json): boolean =>
    world.control('fault', { where: 'ws', kind, match, ...(more as object) }) || true
  switch (fault) {
    case 'stream_silent':
      return ofStream('silence', { count: 0, ms: forMs })
    case 'stream_stale':
      return ofStream('stale', { count: 0, ms: forMs })
    case 'stream_cut':
      return world.control('fault', { where: 'ws', kind: 'disconnect', count: 1 }) || true
    case 'frame_doubled':
      return ofStream('duplicate', { count: 1 + Math.floor(first * 5) })
    case 'frames_reordered':
      return ofStream('reorder', { count: 1 + Math.floor(first * 3) })
    case 'frames_late':
      return ofStream('delay', { count: 1, ms: Math.floor(first * 4_000) })
    case 'frames_missing':
      streams.dropFrames = 1 + Math.floor(first * 12)
      return true
    case 'frame_garbage':
      streams.garbageFrames = 1 + Math.floor(first * 3)
      return true
    case 'connect_refused':
      streams.refuseUntil = now + forMs
      return true
    case 'stream_deaf':
      streams.deafUntil = now + forMs
      return true
    case 'error_in_200': {
      const body = { where: 'exchange', kind: 'refuse', count: 1, text: 'Order refused.' }
      return world.control('fault', body) || true
    }
    case 'stop_refused':
      return world.control('fault', { where: 'exchange', kind: 'refuse_stop', count: 1 }) || true
    default:
      return false
  }
}

const channels = [null, null, 'userFills', 'orderUpdates', 'clearinghouseState', 'openOrders']

/** What happens at the venue; true when it was one of these. */
function strikeVenue(world: World, fault: FaultKind, dice: Dice): boolean {
  const [place, first, second] = dice
  const { venue } = world.sim
  const market = pickAt(venue.markets(), place)
  switch (fault) {
    case 'price_jump':
      return movePrice(world, market, 0.985 + first * 0.03)
    case 'market_crash':
      for (const each of venue.markets()) movePrice(world, each, first < 0.5 ? 0.95 : 1.05)
      return true
    case 'price_gap':
      return movePrice(world, market, first < 0.5 ? 0.72 : 1.3)
    case 'day_of_loss':
      return lose(world, market, 0.5)
    case 'ruin':
      return lose(world, market, 1.5)
    case 'outside_open':
      return act(world, orderAction(world, market, first < 0.5, 0.02 + second * 0.2, false))
    case 'outside_close':
      return closeOutside(world, first)
    case 'outside_cancel':
      return cancelOutside(world, first)
    case 'outside_leverage': {
      const leverage = 1 + Math.floor(second * 9)
      const isCross = first < 0.5
      return act(world, { type: 'updateLeverage', asset: market.asset, isCross, leverage })
    }
    case 'deposit':
      return flow(world, 100 + first * 3_000, 0)
    case 'withdrawal':
      return flow(world, -(100 + first * 2_000), 0)
    case 'ledger_late':
      return flow(world, (first - 0.5) * 4_000, Math.floor(second * 6_000))
    case 'venue_slow_to_read':
      return world.control('fault', { where: 'info', kind: 'delay', count: 2, ms: 900 }) || true
    case 'frame_lies':
      return lie(world, 'ws', first, { clearinghouseState: pickAt(frameLies, second) })
    case 'read_lies':
      return lie(world, 'info', first, pickAt(readLies, second))
    case 'reads_fail': {
      const share = String(0.1 + Math.floor(first * 10) / 10)
      return world.control('fault', { where: 'info', kind: 'fail_share', count: 0, share }) || true
    }
    case 'agent_revoked':
      world.isAgentRevoked = true
      return act(
        world,
        {
          ...{ type: 'approveAgent', hyperliquidChain: 'Testnet', signatureChainId: '0x66eee' },
          ...{ agentAddress: nobody, agentName: 'agent1', nonce: 1 },
        },
        holderOf(world),
      )
    default:
      return false
  }
}

/**
 * An account that is empty, one without its positions, and one of another's money: not the same
 * money in frames and in reads, because what both sources tell is true by the contract.
 */
const liesOf = (othersMoney: string): readonly Json[] => [
  { marginSummary: { accountValue: '0.0' }, withdrawable: '0.0', assetPositions: [] },
  { assetPositions: [] },
  { marginSummary: { accountValue: othersMoney } },
]
const [frameLies, readLies] = [liesOf('87654.0'), liesOf('123456.0')]

function lie(world: World, where: 'ws' | 'info', first: number, patch: Json): boolean {
  const match = { type: 'clearinghouseState' }
  const body = { where, kind: 'lie', match, count: 1 + Math.floor(first * 2), patch }
  return world.control('fault', body) || true
}

/** Ends every fault that the venue was given. */
export function clearFaults(world: World): void {
  world.sim.http(
    {
      ...{ method: 'DELETE', url: '/sim/fault', contentType: 'application/json' },
      ...{ isObserver: true, ip: '127.0.0.1', body: '' },
    },
    () => undefined,
  )
}

/** Ends every fault that the venue was given, and all that it trades by itself. */
export function healVenue(world: World): void {
  clearFaults(world)
  endTwaps(world)
  healDexes(world)
  healAccounts(world)
}

/** The owner approves the API wallet again. */
export function approveAgain(world: World): void {
  act(
    world,
    {
      ...{ type: 'approveAgent', hyperliquidChain: 'Testnet', signatureChainId: '0x66eee' },
      agentAddress: world.crypto.secp256k1.addressOf(keys.api),
      ...{ agentName: 'agent1', nonce: 1 },
    },
    holderOf(world),
  )
  const agents = world.sim.venue.agents(holderOf(world))
  world.isAgentRevoked = agents.length === 0
}

function movePrice(world: World, market: Market, factor: number): boolean {
  const mid = world.sim.venue.mids().get(market.coin)
  if (mid === undefined) return true
  const moved = times(market, mid, factor)
  if (moved.isPositive()) world.control('price', { coin: market.coin, mid: moved.toString() })
  return true
}

/** A trade by hand that goes wrong by a fifth of its value; `part` is of ten thousand dollars. */
function lose(world: World, market: Market, part: number): boolean {
  act(world, orderAction(world, market, true, part, false))
  return movePrice(world, market, 0.8)
}

/** The account that Guard’s API wallet signs for: the owner of a sub-account, else the account itself. */
function holderOf({ plan }: World): Address {
  return plan.isOwned ? owner : user
}

function act(world: World, action: Json, who: Address = user): boolean {
  world.venueSide.byHand(() => {
    world.control('act', { user: who, action })
  })
  return true
}

/** A trade by hand: a share of ten thousand dollars at the price of the moment. */
function orderAction(
  world: World,
  market: Market,
  isBuy: boolean,
  part: number,
  isReduceOnly: boolean,
  exact: Decimal | null = null,
): Json {
  const mid = world.sim.venue.mids().get(market.coin) ?? Decimal.one
  const value = Decimal.of((10_000 * part).toFixed(2))
  const size = exact ?? roundSizeDown(market, value.over(mid, 8, 'down'))
  const order = limitOrder(market, isBuy, times(market, mid, isBuy ? 1.05 : 0.95), size, 'Ioc')
  return orders({ ...order, r: isReduceOnly })
}

function closeOutside(world: World, at: number): boolean {
  const { positions } = world.sim.venue.perpState(user)
  if (positions.length === 0) return true
  return closeByHand(world, pickAt(positions, at))
}

/** A person closes a position at the venue, and Guard is not asked. */
export function closeByHand(world: World, { coin, size }: PositionView): boolean {
  const market = world.sim.venue.market(coin)
  if (market === null) return true
  return act(world, orderAction(world, market, size.isNegative(), 0, true, size.abs()))
}

function cancelOutside(world: World, at: number): boolean {
  const open = world.sim.venue.openOrders(user)
  if (open.length === 0) return true
  const { asset, oid } = pickAt(open, at)
  return act(world, { type: 'cancel', cancels: [{ a: asset, o: oid }] })
}

function flow(world: World, amount: number, delayMs: number): boolean {
  const text = Decimal.of(amount.toFixed(2)).toString()
  world.control('flow', { user, amount: text, delay_ms: delayMs })
  return true
}
