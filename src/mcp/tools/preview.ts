import * as z from 'zod'
import { Decimal } from '../../core/values/decimal.ts'
import { limits } from '../../core/values/limits.ts'
import type { AgentContext } from '../context.ts'
import type { Preview } from '../../client/client.ts'
import type { Status } from '../guardPort.ts'
import { midOf } from '../marketNames.ts'
import { shownName } from '../plainNames.ts'
import { moneyView, rounded } from '../money.ts'
import { madeOrder } from '../orderWish.ts'
import { amount, coinName, figure, inputOf, sideName, verdictName } from '../schemas.ts'
import { fitted, isFitting } from '../answer.ts'
import { tool } from '../tool.ts'

/** What an order is asked with, for a preview and for placing it. */
export const orderShape = {
  coin: coinName,
  side: sideName,
  size: amount('coins').optional(),
  size_usd: amount('USD, in place of size').optional(),
  price: amount(
    'USD, the limit; without it a market order, immediate and at the worst price that the rules allow',
  ).optional(),
  stop: amount(
    'USD, the trigger of its stop; without it Guard adds one or refuses, by its rules',
  ).optional(),
  take_profit: amount('USD, the trigger of its take profit').optional(),
  tif: z
    .enum(['gtc', 'ioc', 'alo'])
    .optional()
    .describe(
      'of an order with a price. gtc: rests until cancelled (usual). ioc: at once or not at all. alo: only if it rests',
    ),
}

const previewOutput = z.strictObject({
  verdict: verdictName,
  code: z.string(),
  reason: z.string(),
  asked_size: figure('coins'),
  size: figure('coins that would go out'),
  worst_price: figure('USD'),
  stop: figure('USD'),
  leverage: z.number().nullable(),
  risk: figure('USD lost at the stop, costs included'),
  rules: z.array(z.string()).describe('the rules that changed it'),
  more_rules: z.number().int(),
})

export const previewTool = tool({
  name: 'guard_preview',
  title: 'What Guard would decide',
  description:
    'What would happen to this order now, by the same judge that decides: allow, resize (smaller, with a stop, at a better limit) or veto, and why. Nothing is sent, reserved or recorded. Use it before place_order.',
  effect: 'reads',
  isIdempotent: true,
  input: inputOf(orderShape),
  output: previewOutput,
  charsMax: limits.agentPreviewCharsMax,
  run: async (context, wish) => {
    const made = await madeOrder(context, await context.status(), wish, null)
    const preview = await context.port.preview(made.action, context.key?.address ?? null)
    const [entry] = preview.entries
    const rules = [...new Set(preview.change_records.map(({ rule }) => rule))]
    const text = lineOf(preview, wish.side, shownName(wish.coin))
    const reason = context.reads.inPlainNames(preview.text)
    const answer = (shown: readonly string[], more: number, reasonChars: number) => ({
      text,
      data: {
        ...{ verdict: preview.verdict, code: preview.code },
        reason: shortened(reason, reasonChars),
        asked_size: entry?.requested_size ?? made.size.toString(),
        size: entry?.size ?? null,
        ...{ worst_price: entry?.worst_price ?? null, stop: entry?.stop ?? null },
        ...{ leverage: entry?.leverage ?? null, risk: rounded(entry?.risk ?? null) },
        rules: [...shown],
        more_rules: more,
      },
    })
    // Where the figures are long the reason is shorter; its beginning says the most.
    const fit = (chars: number) =>
      fitted(rules, limits.agentPreviewCharsMax, (shown, more) => answer(shown, more, chars))
    const most = fit(limits.agentReasonCharsMax)
    return isFitting(most, limits.agentPreviewCharsMax) ? most : fit(limits.agentAlertCharsMax)
  },
})

