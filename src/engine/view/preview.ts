import type { Account } from '../../core/account/account.ts'
import type { Decision, EntryDecision, RiskView } from '../../core/judge/decision.ts'
import type { LeaseFor } from '../../core/judge/lease.ts'
import { judge } from '../../core/judge/judge.ts'
import type { Action, Json, JsonObject } from '../../core/protocol/action.ts'
import { actionTreatment } from '../../core/protocol/actionCatalog.ts'
import { decodeAction } from '../../core/protocol/decodeAction.ts'
import { encodeAction } from '../../core/protocol/encodeAction.ts'
import { Fields, isObject } from '../../core/protocol/fields.ts'
import { parseJson } from '../../core/protocol/strictJson.ts'
import type { Leverage } from '../../core/protocol/venueState.ts'
import type { RulesFor } from '../../core/rules/rules.ts'
import { parseAddress } from '../../core/values/address.ts'
import type { Address } from '../../core/values/address.ts'
import type { Coin } from '../../core/values/coin.ts'
import type { Decimal } from '../../core/values/decimal.ts'
import type { Millis } from '../../core/values/millis.ts'
import type { EntryRate } from '../request/entryRate.ts'
import type { Reply } from '../guard.ts'
import { refusalOf } from '../request/decodeRequest.ts'
import { heartbeat } from '../request/heartbeats.ts'
import { randomMint } from '../request/judgement.ts'
import { crossView } from './crossView.ts'
import { dexView } from './dexView.ts'
import type { Clock, Random } from '../ports.ts'

interface PreviewDeps {
  readonly clock: Clock
  readonly random: Random
  readonly account: Account
  readonly risk: () => RiskView
  readonly isLatched: () => boolean
  readonly rulesFor: RulesFor
  readonly builders: ReadonlySet<Address>
  readonly lease?: LeaseFor
  readonly entryRate: EntryRate
  /** Reads what is too old to judge by, as for a bot's own request; null when all is fresh. */
  readonly freshen: (action: Action) => Promise<void> | null
}

/** What Guard would decide now, by the same judge. Nothing is written, reserved, sent or used up. */
export function preview(deps: PreviewDeps, body: Uint8Array): Reply | Promise<Reply> {
  const asked = readPreview(body)
  if (!asked.ok) return { status: 400, body: { error: { code: 'malformed', text: asked.text } } }
  const { action: request, client } = asked
  const ageMs = ageOf(deps.account.confirmedAt, deps.clock.now())
  const treatment = actionTreatment(request.type)
  if (treatment === 'heartbeat') return unjudged(heartbeat, request, ageMs)
  if (treatment !== 'forwarded') {
    return unjudged({ verdict: 'veto', ...refusalOf(treatment, request.type) }, request, ageMs)
  }
  const decoded = decodeAction(request)
  if (!decoded.ok) {
    const text = decoded.error.join('; ')
    return unjudged({ verdict: 'veto', code: 'malformed', text }, null, ageMs)
  }
  const fresh = deps.freshen(decoded.value)
  const judged = (): Reply => judgedReply(deps, request, decoded.value, client)
  return fresh === null ? judged() : fresh.then(judged, judged)
}

function judgedReply(
  deps: PreviewDeps,
  request: JsonObject,
  action: Action,
  client: Address | null,
): Reply {
  const now = deps.clock.now()
  const decision = judge({
    account: deps.account,
    rulesFor: deps.rulesFor,
    risk: deps.risk(),
    latched: deps.isLatched(),
    builders: deps.builders,
    lease: deps.lease,
    now,
    client,
    action,
    mint: randomMint(deps.random),
    entriesLastMinute:
      client === null ? 0 : deps.entryRate.lastMinute(client, deps.clock.monotonicMs()),
  })
  const shown: JsonObject = {
    verdict: decision.verdict,
    code: decision.code,
    text: decision.text,
    changes: decision.changes,
    change_records: decision.changeRecords.map((record) => ({ ...record })),
    request,
    pre: decision.pre.map(encodeAction),
    forward: decision.forward === null ? null : encodeAction(decision.forward),
    forward_more: decision.forwardMore.map(encodeAction),
    post: decision.post.map(encodeAction),
    entries: decision.entries.map((entry) => ({
      ...entryView(entry, marginOf(deps.account, decision, entry)),
      ...dexView(deps.account, entry, now),
    })),
    ...shownCross(deps.account),
    account_age_ms: ageOf(deps.account.confirmedAt, now),
  }
  return { status: 200, body: shown }
}

type Typed = JsonObject & { readonly type: string }

const isTyped = (value: Json): value is Typed =>
  isObject(value) && typeof value['type'] === 'string'

type Asked =
  | { readonly ok: true; readonly action: Typed; readonly client: Address | null }
  | { readonly ok: false; readonly text: string }

function readPreview(body: Uint8Array): Asked {
  const json = parseJson(body)
  if (!json.ok) return { ok: false, text: json.error }
  const fields = new Fields()
  const from = fields.object(json.value, 'the request', ['action'], ['client'])
  const action = from?.['action']
  const isAction = action !== undefined && isTyped(action)
  if (from !== null && action !== undefined && !isAction) {
    fields.problem('', 'action', 'an object with a type', action)
  }
  const named = from?.['client'] ?? null
  const client = named === null ? null : parseAddress(named)
  if (client !== null && !client.ok) fields.note(`client ${client.error}`)
  if (fields.problems.length > 0 || !isAction) {
    return { ok: false, text: fields.listed().join('; ') }
  }
  return { ok: true, action, client: client?.ok === true ? client.value : null }
}

/** What is answered without a look at the account. */
function unjudged(
  { verdict, code, text }: Pick<Decision, 'verdict' | 'code' | 'text'>,
  request: Json,
  ageMs: number | null,
): Reply {
  const nothing = {
    changes: [],
    change_records: [],
    pre: [],
    forward: null,
    forward_more: [],
    post: [],
    entries: [],
    cross: null,
    cross_pools: [],
  }
  const body = { verdict, code, text, request, ...nothing, account_age_ms: ageMs }
  return { status: 200, body }
}

/** With which margin an entry would be filled; null where nobody knows. */
function marginOf(
  account: Account,
  { pre }: Decision,
  { coin }: EntryDecision,
): Leverage['type'] | null {
  const market = account.market(coin as Coin)
  if (market === null) return null
  const { asset, coin: of } = market
  const isSet = pre.some((step) => step.type === 'updateLeverage' && step.asset === asset)
  if (isSet) return 'isolated'
  const held = account.positions.get(of)?.leverage ?? account.leverage(of)?.leverage
  return held?.type ?? null
}

function shownCross(account: Account): JsonObject {
  const pools = crossView(account).cross_pools.map((pool) => ({ ...pool }))
  return { cross: pools[0] ?? null, cross_pools: pools }
}

function entryView(entry: EntryDecision, margin: Leverage['type'] | null): JsonObject {
  return {
    coin: entry.coin,
    side: entry.side,
    requested_size: entry.requestedSize.toString(),
    size: entry.size.toString(),
    worst_price: textOf(entry.worstPrice),
    stop: textOf(entry.stop),
    leverage: entry.leverage,
    margin,
    risk: textOf(entry.risk),
    verdict: entry.verdict,
    code: entry.code,
  }
}

function textOf(value: Decimal | null): string | null {
  return value === null ? null : value.toString()
}

function ageOf(at: Millis | null, now: Millis): number | null {
  return at === null ? null : Math.max(0, now - at)
}
