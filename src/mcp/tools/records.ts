import * as z from 'zod'
import { codes } from '../../core/judge/codes.ts'
import type { Json, JsonObject } from '../../core/protocol/action.ts'
import { actionCatalog } from '../../core/protocol/actionCatalog.ts'
import { isObject } from '../../core/protocol/fields.ts'
import { ruleTable } from '../../core/rules/ruleTable.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { limits } from '../../core/values/limits.ts'
import { AgentError, GuardAway, stillUnknown } from '../agentError.ts'
import type { AgentContext } from '../context.ts'
import type { DecisionReply } from '../../client/client.ts'
import { isPlainName } from '../plainNames.ts'
import { shareOf } from '../money.ts'
import { orderWords } from '../orderAnswer.ts'
import { ownRules } from '../ownRules.ts'
import { ordersOf, wasTaken } from '../outcome.ts'
import { figure, idempotencyKey, inputOf, untrusted, untrustedText } from '../schemas.ts'
import { counted, fitted, quoted } from '../answer.ts'
import { tool } from '../tool.ts'

const explainOutput = z.strictObject({
  seq: z.number().int(),
  nonce: z.number().int().nullable(),
  own: z.boolean().describe('whether this agent asked for it'),
  action: z.string().nullable(),
  verdict: z.enum(['allow', 'resize', 'veto']),
  code: z.string(),
  asked: z.array(z.string()).describe('each order that was asked for'),
  sent: z.array(z.string()).describe('each order that went to the venue'),
  accepted: z
    .array(z.boolean().nullable())
    .describe('of each action that was sent: whether the venue took it; null: nobody can tell yet'),
  meaning: z.string().describe("the code's own documentation"),
  remedy: z.string(),
  rules: z.array(z.strictObject({ rule: z.string(), meaning: z.string() })),
  untrusted: untrusted({
    text: untrustedText.describe('why, in a sentence that may quote the request'),
    changes: z.array(untrustedText),
    venue: z.array(untrustedText),
  }),
})

export const explainTool = tool({
  name: 'guard_explain',
  title: 'Why Guard decided so',
  description:
    "One decision, by its nonce or by the idempotency_key of your order: what was asked, what was sent, whether the venue took it, and why, with the rule's own documentation.",
  effect: 'reads',
  isIdempotent: true,
  input: inputOf({
    nonce: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
    idempotency_key: idempotencyKey,
  }),
  output: explainOutput,
  run: async (context, { nonce, idempotency_key: key }) => {
    const record = await recordAsked(context, nonce, key)
    const { decision, sent } = record
    const row = codes.find(({ code }) => code === decision.code)
    const touched = decision.change_records.map(({ rule }) => rule)
    const rules = ruleTable.filter(
      ({ key: name }) => name === decision.code || touched.includes(name),
    )
    const forwarded = [
      ...decision.pre,
      ...(decision.forward === null ? [] : [decision.forward]),
      ...decision.forward_more,
    ]
    const { mode } = await context.status()
    const isAnswered = decision.verdict === 'veto' || mode === 'paper' || sent.length > 0
    const accepted = isAnswered ? sent.map(wasTaken) : forwarded.map(() => null)
    const isUnknown = accepted.includes(null)
    return {
      text: explained(decision, row, accepted),
      data: {
        ...{ seq: decision.seq, nonce: decision.nonce, action: actionName(decision.action) },
        own: decision.client !== null && decision.client === context.key?.address,
        ...{ verdict: decision.verdict, code: decision.code },
        asked: await wordsOf(context, [decision.request]),
        sent: decision.verdict === 'veto' ? [] : await wordsOf(context, forwarded),
        accepted,
        meaning: row?.when ?? 'This code is newer than this server.',
        remedy: isUnknown ? findOut : (row?.remedy ?? 'Ask the person at the machine.'),
        rules: rules.map(({ key: rule, text }) => ({ rule, meaning: text })),
        untrusted: {
          text: quoted(decision.text),
          changes: decision.changes.slice(0, limits.agentRowsMax).map(quoted),
          venue: sent.flatMap(({ reply }) => errorsIn(reply)).map(quoted),
        },
      },
    }
  },
})

/** The type of an action; null for one that the venue does not have, whatever a bot called it. */
function actionName(type: string | null): string | null {
  return type !== null && Object.hasOwn(actionCatalog, type) ? type : null
}

