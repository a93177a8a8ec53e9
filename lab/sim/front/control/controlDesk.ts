import type { Address } from '../../../../src/core/values/address.ts'
import type { Json } from '../../../../src/core/protocol/action.ts'
import type { Coin } from '../../../../src/core/values/coin.ts'
import type { VenueConfig } from '../../engine/venueConfig.ts'
import type { OptionBoard } from '../../optionBoard.ts'
import { faultKinds, renderFault } from '../faults.ts'
import type { FaultWhere } from '../faults.ts'
import type { Front } from '../front.ts'
import { jsonReply, notFound } from '../httpReplies.ts'
import { patchProblem } from '../jsonPatch.ts'
import { renderLeverage, renderPerpState, renderSpotState } from '../render/renderAccount.ts'
import { renderMids } from '../render/renderMarket.ts'
import { renderFrontendOrder } from '../render/renderOrder.ts'
import type { HttpReply } from '../transport.ts'
import { elsewhere } from './elsewhere.ts'
import { changeDex } from './changeDex.ts'
import { listMarket } from './listMarket.ts'
import {
  ControlProblem,
  onlyFields,
  readAddress,
  readChoice,
  readCoinName,
  readCount,
  readDecimal,
  readFields,
  readFlag,
  readOptionalCount,
  readOptionalDecimal,
  readOptionalText,
} from './problems.ts'
import { modes, readChosen, readReset } from './readReset.ts'
import { readAct } from './readAct.ts'
import type { ResetSpec } from './readReset.ts'
import { setAllowance } from './setAllowance.ts'

/** Turns what a reset asks for into a whole world, defaults filled in. */
type WorldOf = (spec: ResetSpec, startMs: number) => VenueConfig

interface ControlRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** Null where there was none, undefined where it was no JSON. */
  readonly body: Json | undefined
}

const clockRoute = 'POST /sim/clock'
/** The furthest that one call moves the clock: 400 days, in milliseconds. */
const advanceMax = 34_560_000_000

type Call = (front: Front, body: Json, query: URLSearchParams) => Json

/** `/sim/*`: what a test does to the venue that no client could. */
export class ControlDesk {
  readonly #front: Front
  readonly #board: OptionBoard
  readonly #worldOf: WorldOf
  readonly #calls: { readonly [route: string]: Call }

  constructor(front: Front, board: OptionBoard, worldOf: WorldOf) {
    this.#front = front
    this.#board = board
    this.#worldOf = worldOf
    this.#calls = {
      'POST /sim/reset': (_, body) => this.#reset(body),
      'POST /sim/price': price,
      'POST /sim/act': act,
      'POST /sim/flow': flow,
      'POST /sim/mode': changeMode,
      'POST /sim/fault': arm,
      'DELETE /sim/fault': (each) => {
        each.hub.unfreeze()
        return { cleared: each.faults.clear() }
      },
      'GET /sim/fault': (each) => each.faults.list(each.wallMs),
      'GET /sim/log': log,
      'GET /sim/state': state,
      'POST /sim/allowance': setAllowance,
      'POST /sim/elsewhere': elsewhere,
      'POST /sim/list': listMarket,
      'POST /sim/dex': changeDex,
      'GET /sim/options': () => board.list(),
      'POST /sim/options': ({ venue }, body) => {
        board.set(readChosen(body, 'body'))
        venue.followOptions()
        return board.list()
      },
    }
  }

  handle(request: ControlRequest, answer: (reply: HttpReply) => void): void {
    const { method, path, query, body } = request
    const route = `${method} ${path}`
    const call = this.#calls[route]
    if (call === undefined && route !== clockRoute) {
      answer(notFound)
      return
    }
    try {
      if (body === undefined) throw new ControlProblem('the body must be JSON')
      this.#front.catchUp()
      if (call === undefined) this.#moveClock(body, answer)
      else {
        const done = call(this.#front, body, query)
        if (method === 'POST') this.#show()
        answer(jsonReply(done))
      }
    } catch (error) {
      if (!(error instanceof ControlProblem)) throw error
      answer(jsonReply({ error: error.message }, 400))
    }
  }

  /** Answers when the clock has arrived. */
  #moveClock(body: Json, answer: (reply: HttpReply) => void): void {
    const fields = readFields(body, 'body')
    onlyFields(fields, 'body', ['advance_ms'])
    const advance = readCount(fields['advance_ms'], 'advance_ms', advanceMax)
    this.#front.moveClock(advance, () => {
      this.#show()
      answer(jsonReply({ advanced_ms: advance, now_ms: this.#front.venue.nowMs }))
    })
  }

  /** What a control call changed shows on the streams at once. */
  #show(): void {
    this.#front.tell()
    this.#front.hub.pushAll()
  }

  #reset(body: Json): Json {
    const spec = readReset(body)
    const config = this.#worldOf(spec, this.#front.wallMs)
    const takeBack = this.#board.startOver(spec.options ?? {})
    const done = this.#front.venue.reset(config)
    if (!done.ok) {
      takeBack()
      throw new ControlProblem(done.error)
    }
    this.#front.startOver(config.seed)
    this.#front.replay = null
    for (const { address, allowance, dailyActions } of spec.spent ?? []) {
      if (allowance !== null) this.#front.budget.set(address, allowance.cap, allowance.used)
      this.#front.daily.add(address, dailyActions, this.#front.venue.nowMs)
    }
    return {
      seed: config.seed,
      frozen: config.frozen,
      markets: config.markets.map((market) => market.coin),
      accounts: config.accounts.map((account) => account.address),
      twaps: config.accounts.flatMap(({ address }) =>
        this.#front.venue.twaps(address).map(({ twapId, coin }) => ({
          ...{ user: address, twapId, coin },
        })),
      ),
      now_ms: this.#front.venue.nowMs,
    }
  }
}

