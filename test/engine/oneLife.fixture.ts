import { expect } from 'vitest'
import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import type { Urgency, SignedRequest, VenueAnswer, VenueHttp } from '../../src/engine/ports.ts'
import { World } from './world.fixture.ts'
import type { WorldOptions } from './world.fixture.ts'

/** Another account of the venue, which takes the other side of a resting order. */
export const stranger = '0x00000000000000000000000000000000000000bb'

type Matches = (action: any, lane: Urgency) => boolean

/**
 * Stands between Guard and the venue and keeps what it is told to: the request, so that the venue
 * has not seen it, or only the answer, so that it has happened and Guard was not told.
 */
export class Gate {
  private keeps: { readonly what: 'request' | 'answer'; readonly matches: Matches } | null = null
  private readonly kept: { readonly action: Json; readonly letGo: () => void }[] = []

  readonly around = (venue: VenueHttp): VenueHttp => ({
    info: (request, lane) => venue.info(request, lane),
    exchange: (request, lane) => this.exchange(venue, request, lane),
  })

  private async exchange(
    venue: VenueHttp,
    request: SignedRequest,
    lane: Urgency,
  ): Promise<VenueAnswer> {
    const keeps = this.keeps
    const isKept = keeps?.matches(request.action, lane) === true
    if (isKept && keeps.what === 'request') await this.wait(request.action)
    const answer = await venue.exchange(request, lane)
    // What was let go meanwhile is not kept any more.
    if (isKept && keeps.what === 'answer' && this.keeps === keeps) await this.wait(request.action)
    return answer
  }

  private wait(action: Json): Promise<void> {
    return new Promise((resolve) => this.kept.push({ action, letGo: resolve }))
  }

  /** Keeps every action that matches, from now on. */
  keep(what: 'request' | 'answer', matches: Matches): void {
    this.keeps = { what, matches }
  }

  /** The actions that wait now, oldest first. */
  get waiting(): readonly any[] {
    return this.kept.map(({ action }) => action)
  }

  /** Lets one of those that wait go: the oldest that matches. */
  letGo(matches: (action: any) => boolean): void {
    const at = this.kept.findIndex(({ action }) => matches(action))
    if (at >= 0) this.kept.splice(at, 1)[0]?.letGo()
  }

  /** Lets everything go, and keeps nothing more. */
  open(): void {
    this.keeps = null
    for (const { letGo } of this.kept.splice(0)) letGo()
  }
}

/** A Guard with a gate before the venue. */
export async function gated(options: WorldOptions = {}): Promise<{ world: World; gate: Gate }> {
  const gate = new Gate()
  const others = [{ address: stranger, equity: '10000000' }]
  // Long enough for the slowest machine: no answer is lost unless a test loses it.
  const world = await World.stopped({ others, timeoutMs: 60_000, ...options })
  await world.startGuard(gate.around)
  return { world, gate }
}

/** An answer that may still be on its way. */
export interface Pending {
  readonly reply: Promise<any>
  readonly isDone: () => boolean
}

export function pending(reply: Promise<any>): Pending {
  let isDone = false
  void reply.finally(() => (isDone = true))
  return { reply, isDone: () => isDone }
}

/** A reduce-only market stop in the venue's short keys. */
export function stopLoss(
  asset: number,
  isBuy: boolean,
  trigger: string,
  limit: string,
  size: string,
  more: JsonObject = {},
): JsonObject {
  return triggerOrder(asset, isBuy, trigger, limit, size, 'sl', more)
}

/** A reduce-only market take profit. */
export function takeProfit(
  asset: number,
  isBuy: boolean,
  trigger: string,
  limit: string,
  size: string,
  more: JsonObject = {},
): JsonObject {
  return triggerOrder(asset, isBuy, trigger, limit, size, 'tp', more)
}

function triggerOrder(
  asset: number,
  isBuy: boolean,
  trigger: string,
  limit: string,
  size: string,
  tpsl: 'sl' | 'tp',
  more: JsonObject,
): JsonObject {
  const t = { trigger: { isMarket: true, triggerPx: trigger, tpsl } }
  return { a: asset, b: isBuy, p: limit, s: size, r: true, t, ...more }
}

/** An entry, or a close, with the triggers that hang on it. */
export function group(...list: readonly JsonObject[]): JsonObject {
  return { type: 'order', orders: list, grouping: 'normalTpsl' }
}

/** A client order id of a bot's. */
export const cloid = (n: number): string => `0x${n.toString(16).padStart(32, '0')}`

/** A working stop as the venue's own books have it. */
interface WorkingStop {
  readonly oid: number
  readonly sz: string
  readonly triggerPx: string
  readonly limitPx: string
  readonly side: string
  readonly cloid: string | null
}

