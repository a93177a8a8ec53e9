import * as z from 'zod'
import { Decimal } from '../../core/values/decimal.ts'
import { limits } from '../../core/values/limits.ts'
import type { Status } from '../guardPort.ts'
import { isPlainName, shownName } from '../plainNames.ts'
import { moneyView, rounded } from '../money.ts'
import { figure, inputOf, untrusted, untrustedText } from '../schemas.ts'
import { counted, fitted, isFitting, quoted } from '../answer.ts'
import { tool } from '../tool.ts'
import type { ToolAnswer } from '../answer.ts'

const position = z.strictObject({
  coin: z.string(),
  side: z.enum(['long', 'short']),
  size: z.string().describe('coins'),
  value: figure('USD'),
  pnl: figure('USD, not realised'),
  risk: figure('USD lost at the stop'),
  stop: figure('USD, the nearest stop'),
  covered: z.boolean().describe('stops cover the whole position'),
})

const output = z.strictObject({
  state: z.enum(['active', 'halted_for_day', 'stopped', 'killed']),
  mode: z.enum(['paper', 'testnet', 'mainnet']),
  entries_pass: z.boolean().describe('whether an entry within the rules would pass now'),
  venue: z.enum(['live', 'stale', 'down']),
  usd: z
    .strictObject({
      equity: figure('USD'),
      day_loss: figure('USD'),
      day_loss_left: figure('USD until everything is closed for the day'),
      drawdown: figure('USD'),
      drawdown_left: figure('USD until everything is closed until a person looks'),
      open_risk: figure('USD'),
      open_risk_left: figure('USD'),
    })
    .describe('used and left of each limit'),
  positions: z.array(position).describe('the largest risk first'),
  more_positions: z.number().int(),
  open_orders: z.number().int(),
  twaps: z.number().int().describe('TWAPs that the venue goes on trading by itself'),
  in_flight: z.number().int(),
  alerts: z.array(z.string()).describe('codes of what a person should know'),
  last_seq: z.number().int().describe('the number of the newest event, for guard_events'),
  untrusted: untrusted({
    kill_reason: untrustedText.nullable(),
    alerts: z.array(untrustedText),
    names: z.array(untrustedText).describe('market names that are no mere names'),
  }),
})

export const statusTool = tool({
  name: 'guard_status',
  title: 'State of the account under Guard',
  description:
    'State, mode, kill switch, limits used and left in USD, positions with their stops (the largest risk first), alerts. Call it first, and after anything unexpected.',
  effect: 'reads',
  isIdempotent: true,
  input: inputOf({}),
  output,
  charsMax: limits.agentStatusCharsMax,
  run: async (context) => statusAnswer(await context.status()),
})

export function statusAnswer(status: Status): ToolAnswer<z.input<typeof output>> {
  const byRisk = [...status.positions].sort((a, b) => amount(b.risk).cmp(amount(a.risk)))
  const usd = moneyView(status)
  const state = status.kill.latched ? ('killed' as const) : status.risk.state
  const withTexts = (charsMax: number) =>
    fitted(byRisk, limits.agentStatusCharsMax, (shown, more) => {
      const cut = (text: string): string => cutTo(charsMax, text)
      const data = {
        ...{ state, mode: status.mode, entries_pass: status.entries.pass },
        ...{ venue: status.venue.stream, usd },
        positions: shown.map(positionView),
        more_positions: more,
        ...{ open_orders: status.open_orders, in_flight: status.in_flight },
        twaps: status.twaps.length,
        alerts: status.alerts.slice(0, limits.agentAlertsMax).map(({ code }) => code),
        last_seq: status.last_seq,
        untrusted: {
          kill_reason: status.kill.reason === null ? null : cut(status.kill.reason),
          alerts: status.alerts.slice(0, limits.agentAlertsMax).map(({ text }) => cut(text)),
          names: shown.filter(({ coin }) => !isPlainName(coin)).map(({ coin }) => cut(coin)),
        },
      }
      return { text: statusLine(status, usd.equity), data }
    })
  // Where the texts of others leave no room for a position they are shorter.
  const most = withTexts(limits.agentAlertCharsMax)
  return most.data.positions.length > 0 ||
    (byRisk.length === 0 && isFitting(most, limits.agentStatusCharsMax))
    ? most
    : withTexts(limits.agentAlertCharsMin)
}

function statusLine(status: Status, equity: string | null): string {
  const { kill, risk, entries, positions, alerts } = status
  const state = kill.latched ? 'killed' : risk.state.replaceAll('_', ' ')
  const paper = status.mode === 'paper' ? ' Paper mode: nothing is ever sent.' : ''
  const open = entries.pass ? 'Entries pass.' : 'Nothing opens now; closing and cancelling work.'
  return `Guard is ${state}: equity ${equity ?? 'unknown'} USD, ${counted(positions.length, 'position')}, ${counted(alerts.length, 'alert')}. ${open}${paper}`
}

function positionView(position: Status['positions'][number]) {
  const isLong = position.side === 'long'
  const triggers = position.stops.map(({ price }) => amount(price))
  const [first, ...rest] = triggers
  const nearest =
    first === undefined
      ? null
      : rest.reduce((a, b) => (isLong === b.gt(a) ? b : a), first).toString()
  return {
    coin: shownName(position.coin),
    side: position.side,
    size: position.size,
    value: rounded(position.value),
    pnl: rounded(position.unrealised_pnl),
    risk: rounded(position.risk),
    stop: nearest,
    covered: position.covered,
  }
}

function amount(text: string | null): Decimal {
  const value = Decimal.parse(text)
  return value.ok ? value.value : Decimal.zero
}

function cutTo(charsMax: number, text: string): string {
  const shown = quoted(text)
  return shown.length <= charsMax ? shown : `${shown.slice(0, charsMax)}…`
}
