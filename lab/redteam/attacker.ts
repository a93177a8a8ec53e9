import type { Json, JsonObject } from '../../src/core/protocol/action.ts'
import { isObject } from '../../src/core/protocol/fields.ts'
import { Decimal } from '../../src/core/values/decimal.ts'
import { NotHere, breach } from './breach.ts'
import { readFields, readRules } from './ground.ts'
import type { Field, Rules } from './ground.ts'
import type { Pen, SignOptions, Signed } from './signing.ts'
import { Talk, ask, parsed } from './talk.ts'
import type { Answer, Ask } from './talk.ts'

export interface AttackerOptions {
  readonly url: string
  readonly pen: Pen
  /** Further clients' keys, taken in turn: each has its own share of refusals. */
  readonly morePens?: readonly Pen[]
  /** The simulator behind Guard, with control: what reached the venue is then read there. */
  readonly simUrl: string | null
  /** How long Guard may take to set right what it is responsible for. */
  readonly patienceMs?: number
}

/** One `/exchange` request as the venue's own log has it. */
export interface VenueEntry {
  readonly n: number
  readonly action: Json
  readonly reply: Json
  readonly expiresAfter: number | null
}

/** A bot gone bad: it holds a client key, reads what anyone may read, and tries things. */
export class Attacker {
  readonly url: string
  pen: Pen
  readonly simUrl: string | null
  readonly patienceMs: number
  account = ''
  rules: Rules = readRules(null)
  equity: Decimal = Decimal.zero
  /** The market to attack on, and one that the rules do not name; null where there is none. */
  field: Field | null = null
  forbidden: Field | null = null
  fields: readonly Field[] = []
  /** The asset ids of the markets that the rules allow entries in. */
  allowedAssets: ReadonlySet<number> = new Set()
  private lastVenueEntry = 0

  constructor({ url, pen, simUrl, patienceMs = 4_000 }: AttackerOptions) {
    this.patienceMs = patienceMs
    this.url = url.replace(/\/+$/, '')
    this.pen = pen
    this.simUrl = simUrl?.replace(/\/+$/, '') ?? null
  }

  /** Looks around once: the status, the rules, the markets. */
  async lookAround(): Promise<void> {
    const status = await this.status()
    this.account = String(status['account'])
    this.rules = readRules(status['rules_decoded'])
    const fields = readFields(
      await this.info({ type: 'meta' }),
      await this.info({ type: 'allMids' }),
    )
    this.fields = fields
    const { markets } = this.rules
    const isAllowed = ({ coin }: Field): boolean => markets.includes('*') || markets.includes(coin)
    this.field =
      fields.find((each) => each.coin === 'ETH' && isAllowed(each)) ??
      fields.find(isAllowed) ??
      null
    this.forbidden = fields.find((each) => !isAllowed(each)) ?? null
    this.allowedAssets = new Set(fields.filter(isAllowed).map(({ asset }) => asset))
    const state = await this.venueState()
    const summary = isObject(state['marginSummary']) ? state['marginSummary'] : {}
    const value = Decimal.parse(summary['accountValue'])
    const risk = isObject(status['risk']) ? status['risk'] : {}
    const told = Decimal.parse(risk['equity'])
    this.equity = told.ok ? told.value : value.ok ? value.value : Decimal.zero
    const cap = this.rules.equityCap
    if (cap !== null) this.equity = Decimal.min(this.equity, cap)
  }

  /** The market, with its price as it is now. */
  ground(): Field {
    if (this.field === null) throw new NotHere('Guard shows no market with a price')
    return this.field
  }

  ask(path: string, init?: Ask): Promise<Answer> {
    return ask(this.url, path, init)
  }

  async get(path: string): Promise<Json> {
    return (await this.ask(path)).json
  }

  /** Sends it, and again as often as Guard says that there were too many refusals. */
  exchange(request: Signed | string | Uint8Array, headers?: Ask['headers']): Promise<Answer> {
    const init = { body: bytesOf(request), headers: { ...json, ...headers } }
    return this.heardOut(() => this.ask('/exchange', init))
  }

  kill(request: Signed | string | Uint8Array): Promise<Answer> {
    return this.heardOut(() => this.ask('/guard/kill', { body: bytesOf(request), headers: json }))
  }