function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`
}

function lineOf({ verdict, code, entries }: Preview, side: string, coin: string): string {
  const [entry] = entries
  if (verdict === 'veto' || entry === undefined) {
    return `Guard would ${verdict} this (${code}).`
  }
  return `Guard would ${verdict} this: ${side} ${entry.size} ${coin}, stop ${entry.stop ?? 'none'}.`
}

const limitsOutput = z.strictObject({
  coin: z.string(),
  side: sideName,
  largest_size: z.string().describe('coins; "0" where nothing would pass'),
  value: figure('USD'),
  stop: figure('USD, the stop it was computed with'),
  leverage: z.number().nullable(),
  risk: figure('USD lost at the stop, costs included'),
  binds: z
    .string()
    .describe(
      'the rule that keeps it from being larger, or the code of the refusal; position: it closes one, whole',
    ),
  reason: z.string(),
  usd_left: z
    .strictObject({ day_loss: figure('USD'), drawdown: figure('USD'), open_risk: figure('USD') })
    .describe('until each halt, and of the open risk'),
})

export const limitsTool = tool({
  name: 'guard_limits',
  title: 'The largest order that would pass',
  description:
    'For one coin and side: the largest size that would pass now with this stop (or with the one Guard would add), which rule binds, and how far each halt is, in USD.',
  effect: 'reads',
  isIdempotent: true,
  input: inputOf({
    coin: coinName,
    side: sideName,
    price: amount('USD, a limit; without it a market order').optional(),
    stop: amount('USD, the trigger of the stop').optional(),
  }),
  output: limitsOutput,
  run: async (context, { coin, side, price, stop }) => {
    const status = await context.status()
    const more = {
      ...(price === undefined ? {} : { price }),
      ...(stop === undefined ? {} : { stop }),
    }
    const wish = { coin, side, size: '1', ...more }
    const one = await madeOrder(context, status, wish, null)
    const held = heldAgainst(status, one.market.coin, side)
    const size = held ?? (await beyondEveryLimit(context, status.risk.equity, one))
    const made = await madeOrder(context, status, { ...wish, size }, null)
    const preview = await context.port.preview(made.action, context.key?.address ?? null)
    const [entry] = preview.entries
    const largest = preview.verdict === 'veto' ? '0' : (entry?.size ?? held ?? '0')
    const binding = preview.change_records.find(({ field }) => field === 'size')
    const closes = held === null ? 'none' : 'position'
    const binds = preview.verdict === 'veto' ? preview.code : (binding?.rule ?? closes)
    const money = moneyView(status)
    const worth = Decimal.of(largest).times(made.price)
    return {
      text: `At most ${largest} ${shownName(coin)} to ${side} now; ${binds} binds.`,
      data: {
        ...{ coin: shownName(coin), side, largest_size: largest, value: rounded(worth.toString()) },
        ...{ stop: entry?.stop ?? null, leverage: entry?.leverage ?? null },
        ...{
          risk: rounded(entry?.risk ?? null),
          binds,
          reason: context.reads.inPlainNames(preview.text),
        },
        usd_left: {
          day_loss: money.day_loss_left,
          drawdown: money.drawdown_left,
          open_risk: money.open_risk_left,
        },
      },
    }
  },
})

/** The size of the position that an order of this side would close, in coins; null where there is none. */
function heldAgainst(status: Status, coin: string, side: 'buy' | 'sell'): string | null {
  const position = status.positions.find((each) => each.coin === coin)
  if (position === undefined || (position.side === 'long') === (side === 'buy')) return null
  return Decimal.of(position.size).abs().toString()
}

/** A size that no account of this equity may hold: a hundred times what it is worth. */
async function beyondEveryLimit(
  context: AgentContext,
  equity: string | null,
  { market, price }: Awaited<ReturnType<typeof madeOrder>>,
): Promise<string> {
  const mid = (await midOf(context.reads, market)) ?? price
  const worth = Decimal.parse(equity)
  const least = Decimal.min(price, mid)
  const hundredfold = (worth.ok ? worth.value : Decimal.one).times(Decimal.whole(100))
  const size = hundredfold.over(least, market.sizeDecimals, 'ceil').plus(Decimal.one)
  return size.toString()
}
