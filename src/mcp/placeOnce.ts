import { randomUUID } from 'node:crypto'
import type { Json, JsonObject, WireAction } from '../core/protocol/action.ts'
import { Decimal } from '../core/values/decimal.ts'
import { AgentError, GuardAway, stillUnknown } from './agentError.ts'
import type { AgentKey } from './agentKey.ts'
import type { AgentContext } from './context.ts'
import type { DecisionReply } from '../client/client.ts'
import type { Status } from './guardPort.ts'
import { lookedUp } from './lookUp.ts'
import { plain } from './orderWish.ts'
import { shownName } from './plainNames.ts'
import { kindOf, orderAnswer, orderWords, repeatedIf, withNext } from './orderAnswer.ts'
import type { AnsweredOrder, OrderOutput } from './orderAnswer.ts'
import { ordersOf, outcomeOf, placedOrder, recordedOutcome } from './outcome.ts'
import { isUnjudged } from './sender.ts'
import type { FoundAgain, NamedOrder, Sender, Sent } from './sender.ts'
import type { ToolAnswer } from './answer.ts'

/** An order that is ready to be signed. */
export interface Prepared {
  readonly coin: string
  readonly side: 'buy' | 'sell'
  readonly askedSize: string
  readonly action: WireAction
  /** What the agent should know once it is done; left out: nothing. */
  readonly then?: string
}

interface Placing {
  readonly tool: string
  readonly key: string | undefined
  /** The tool's arguments without the key. */
  readonly given: JsonObject
  /** Makes the order with this id; not called where the first answer is found. */
  readonly make: (cloid: string, status: Status) => Promise<Prepared>
}

/** Places an order; with an idempotency key at most once, however often and from wherever it is asked. */
export async function placeOnce(
  context: AgentContext,
  placing: Placing,
  signal: AbortSignal,
): Promise<ToolAnswer<OrderOutput>> {
  const { key, sender } = signing(context)
  if (placing.key === undefined) {
    const cloid = key.cloidOf(`once ${randomUUID()}`)
    const prepared = await placing.make(cloid, await context.status())
    const sent = await sender.send('/exchange', prepared.action, signal)
    return sentAnswer(context, prepared, { cloid, hasKey: false }, sent)
  }
  const named = {
    key: placing.key,
    arguments: `${placing.tool} ${canonical(placing.given)}`,
    cloid: key.cloidOf(placing.key),
  }
  try {
    const begin = () => firstOrSent(context, sender, named, placing, signal)
    const { answer, isFirst } = await context.once.run(named.key, named.arguments, begin, endOf)
    return repeatedIf(!isFirst && !answer.data.repeated, answer)
  } catch (error) {
    if (!(error instanceof GuardAway) || context.once.stateOf(named.key) === null) throw error
    throw stillUnknown(error.what)
  }
}

/** Whether an answer is the one of its key for ever. */
function endOf({ data }: ToolAnswer<OrderOutput>): 'final' | 'unknown' | 'nothing_sent' {
  if (data.outcome === 'unknown') return 'unknown'
  const isOpen = data.outcome === 'not_sent' || isUnjudged(data.code)
  return isOpen ? 'nothing_sent' : 'final'
}

async function firstOrSent(
  context: AgentContext,
  sender: Sender,
  named: NamedOrder,
  { make }: Placing,
  signal: AbortSignal,
): Promise<ToolAnswer<OrderOutput>> {
  const status = await context.status()
  const words = (record: DecisionReply) => describe(context, record, named.cloid)
  const found = await sender.first(named, words)
  if (found !== null) return foundAnswer(context, status, named.cloid, found)
  const prepared = await make(named.cloid, status).catch(async (error: unknown) => {
    // Another server may have sent it meanwhile: then nothing is left to close or to change.
    const meanwhile = await sender.first(named, words).catch(() => null)
    if (meanwhile === null) throw error
    return meanwhile
  })
  if ('record' in prepared) return foundAnswer(context, status, named.cloid, prepared)
  const sent = await sender.sendNamed(named, prepared.action, words, signal)
  return 'delivery' in sent
    ? sentAnswer(context, prepared, { cloid: named.cloid, hasKey: true }, sent)
    : foundAnswer(context, status, named.cloid, sent)
}

function sentAnswer(
  context: AgentContext,
  { coin, side, askedSize, action, then }: Prepared,
  { cloid, hasKey }: Pick<AnsweredOrder, 'cloid' | 'hasKey'>,
  { nonce, delivery, record }: Sent,
): ToolAnswer<OrderOutput> {
  const asked = { coin, side, askedSize, cloid, nonce, hasKey, kind: kindOf(action) }
  const told = outcomeOf(delivery, record)
  const placed = record === null ? null : placedOrder(record, cloid)
  // The venue answers a changed order without a word on the new one; what Guard sent for it has one.
  const isBare = told.state === 'done' && told.statuses.length === 0 && record !== null
  const outcome = isBare ? recordedOutcome(record, placed, false) : told
  const answer = orderAnswer(asked, context.inPlainNames(outcome), placed, false)
  return outcome.state === 'done' && then !== undefined ? withNext(answer, then) : answer
}

/** The first answer again, from Guard's record; where that does not know the end, the venue is asked. */
async function foundAnswer(
  context: AgentContext,
  status: Status,
  cloid: string,
  { nonce, record }: FoundAgain,
): Promise<ToolAnswer<OrderOutput>> {
  const placed = placedOrder(record, cloid)
  const asked = await askedOf(context, record, cloid, nonce)
  const recorded = recordedOutcome(record, placed, status.mode === 'paper')
  const outcome =
    recorded.state === 'unknown'
      ? await lookedUp(context, status, record, cloid, recorded)
      : recorded
  return orderAnswer(asked, context.inPlainNames(outcome), placed, true)
}

async function askedOf(
  context: AgentContext,
  { decision }: DecisionReply,
  cloid: string,
  nonce: number,
): Promise<AnsweredOrder> {
  const order = ordersOf(decision.request).find((each) => each['c'] === cloid) ?? {}
  const size = order['s']
  return {
    coin: await coinOf(context, order),
    side: order['b'] === true ? 'buy' : 'sell',
    askedSize: typeof size === 'string' ? size : null,
    cloid,
    nonce,
    hasKey: true,
    kind: kindOf(decision.request),
  }
}

async function describe(
  context: AgentContext,
  { decision }: DecisionReply,
  cloid: string,
): Promise<string> {
  const order = ordersOf(decision.request).find((each) => each['c'] === cloid) ?? {}
  return orderWords(await coinOf(context, order), order)
}

async function coinOf({ reads }: AgentContext, order: JsonObject): Promise<string> {
  const market = await reads.marketOf(Number(order['a']))
  return market === undefined ? 'a market' : shownName(market.coin)
}

/** Arguments as one text that depends neither on their order nor on zeros at the end of a decimal. */
function canonical(given: JsonObject): string {
  const entries = Object.entries(given)
    .map(([name, value]): [string, Json] => [name, name === 'coin' ? value : plainly(value)])
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(Object.fromEntries(entries))
}

function plainly(value: Json): Json {
  const decimal = typeof value === 'string' ? Decimal.parse(value) : null
  return decimal?.ok === true ? plain(decimal.value) : value
}

/** The key and who sends with it; every tool that signs asks for them. */
export function signing({ key, sender }: AgentContext): {
  readonly key: AgentKey
  readonly sender: Sender
} {
  if (key !== null && sender !== null) return { key, sender }
  throw new AgentError(
    'This server has no client key, so it can only look',
    'The person who runs it can start it with --client-key-file.',
  )
}