async function recordAsked(
  context: AgentContext,
  nonce: number | undefined,
  key: string | undefined,
): Promise<DecisionReply> {
  if ((nonce === undefined) === (key === undefined)) {
    throw new AgentError('A decision has one name', 'Give either nonce or idempotency_key.')
  }
  const own = context.key?.address ?? null
  const state = key === undefined ? null : context.once.stateOf(key)
  if (key !== undefined && context.key === null) {
    throw new AgentError('This server has no client key', 'Ask by nonce instead.')
  }
  const find = async (): Promise<DecisionReply | null> =>
    nonce === undefined
      ? context.port.decisionOn(context.key?.cloidOf(key ?? '') ?? '')
      : ((own === null ? null : await context.port.decision(nonce, own)) ??
        (await context.port.decision(nonce, null)))
  const record = await find().catch((error: unknown) => {
    throw error instanceof GuardAway && state !== null ? stillUnknown(error.what) : error
  })
  if (record !== null) return record
  if (state === 'running') {
    throw new AgentError(
      'A call with this idempotency_key is under way, and Guard has not decided on its order yet',
      'It may be sent at any moment. Ask again in some seconds, or wait for the answer of that call.',
    )
  }
  if (state === 'unknown') throw stillUnknown('Guard has no decision on it yet')
  throw new AgentError(
    'Guard has no decision of that name, so nothing was sent for it',
    'Check it: guard_events with kind "decision" lists the nonces.',
  )
}

const findOut =
  'It may have been placed. Do not send it as a new order: open_orders and fills show what the venue has, and the same tool with the same idempotency_key finds out.'

function explained(
  { verdict, code, change_records: changes }: DecisionReply['decision'],
  row: (typeof codes)[number] | undefined,
  accepted: readonly (boolean | null)[],
): string {
  if (verdict === 'veto') {
    return `Vetoed (${code}), and nothing was sent. ${row?.when ?? ''} ${row?.remedy ?? ''}`
  }
  const rules = [...new Set(changes.map(({ rule }) => rule))]
  const by = rules.length === 0 ? `(${code})` : `by ${rules.join(', ')}`
  const taken = accepted.filter((each) => each === true).length
  const unknown = accepted.filter((each) => each === null).length
  const counts = `${counted(accepted.length, 'action')} sent, ${String(taken)} accepted whole`
  const open = unknown === 0 ? '' : `, of ${String(unknown)} it is not known yet. ${findOut}`
  return `Guard's verdict was ${verdict} ${by}; ${counts}${open === '' ? '.' : open}`
}

/** The orders of actions in plain words; other actions by their type. */
async function wordsOf({ reads }: AgentContext, actions: readonly Json[]): Promise<string[]> {
  const worded = async (order: JsonObject): Promise<string> => {
    // A record is explained also while the venue does not say what its markets are called.
    const coin = (await reads.marketOf(Number(order['a'])).catch(() => undefined))?.coin
    return quoted(orderWords(isPlainName(coin) ? coin : 'a market', onlyFigures(order)))
  }
  const words = actions.filter(isObject).map(async (action) => {
    const orders = ordersOf(action)
    const type = String(action['type'])
    if (orders.length === 0) return [actionName(type) ?? 'another action']
    return Promise.all(orders.slice(0, limits.agentRowsMax).map(worded))
  })
  return (await Promise.all(words)).flat()
}

/** An order of a bot as it came may hold any text in place of a figure. */
function onlyFigures(order: JsonObject): JsonObject {
  const figureOf = (value: Json | undefined): string =>
    typeof value === 'string' && /^[\d.]{1,30}$/.test(value) ? value : '?'
  return { b: order['b'] === true, s: figureOf(order['s']), p: figureOf(order['p']) }
}

function errorsIn(reply: Json): readonly string[] {
  if (!isObject(reply)) return []
  const { response, error } = reply
  if (typeof error === 'string') return [error]
  if (typeof response === 'string') return [response]
  const data = isObject(response) && isObject(response['data']) ? response['data'] : {}
  const statuses = data['statuses']
  if (!Array.isArray(statuses)) return []
  return (statuses as readonly Json[]).flatMap((each) =>
    isObject(each) && typeof each['error'] === 'string' ? [each['error']] : [],
  )
}

const eventKinds = [
  ...['started', 'decision', 'sent', 'risk', 'flatten', 'protect', 'kill', 'error'],
  ...['stopped', 'recovered', 'reviewed'],
] as const

const event = z.strictObject({
  seq: z.number().int(),
  at_ms: z.number().int(),
  kind: z.string(),
  code: z.string().nullable(),
  verdict: z.string().nullable(),
  nonce: z.number().int().nullable(),
  state: z.string().nullable(),
  ok: z.boolean().nullable().describe('of what was sent: whether the venue took it'),
  untrusted: untrusted({ text: untrustedText.nullable() }),
})

