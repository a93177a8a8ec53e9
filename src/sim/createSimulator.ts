import type { Json } from '../core/protocol/action.ts'
import type { Crypto } from '../core/protocol/crypto.ts'
import { address } from '../core/values/address.ts'
import { Decimal } from '../core/values/decimal.ts'
import { defaultMarkets } from './defaultMarkets.ts'
import { defaultOptions } from './engine/options.ts'
import { Venue } from './engine/venue.ts'
import type { ScenarioName, VenueConfig } from './engine/venueConfig.ts'
import { ControlDesk } from './front/control/controlDesk.ts'
import type { ResetSpec } from './front/control/readReset.ts'
import { Front } from './front/front.ts'
import * as replies from './front/httpReplies.ts'
import { defaultFrontOptions } from './front/options.ts'
import type { Answer, Connection, HttpRequest, Link } from './front/transport.ts'
import type { SimulatorCore, SimulatorOptions } from './simulatorOptions.ts'

/** The account of a world that nobody described; its key is published, see docs/simulator.md. */
export const demoAddress = address('0x14791697260e4c9a71f18484c9f997b308e59325')
const demoEquity = Decimal.of('10000')
const scenarios: readonly ScenarioName[] = ['calm', 'trend', 'crash', 'gap', 'thin']
const weightLimitDefault = 1_200
const seedDefault = 1

/** A venue without sockets; `now` is the clock outside. */
export function createSimulator(
  options: SimulatorOptions,
  crypto: Crypto,
  now: () => number,
): SimulatorCore & { readonly venue: Venue } {
  const worldOf = worldMaker(options)
  const first: ResetSpec = { seed: null, frozen: false, markets: null, accounts: [] }
  const venue = new Venue(worldOf(first, now()))
  const front = new Front(venue, crypto, {
    network: options.network ?? 'testnet',
    faucet: typeof options.faucet === 'string' ? Decimal.of(options.faucet) : null,
    weightLimit: options.weightLimit === undefined ? weightLimitDefault : options.weightLimit,
    options: { ...defaultFrontOptions, ...options.front },
    isLogged: options.control === true,
    wallMs: now,
  })
  const control = options.control === true ? new ControlDesk(front, worldOf) : null
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
  }
}

/** A world asked for by a reset has the accounts it names; the first one has those of the options. */
function worldMaker(options: SimulatorOptions): (spec: ResetSpec, startMs: number) => VenueConfig {
  const name = options.scenario ?? 'calm'
  const scenario = scenarios.find((each) => each === name)
  if (scenario === undefined) {
    throw new TypeError(`scenario must be one of ${scenarios.join(', ')}, got "${name}"`)
  }
  let isFirst = true
  const demo = { address: demoAddress, equity: demoEquity, agents: [] }
  return (spec, startMs) => {
    const accounts = isFirst ? (options.accounts ?? [demo]) : spec.accounts
    isFirst = false
    return {
      seed: spec.seed ?? options.seed ?? seedDefault,
      startMs,
      frozen: spec.frozen,
      scenario,
      markets: spec.markets ?? defaultMarkets,
      accounts,
      options: { ...defaultOptions, ...options.venue },
    }
  }
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
  } else if (path.startsWith('/sim/')) {
    const isOpen = control !== null && isLoopback(request.ip)
    answer(
      isOpen
        ? control.handle(request.method, path, url.searchParams, bodyOf(request))
        : replies.notFound,
    )
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
