import * as z from 'zod'
import type { Json, JsonObject } from '../core/protocol/action.ts'
import type { ReplyStatus } from '../core/protocol/exchangeReply.ts'
import { isObject } from '../core/protocol/fields.ts'
import { nextStep } from './nextStep.ts'
import type { SentKind } from './nextStep.ts'
import type { Outcome, PlacedOrder } from './outcome.ts'
import { ordersOf } from './outcome.ts'
import { figure, untrusted, untrustedText, verdictName } from './schemas.ts'
import { quoted } from './answer.ts'
import type { ToolAnswer } from './answer.ts'

/** What every tool answers that sends something. */
export const sentShape = {
  outcome: z
    .enum(['done', 'would', 'refused', 'venue_refused', 'not_sent', 'unknown'])
    .describe(
      'done: the venue took it. would: paper mode, nothing was sent. refused: by a rule of Guard. venue_refused: by the venue. not_sent: it did not leave. unknown: nobody can tell yet',
    ),
  verdict: verdictName.nullable(),
  code: z.string().nullable().describe("Guard's reason code; guard_explain has its documentation"),
  reason: z.string().nullable().describe("Guard's sentence, with what would pass"),
  changes: z.array(z.string()).describe('what Guard changed, and why'),
  next: z.string().nullable().describe('what to do next; null when there is nothing to do'),
  nonce: z.number().int().nullable().describe('for guard_explain'),
}

export const orderOutput = z.strictObject({
  ...sentShape,
  order: z
    .strictObject({
      coin: z.string(),
      side: z.enum(['buy', 'sell']),
      asked_size: figure('coins'),
      size: figure('coins, as sent'),
      limit_price: figure('USD'),
      stop: figure('USD, the trigger of the stop that goes with it'),
      state: z.enum(['filled', 'resting', 'waiting', 'refused', 'not_known', 'not_sent']),
      filled_size: figure('coins'),
      average_price: figure('USD'),
      oid: z.number().int().nullable(),
      cloid: z.string(),
    })
    .describe('what was really placed'),
  repeated: z
    .boolean()
    .describe(
      'true: an earlier call with this idempotency_key gave this answer; nothing was sent now',
    ),
  untrusted: untrusted({ venue: z.array(untrustedText) }),
})
export type OrderOutput = z.input<typeof orderOutput>

/** The request that an answer is about. */
export interface AnsweredOrder {
  readonly coin: string
  readonly side: 'buy' | 'sell'
  readonly askedSize: string | null
  readonly cloid: string
  readonly nonce: number | null
  /** Whether the call named an idempotency key. */
  readonly hasKey: boolean
  /** `other`: what is no order, such as a cancel. */
  readonly kind: SentKind
}

/** What an order's action is to do, as it was asked for. */
export function kindOf(action: Json): SentKind {
  if (!isObject(action)) return 'other'
  if (action['type'] === 'modify' || action['type'] === 'batchModify') return 'change'
  return ordersOf(action).every((each) => each['r'] === true) ? 'close' : 'entry'
}

export function orderAnswer(
  asked: AnsweredOrder,
  outcome: Outcome,
  placed: PlacedOrder | null,
  isRepeated: boolean,
): ToolAnswer<OrderOutput> {
  const status = outcome.statuses[0]
  const forwarded = placed?.order ?? {}
  const size = textOf(forwarded['s'])
  const stop = placed === null ? null : stopIn(placed)
  const isStopRefused = outcome.state === 'done' && stop?.isRefused === true
  const told = sentPart(outcome, asked.nonce, asked)
  const data = {
    ...told,
    next: isStopRefused ? withoutItsStop : told.next,
    order: {
      coin: asked.coin,
      side: asked.side,
      asked_size: asked.askedSize,
      size,
      limit_price: textOf(forwarded['p']),
      stop: isStopRefused ? null : (stop?.trigger ?? null),
      state: stateOf(outcome, status),
      filled_size: status?.kind === 'filled' ? status.totalSize.toString() : null,
      average_price:
        status?.kind === 'filled' && outcome.isPriceUnknown !== true
          ? status.averagePrice.toString()
          : null,
      oid: status?.kind === 'filled' || status?.kind === 'resting' ? status.oid : null,
      cloid: asked.cloid,
    },
    repeated: false,
    untrusted: { venue: outcome.venueWords.map(quoted) },
  }
  const refused = isStopRefused ? ` ${withoutItsStop}` : ''
  return repeatedIf(isRepeated, { text: `${orderLine(data)}${refused}`, data })
}

const withoutItsStop =
  'The venue refused the stop that went with it: Guard covers what fills with a stop of its own, or closes it. Call guard_status and look at the position.'