export const eventsTool = tool({
  name: 'guard_events',
  title: 'What has happened',
  description:
    "Guard's events after a number, oldest first, at most 200, of all kinds or of some. guard_status has the newest number as last_seq. Texts in it were written by bots or the venue.",
  effect: 'reads',
  isIdempotent: true,
  input: inputOf({
    since: z
      .number()
      .int()
      .min(0)
      .max(Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('the last seq that you know; 0 for all'),
    kinds: z.array(z.enum(eventKinds)).max(eventKinds.length).optional(),
    limit: z
      .number()
      .int()
      .min(1)
      .max(limits.agentEventsMax)
      .optional()
      .describe('at most this many; 50 unless told'),
  }),
  output: z.strictObject({
    events: z.array(event),
    more: z.number().int().describe('how many of them had no room'),
    last_seq: z.number().int(),
  }),
  run: async ({ port }, { since = 0, kinds = [], limit = limits.agentRowsMax }) => {
    const page = await port.events(since, [...new Set(kinds)].join(','), limit)
    return fitted(page.events, limits.agentAnswerCharsMax, (shown, more) => ({
      text: `${counted(shown.length, 'event')} after ${String(since)}; the newest of all is ${String(page.last)}.`,
      data: { events: shown.map(eventView), more, last_seq: page.last },
    }))
  },
})

export function eventView(from: JsonObject): z.input<typeof event> {
  const word = (name: string): string | null => {
    const value = from[name]
    return typeof value === 'string' && /^[a-z_]{1,40}$/.test(value) ? value : null
  }
  const said = from['text'] ?? from['reason'] ?? from['evidence']
  return {
    ...{ seq: Number(from['seq']), at_ms: Number(from['at_ms']), kind: word('kind') ?? 'other' },
    ...{ code: word('code'), verdict: word('verdict'), state: word('state') },
    nonce: typeof from['nonce'] === 'number' ? from['nonce'] : null,
    ok: typeof from['ok'] === 'boolean' ? from['ok'] : null,
    untrusted: { text: typeof said === 'string' ? quoted(said) : null },
  }
}

export const rulesTool = tool({
  name: 'guard_rules',
  title: 'The rules in force',
  description:
    'Every rule that holds for you, with its value, its meaning, and what it comes to in USD now; where a market has a tighter one, guard_limits and guard_preview go by it. No tool can change a rule: a person does that at the machine.',
  effect: 'reads',
  isIdempotent: true,
  input: inputOf({}),
  output: z.strictObject({
    rules: z.array(
      z.strictObject({
        rule: z.string(),
        value: z.string(),
        usd: figure('USD for this account now'),
        meaning: z.string(),
      }),
    ),
  }),
  run: async (context) => {
    const status = await context.status()
    const inForce = ownRules(status, context.key?.address ?? null)
    const rules = ruleTable.map(({ key, kind, text, unset = 'none' }) => {
      const value = inForce[key] === null ? unset : valueText(inForce[key])
      const isMoney = kind === 'ratio' && !/distance|_fee$|_gap$|_book_/.test(key)
      const usd =
        isMoney || key === 'max_leverage'
          ? shareOf(sizedBy(status.risk.equity, inForce['equity_cap']), value)
          : null
      return {
        rule: key,
        value,
        usd: kind === 'usd' && value !== unset ? value : usd,
        meaning: text,
      }
    })
    return {
      text: `${String(rules.length)} rules are in force; a person changes them at the machine.`,
      data: { rules },
    }
  },
})

/** The equity that shares are of: never more than `equity_cap`. */
function sizedBy(equity: string | null, cap: Json | undefined): string | null {
  const [whole, most] = [Decimal.parse(equity), Decimal.parse(cap)]
  return whole.ok && most.ok ? Decimal.min(whole.value, most.value).toString() : equity
}

/** A market as the rules name it: `*`, `BTC`, `xyz:*` or `xyz:TSLA`. */
function ruleName(name: Json): string {
  return name === '*' || isPlainName(typeof name === 'string' ? name.replace(/:\*$/, ':ALL') : null)
    ? String(name)
    : 'another market'
}

function valueText(value: Json | undefined): string {
  if (value === null || value === undefined) return 'none'
  if (Array.isArray(value)) return value.map((each) => ruleName(each as Json)).join(', ')
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'none'
}