function price(front: Front, body: Json): Json {
  const fields = readFields(body, 'body')
  onlyFields(fields, 'body', ['coin', 'mid', 'mark', 'oracle'])
  const coin = readCoinName(fields['coin'], 'coin')
  const mid = readDecimal(fields['mid'], 'mid')
  const mark = readOptionalDecimal(fields['mark'], 'mark')
  const oracle = readOptionalDecimal(fields['oracle'], 'oracle')
  const done = front.venue.setPrice(coin, {
    mid,
    ...(mark === null ? {} : { mark }),
    ...(oracle === null ? {} : { oracle }),
  })
  if (!done.ok) throw new ControlProblem(done.error)
  const pair = front.venue.spotPairs().find((each) => each.pair.name === coin)
  return {
    coin,
    mid:
      (
        front.venue.mids(coin.includes(':') ? coin.split(':')[0] : '').get(coin) ?? pair?.price
      )?.toString() ?? null,
    mark: front.venue.markPrice(coin)?.toString() ?? null,
    oracle: front.venue.oraclePrice(coin)?.toString() ?? null,
  }
}

function act(front: Front, body: Json): Json {
  const fields = readFields(body, 'body')
  onlyFields(fields, 'body', ['user', 'action'])
  const user = readAddress(fields['user'], 'user')
  const action = readAct(fields['action'])
  const reply = front.venue.apply(user, action)
  const told = reply as { readonly status?: Json; readonly response?: Json }
  if (told.status !== 'ok') {
    throw new ControlProblem(`the venue refused the action: ${String(told.response)}`)
  }
  return reply
}

function flow(front: Front, body: Json): Json {
  const fields = readFields(body, 'body')
  onlyFields(fields, 'body', ['user', 'amount', 'delay_ms'])
  const user = readAddress(fields['user'], 'user')
  const amount = readDecimal(fields['amount'], 'amount')
  const delayMs = readOptionalCount(fields['delay_ms'], 'delay_ms') ?? 0
  const done = front.venue.flow(user, amount, delayMs)
  if (!done.ok) throw new ControlProblem(done.error)
  return { user, amount: amount.toString(), delay_ms: delayMs }
}

function changeMode(front: Front, body: Json): Json {
  const fields = readFields(body, 'body')
  onlyFields(fields, 'body', ['user', 'mode'])
  const user = readAddress(fields['user'], 'user')
  const mode = readChoice(fields['mode'], 'mode', modes)
  const done = front.venue.setMode(user, mode)
  if (!done.ok) throw new ControlProblem(done.error)
  return { user, mode: front.venue.abstraction(user) }
}