/** The open orders of a coin; a child that waits for its parent is listed, and under it as well. */
export async function ordersOn(world: World, coin: string): Promise<any[]> {
  const { openOrders } = await world.venueState()
  return openOrders.filter((each: any) => each.coin === coin)
}

/** The market stops of a coin that work now, not those that wait for a parent. */
export async function workingStops(world: World, coin: string): Promise<WorkingStop[]> {
  return working(await ordersOn(world, coin))
}

function working(orders: readonly any[]): WorkingStop[] {
  const waiting = new Set(orders.flatMap(({ children }) => children.map(({ oid }: any) => oid)))
  return orders.filter(
    ({ orderType, reduceOnly, oid }) =>
      orderType === 'Stop Market' && reduceOnly && !waiting.has(oid),
  )
}

/** What one coin, or the whole account, holds and risks by the venue's own books, in USD. */
interface Books {
  /** Lost at the stops: positions at the mid, resting entries at their limit. */
  readonly risk: number
  /** Positions and resting entries at the higher of their limit and the mid. */
  readonly value: number
}

export async function booksOf(world: World, coin: string | null = null): Promise<Books> {
  const { clearinghouseState, openOrders, mids } = await world.venueState()
  const isMeant = (each: any): boolean => coin === null || each.coin === coin
  let [risk, value] = [0, 0]
  for (const { position } of clearinghouseState.assetPositions) {
    if (!isMeant(position)) continue
    const mid = Number(mids[position.coin])
    const own = working(openOrders.filter((each: any) => each.coin === position.coin))
    risk += lostAtStops(Number(position.szi), own, mid)
    value += Math.abs(Number(position.szi)) * mid
  }
  for (const entry of openOrders.filter((each: any) => isMeant(each) && !each.reduceOnly)) {
    const stop = entry.children.find((each: any) => each.orderType === 'Stop Market')
    const limit = Number(entry.limitPx)
    risk += Number(entry.sz) * Math.abs(limit - Number(stop.triggerPx))
    value += Number(entry.sz) * Math.max(limit, Number(mids[entry.coin]))
  }
  return { risk: cents(risk), value: cents(value) }
}

/** The tightest stops count first; what none of them covers may be lost whole. */
function lostAtStops(signed: number, stops: readonly WorkingStop[], mid: number): number {
  const isLong = signed > 0
  const facing = stops.filter(({ side }) => (side === 'A') === isLong)
  const sorted = facing.sort(
    (left, right) => (Number(right.triggerPx) - Number(left.triggerPx)) * (isLong ? 1 : -1),
  )
  let left = Math.abs(signed)
  let lost = 0
  for (const { sz, triggerPx } of sorted) {
    const covered = Math.min(left, Number(sz))
    lost += covered * Math.max(0, (mid - Number(triggerPx)) * (isLong ? 1 : -1))
    left -= covered
  }
  return lost + left * mid
}

const cents = (usd: number): number => Math.round(usd * 100) / 100

/** Waits until nothing is in flight and every position is covered. */
export async function settled(world: World): Promise<void> {
  await world.until(() => {
    const { in_flight, positions } = world.guard.status()
    return in_flight === 0 && positions.every(({ covered }) => covered)
  }, 'everything to be settled and covered')
}

/** Waits until what is read is as it should be; in the end the difference is shown. */
export async function becomes<T>(world: World, read: () => T | Promise<T>, is: T): Promise<void> {
  let last: T | undefined
  const isSame = async (): Promise<boolean> => {
    last = await read()
    return JSON.stringify(last) === JSON.stringify(is)
  }
  await world.until(isSame, JSON.stringify(is)).catch(() => {
    expect(last).toEqual(is)
  })
}

/**
 * Moves a price by a little and waits until Guard has seen it. Guard acts on what it knows in the
 * tick in which it learns it, so that whatever it would do has been decided by then.
 */
export async function nudge(world: World, coin: string, mid: string): Promise<void> {
  await world.venue.control('price', { coin, mid })
  const mark = (): string | null =>
    world.guard.status().positions.find((each) => each.coin === coin)?.mark_price ?? null
  await world.until(() => Number(mark()) === Number(mid), `${coin} at ${mid}`)
}

/** Has the venue tell everything again on every stream, and waits until Guard was told. */
export async function shown(world: World): Promise<void> {
  const before = world.spotAt()
  await world.venue.control('price', { coin: 'SOL', mid: (await world.venueState()).mids.SOL })
  await world.until(() => world.spotAt() > before, 'the stream to tell everything')
}
