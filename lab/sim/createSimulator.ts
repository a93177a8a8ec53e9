import type { Json } from '../../src/core/protocol/action.ts'
import type { Crypto } from '../../src/core/protocol/crypto.ts'
import { address } from '../../src/core/values/address.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { defaultMarkets } from './defaultMarkets.ts'
import { Venue } from './engine/venue.ts'
import type { ScenarioName, VenueConfig } from './engine/venueConfig.ts'
import { ControlDesk } from './front/control/controlDesk.ts'
import type { ResetSpec } from './front/control/readReset.ts'
import type { Pause } from './front/clockMove.ts'
import { Front } from './front/front.ts'
import * as replies from './front/httpReplies.ts'
import { Replay } from './front/replay.ts'
import type { Answer, Connection, HttpRequest, Link } from './front/transport.ts'
import { OptionBoard } from './optionBoard.ts'
import type { ScenarioFile } from './scenarioFile.ts'
import type { SimulatorCore, SimulatorOptions } from './simulatorOptions.ts'

/** The account of a world that nobody described; its key is published, see docs/simulator.md. */
export const demoAddress = address('0x14791697260e4c9a71f18484c9f997b308e59325')
const demoEquity = Decimal.of('10000')
/** The price paths that have a name. */
export const scenarioNames: readonly ScenarioName[] = ['calm', 'trend', 'crash', 'gap', 'thin']
const weightLimitDefault = 1_200
const seedDefault = 1

/**
 * A venue without sockets; `now` is the clock outside, `file` a price path to replay, and `pause`
 * lets everything else go on while the clock is moved far.
 */
export function createSimulator(
  options: SimulatorOptions,
  crypto: Crypto,
  now: () => number,
  file: ScenarioFile | null = null,
  pause?: Pause,
): SimulatorCore {
  const board = new OptionBoard(options.options ?? {})
  const worldOf = worldMaker(options, board, file)
  const startMs = now()
  const first = worldOf(firstWorld(options, file), startMs)
  if (file !== null) rehearse(file, first)
  const venue = new Venue(first)
  const front = new Front(venue, crypto, {
    network: options.network ?? 'testnet',
    faucet: typeof options.faucet === 'string' ? Decimal.of(options.faucet) : null,
    weightLimit: options.weightLimit === undefined ? weightLimitDefault : options.weightLimit,
    options: board.front,
    isLogged: options.control === true,
    wallMs: now,
    ...(pause === undefined ? {} : { pause }),
  })
  front.faults.seed(first.seed)
  if (file !== null) front.replay = new Replay(file.moves, startMs)
  const control = options.control === true ? new ControlDesk(front, board, worldOf) : null
  return {
    venue,
    http: (request, answer) => {
      route(front, control, request, answer)
    },
    connect: (link: Link): Connection => front.connect(link),
    advance: () => {
      front.advance()
    },
    nextAt: () => front.nextAt(),
    weightUsed: (ip) => front.weightUsed(ip),
  }
}

function firstWorld(options: SimulatorOptions, file: ScenarioFile | null): ResetSpec {
  const demo = { address: demoAddress, equity: demoEquity }
  const accounts = options.accounts ?? [demo]
  if (file === null) return { seed: null, frozen: false, markets: null, accounts }
  return file.world.accounts.length > 0 ? file.world : { ...file.world, accounts }
}

/** A path that does not fit its markets is refused at the start, not in the middle of a run. */
function rehearse(file: ScenarioFile, world: VenueConfig): void {
  const last = file.moves.at(-1)
  if (last === undefined) return
  const replay = new Replay(file.moves, world.startMs)
  const done = replay.advanceTo(new Venue(world), world.startMs + last.atMs)
  if (!done.ok) throw new TypeError(`the scenario's moves: ${done.error}`)
}

/** Fills in what a reset leaves open. */
function worldMaker(
  options: SimulatorOptions,
  board: OptionBoard,
  file: ScenarioFile | null,
): (spec: ResetSpec, startMs: number) => VenueConfig {
  const name = file === null ? (options.scenario ?? 'calm') : 'calm'
  const scenario = scenarioNames.find((each) => each === name)
  if (scenario === undefined) {
    throw new TypeError(`scenario must be one of ${scenarioNames.join(', ')}, got "${name}"`)
  }
  return (spec, startMs) => ({
    seed: spec.seed ?? options.seed ?? seedDefault,
    startMs,
    frozen: spec.frozen,
    scenario,
    markets: spec.markets ?? defaultMarkets,
    dexes: spec.dexes ?? options.dexes ?? [],
    accounts: spec.accounts,
    options: board.venue,
  })
}

function route(
  front: Front,
  control: ControlDesk | null,
  request: HttpRequest,
  answer: Answer,
): void {
  const url = new URL(request.url.replace(/\/{2,}/g, '/'), 'http://venue')
  const path = url.pathname.length > 1 ? url.pathname.replace(/\/$/, '') : url.pathname
  if (path === '/healthz' && request.method === 'GET') {
    answer(
      replies.jsonReply({
        status: 'ok',
        time: front.venue.nowMs,
        sockets: front.hub.sockets.size,
      }),
    )
    return
  }
  const isTaken = front.clockMove.whenStill(() => {
    routeStill(front, control, { ...request, path, query: url.searchParams }, answer)
  })
  if (!isTaken) answer(replies.clockMoves)
}

/** What is asked of a venue whose clock stands still. */
function routeStill(
  front: Front,
  control: ControlDesk | null,
  request: HttpRequest & { readonly path: string; readonly query: URLSearchParams },
  answer: Answer,
): void {
  const { path } = request
  if (path.startsWith('/sim/')) {
    const isOpen = control !== null && isLoopback(request.ip)
    if (isOpen) control.handle({ ...request, body: bodyOf(request) }, answer)
    else answer(replies.notFound)
  } else if (path !== '/info' && path !== '/exchange') answer(replies.notFound)
  else if (request.method !== 'POST') answer(replies.wrongMethod)
  else if (!isJsonType(request.contentType)) answer(replies.wrongContentType)
  else front.post(path, request, answer)
}

function isJsonType(contentType: string | null): boolean {
  return /^application\/([a-z0-9.+-]*\+)?json\s*(;|$)/i.test(contentType ?? '')
}

function isLoopback(ip: string): boolean {
  return /^(::ffff:)?127\./.test(ip) || ip === '::1'
}

/** Null where there is no body, undefined where it is no JSON. */
function bodyOf(request: HttpRequest): Json | undefined {
  if (request.body === '') return null
  try {
    return JSON.parse(request.body) as Json
  } catch {
    return undefined
  }
}