/** The answer as that of an earlier call, where it is one. */
export function repeatedIf(
  isRepeated: boolean,
  { text, data }: ToolAnswer<OrderOutput>,
): ToolAnswer<OrderOutput> {
  if (!isRepeated) return { text, data }
  const isSent = data.outcome === 'done' || data.outcome === 'venue_refused'
  const before = isSent || data.outcome === 'unknown' ? 'Sent' : 'Asked'
  return { text: `${before} before, and not again. ${text}`, data: { ...data, repeated: true } }
}

/** The answer with one more thing to do. */
export function withNext(
  { text, data }: ToolAnswer<OrderOutput>,
  more: string,
): ToolAnswer<OrderOutput> {
  const next = data.next === null ? more : `${data.next} ${more}`
  return { text: `${text} ${more}`, data: { ...data, next } }
}

/** The part of an answer that says how a request went. */
export function sentPart(
  outcome: Outcome,
  nonce: number | null,
  asked: Pick<AnsweredOrder, 'hasKey' | 'kind'> = { hasKey: false, kind: 'other' },
) {
  return {
    outcome: outcome.state,
    verdict: outcome.verdict,
    code: outcome.code,
    reason: outcome.reason,
    changes: [...outcome.changes],
    next: nextStep(outcome, asked),
    nonce,
  }
}

function orderLine({ outcome, verdict, code, reason, order, next }: OrderOutput): string {
  const what = `${order.side} ${order.size ?? order.asked_size ?? ''} ${order.coin}`
  const stop = order.stop === null ? '' : `, stop at ${order.stop}`
  const oid = order.oid === null ? '' : ` as oid ${String(order.oid)}`
  const cut =
    order.size !== null && order.asked_size !== null && order.size !== order.asked_size
      ? verdict === 'resize'
        ? ` Guard made it ${order.size} of the ${order.asked_size} asked.`
        : ` That is all there is of the ${order.asked_size} asked.`
      : ''
  switch (outcome) {
    case 'done':
      return order.state === 'filled'
        ? `Filled: ${what}, ${filledWords(order)}${stop}.${cut}`
        : `Accepted: ${what}, limit ${order.limit_price ?? ''}, ${order.state}${oid}${stop}.${cut}`
    case 'would':
      return `Paper mode: this would pass: ${what}, limit ${order.limit_price ?? ''}${stop}. Nothing was sent.${cut}`
    case 'refused':
      return `Refused by Guard (${code ?? 'no code'}): ${what}. ${whyOf(reason)}${next ?? ''}`
    default:
      return `${failedWords[outcome]}: ${what}. ${next ?? ''}`
  }
}

/** Guard's reason as a sentence before another; nothing where there is none. */
export function whyOf(reason: string | null): string {
  if (reason === null || reason === '') return ''
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}. `
}

function filledWords({ filled_size: size, average_price: price }: OrderOutput['order']): string {
  return price === null
    ? `${size ?? ''}, at a price that the tool fills tells`
    : `${size ?? ''} at ${price} on average`
}

const failedWords = {
  venue_refused: 'Refused by the venue',
  not_sent: 'Not sent',
  unknown: 'It is not known whether this was placed',
} as const

function stateOf(outcome: Outcome, status: ReplyStatus | undefined): OrderOutput['order']['state'] {
  if (outcome.state === 'unknown') return 'not_known'
  if (outcome.state !== 'done') return outcome.state === 'venue_refused' ? 'refused' : 'not_sent'
  switch (status?.kind) {
    case 'filled':
    case 'resting':
      return status.kind
    case 'waitingForFill':
    case 'waitingForTrigger':
      return 'waiting'
    case 'error':
      return 'refused'
    default:
      return 'not_known'
  }
}

/** The stop that goes out beside an order: its trigger, and whether the venue refused it. Null for none. */
function stopIn({ action, order, statuses }: PlacedOrder): {
  readonly trigger: string | null
  readonly isRefused: boolean
} | null {
  for (const [at, each] of ordersOf(action).entries()) {
    const { t: type } = each
    const trigger = isObject(type) ? type['trigger'] : null
    if (each !== order && isObject(trigger) && trigger['tpsl'] === 'sl') {
      return { trigger: textOf(trigger['triggerPx']), isRefused: statuses[at]?.kind === 'error' }
    }
  }
  return null
}

function textOf(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null
}

/** A recorded order in a few plain words: `buy 0.5 ETH at 2500`. */
export function orderWords(coin: string, order: JsonObject): string {
  const side = order['b'] === true ? 'buy' : 'sell'
  return `${side} ${textOf(order['s']) ?? '?'} ${coin} at ${textOf(order['p']) ?? '?'}`
}