  /** What is shed is not judged and uses no nonce up: an attacker that wants an answer comes again. */
  private async heardOut(send: () => Promise<Answer>): Promise<Answer> {
    const giveUp = Date.now() + shedMsMax
    for (;;) {
      const answer = await send()
      if (answer.status !== 429 || Date.now() > giveUp) return answer
      await new Promise((resolve) => setTimeout(resolve, shedWaitMs))
    }
  }

  sign(action: Json, options?: SignOptions): Signed {
    return this.pen.sign(action, options)
  }

  /** Signs and sends. */
  send(action: Json, options?: SignOptions): Promise<Answer> {
    return this.exchange(this.sign(action, options))
  }

  talk(path?: string, headers?: { readonly [name: string]: string }): Promise<Talk> {
    return Talk.open(this.url, path, headers)
  }

  /** A signed request as a post on a socket of its own; the payload of the answer. */
  async overSocket(request: Signed | string): Promise<Json> {
    const giveUp = Date.now() + shedMsMax
    const payload = typeof request === 'string' ? request : JSON.stringify(request)
    for (;;) {
      const said = await this.saidOnce(payload)
      // A request that was shed is answered with nothing.
      if (!said.includes('"payload":null') || Date.now() > giveUp) return payloadOf(said)
      await new Promise((resolve) => setTimeout(resolve, shedWaitMs))
    }
  }

  private async saidOnce(payload: string): Promise<string> {
    const talk = await this.talk()
    try {
      talk.say(`{"method":"post","id":7,"request":{"type":"action","payload":${payload}}}`)
      return await talk.hears((frame) => /"channel":"(post|error)"/.test(frame))
    } finally {
      talk.end()
    }
  }

  async status(): Promise<JsonObject> {
    const status = await this.get('/guard/status')
    return isObject(status) ? status : breach('there is no status any more')
  }

  async isLatched(): Promise<boolean> {
    const { kill } = await this.status()
    return isObject(kill) && kill['latched'] === true
  }

  async lastSeq(): Promise<number> {
    return Number((await this.status())['last_seq'])
  }

  async events(since: number): Promise<readonly JsonObject[]> {
    const events = await this.get(`/guard/events?since=${since}`)
    return Array.isArray(events) ? (events as readonly JsonObject[]) : []
  }

  /** A read of the venue: at the venue itself where that is known, else through Guard. */
  async info(request: JsonObject): Promise<Json> {
    const answer = await ask(this.simUrl ?? this.url, '/info', {
      body: JSON.stringify(request),
      headers: { ...json, ...(this.simUrl === null ? {} : { 'X-Sim-Observer': '1' }) },
    })
    return answer.json
  }

  async venueState(): Promise<JsonObject> {
    const state = await this.info({ type: 'clearinghouseState', user: this.account })
    return isObject(state) ? state : {}
  }

  async venueOrders(): Promise<readonly JsonObject[]> {
    const list = await this.info({ type: 'frontendOpenOrders', user: this.account })
    return Array.isArray(list) ? (list as readonly JsonObject[]) : []
  }

  /** What reached the venue since this was last asked; empty where nobody can tell. */
  async venueLog(): Promise<readonly VenueEntry[]> {
    if (this.simUrl === null) return []
    const { json: log } = await ask(this.simUrl, `/sim/log?since=${this.lastVenueEntry}`)
    const entries = Array.isArray(log) ? (log as unknown as readonly VenueEntry[]) : []
    this.lastVenueEntry = entries.at(-1)?.n ?? this.lastVenueEntry
    return entries
  }
}

/** A nonce is good for 30 s: within that a request that was shed may come again. */
const shedMsMax = 20_000
const shedWaitMs = 250

const json = { 'content-type': 'application/json' }

function bytesOf(request: Signed | string | Uint8Array): string | Uint8Array {
  if (typeof request === 'string' || request instanceof Uint8Array) return request
  return JSON.stringify(request)
}

function payloadOf(frame: string): Json {
  const read = parsed(frame)
  const data = isObject(read) ? read['data'] : null
  if (!isObject(data)) return data ?? null
  const response = data['response']
  return isObject(response) ? (response['payload'] ?? null) : null
}