function arm(front: Front, body: Json): Json {
  const fields = readFields(body, 'body')
  onlyFields(fields, 'body', [
    ...['where', 'kind', 'match', 'count', 'ms', 'text', 'executed', 'patch', 'share'],
  ])
  const wheres: readonly FaultWhere[] = ['exchange', 'info', 'ws']
  const where = readChoice(fields['where'], 'where', wheres)
  const kind = readChoice(fields['kind'], `kind (for ${where})`, faultKinds[where])
  const match = fields['match'] === undefined ? {} : readFields(fields['match'], 'match')
  onlyFields(match, 'match', ['type', 'coin', 'dex'])
  const coin = readOptionalText(match['coin'], 'match.coin')
  if (coin !== null && front.venue.market(coin as Coin) === null) {
    throw new ControlProblem(`match.coin must be a market of this venue, got "${coin}"`)
  }
  const dex = readOptionalText(match['dex'], 'match.dex')
  if (dex !== null && !front.venue.hasDex(dex)) {
    throw new ControlProblem(`match.dex must be a dex of this venue, got "${dex}"`)
  }
  const text = readOptionalText(fields['text'], 'text')
  if (kind === 'reply' || kind === 'status') checkJson(text)
  if (kind === 'lie' && fields['patch'] === undefined) {
    throw new ControlProblem('patch must be the JSON that is laid over the answer')
  }
  const step = patchProblem(fields['patch'] ?? null)
  if (step !== null) throw new ControlProblem(step)
  const fault = front.faults.arm(
    {
      where,
      kind,
      type: readOptionalText(match['type'], 'match.type'),
      coin,
      dex,
      count: readOptionalCount(fields['count'], 'count') ?? 1,
      ms: readOptionalCount(fields['ms'], 'ms'),
      text,
      executed: readFlag(fields['executed'], 'executed'),
      patch: fields['patch'] ?? null,
      share: kind === 'fail_share' ? readShare(fields['share']) : 0,
    },
    front.wallMs,
  )
  const rendered = renderFault(fault)
  if (where === 'ws') front.hub.armed(fault)
  return rendered
}

function readShare(value: Json | undefined): number {
  const share = typeof value === 'string' || typeof value === 'number' ? Number(value) : NaN
  if (share >= 0 && share <= 1) return share
  throw new ControlProblem(`share must be a number from 0 to 1, got ${JSON.stringify(value)}`)
}

/** What stands in the place of an answer must be one that a client could read. */
function checkJson(text: string | null): void {
  try {
    JSON.parse(text ?? '')
  } catch {
    throw new ControlProblem(`text must be the JSON of the answer, got ${JSON.stringify(text)}`)
  }
}

function log(front: Front, _: Json, query: URLSearchParams): Json {
  const since = query.get('since') ?? '0'
  if (!/^\d{1,15}$/.test(since)) {
    throw new ControlProblem(`since must be a whole number, got "${since}"`)
  }
  return front.log.since(Number(since))
}

function state(front: Front, _: Json, query: URLSearchParams): Json {
  const user = readAddress(query.get('user'), 'user')
  const { venue } = front
  const [, ...dexes] = venue.dexNames()
  const markets = venue.dexNames().flatMap((dex) => venue.markets(dex))
  const leverage = markets.flatMap(({ coin }): [string, Json][] => {
    const set = venue.leverage(user, coin)
    return set === null ? [] : [[coin, renderLeverage(set)]]
  })
  return {
    clearinghouseState: renderPerpState(venue.perpState(user)),
    spotClearinghouseState: renderSpotState(venue.spotState(user)),
    openOrders: venue.openOrders(user).map(renderFrontendOrder),
    leverage: Object.fromEntries(leverage),
    mids: Object.assign({}, ...venue.dexNames().map((dex) => renderMids(venue, dex))) as Json,
    ...(dexes.length === 0
      ? {}
      : { dexes: Object.fromEntries(dexes.map((dex) => [dex, stateOn(front, user, dex)])) }),
  }
}

function stateOn({ venue }: Front, user: Address, dex: string): Json {
  return {
    clearinghouseState: renderPerpState(venue.perpState(user, dex)),
    openOrders: venue.openOrders(user, dex).map(renderFrontendOrder),
  }
}
