import type { StatusPosition, StatusView } from '../engine/statusView.ts'
import { bar, less, money, percent, since } from './figures.ts'
import { paint } from './terminal.ts'

/** `guard status` for a person: whether to worry, then how far each limit is. */
export function statusScreen(status: StatusView): string {
  return [
    headline(status),
    '',
    ...limits(status),
    '',
    ...positions(status),
    '',
    ...alerts(status),
    '',
    ...footer(status),
  ]
    .join('\n')
    .concat('\n')
}

function headline(status: StatusView): string {
  const mode = status.mode === 'mainnet' ? paint('red', ' MAINNET, real money ') : status.mode
  return [
    `${paint('bold', 'Guard')} ${status.version}  ${mode}  account ${status.account}`,
    `${state(status)}`,
  ].join('\n')
}

function state(status: StatusView): string {
  if (status.kill.latched) {
    return paint(
      'red',
      `KILL SWITCH LATCHED: ${status.kill.reason ?? 'no reason known'}; nothing opens`,
    )
  }
  switch (status.risk.state) {
    case 'active':
      return paint('green', 'active: entries within the rules pass')
    case 'halted_for_day':
      return paint('yellow', 'halted for the day: daily loss stop; nothing opens until 00:00 UTC')
    case 'stopped':
      return paint('red', 'stopped: drawdown halt; nothing opens until a person runs guard resume')
  }
}

function limits(status: StatusView): string[] {
  const { risk } = status
  const row = (name: string, used: string | null, limit: string | null, text: string): string =>
    `  ${name.padEnd(12)} ${bar(used, limit, 24)} ${text}`
  return [
    `  equity       ${money(risk.equity)}   day start ${money(risk.day_start_equity)}   peak ${money(risk.peak_equity)}`,
    row(
      'daily loss',
      risk.daily_loss,
      risk.daily_loss_limit,
      `${percent(risk.daily_loss)} of ${percent(risk.daily_loss_limit)}${haltsAt(risk.day_start_equity, risk.daily_loss_limit)}`,
    ),
    row(
      'drawdown',
      risk.drawdown,
      risk.drawdown_limit,
      `${percent(risk.drawdown)} of ${percent(risk.drawdown_limit)}${haltsAt(risk.peak_equity, risk.drawdown_limit)}`,
    ),
    row(
      'open risk',
      risk.open_risk,
      risk.open_risk_limit,
      `${money(risk.open_risk)} of ${money(risk.open_risk_limit)}`,
    ),
  ]
}

/** The equity at which a halt closes everything. */
function haltsAt(from: string | null, limit: string | null): string {
  const equity = less(from, limit)
  return equity === null ? '' : paint('gray', `  closes everything at ${money(equity)}`)
}

function positions(status: StatusView): string[] {
  if (status.positions.length === 0) return ['  no open positions']
  return ['  positions', ...status.positions.map(position)]
}

function position(each: StatusPosition): string {
  const stops = each.stops.map((stop) => `${stop.price} x ${stop.size} (${stop.owner})`).join(', ')
  const cover = each.covered ? paint('green', 'covered') : paint('red', 'NOT COVERED')
  return (
    `    ${each.coin.padEnd(8)} ${each.side.padEnd(5)} ${each.size} at ${each.entry_price}, ` +
    `worth ${money(each.value)}, profit ${money(each.unrealised_pnl)}, ` +
    `${each.leverage}x ${each.margin}\n` +
    `             ${cover}: ${stops === '' ? 'no stop' : `stop ${stops}`}; ` +
    `liquidation ${each.liquidation_price ?? 'none'}`
  )
}

function alerts(status: StatusView): string[] {
  if (status.alerts.length === 0) return ['  no alerts']
  return [
    paint('yellow', '  alerts'),
    ...status.alerts.map(
      (alert) => `    ${alert.code}: ${alert.text} (for ${since(status.now_ms - alert.since_ms)})`,
    ),
  ]
}

function footer(status: StatusView): string[] {
  const { venue, journal } = status
  const stream = venue.stream === 'live' ? paint('green', 'live') : paint('red', venue.stream)
  return [
    `  stream ${stream}   weight ${venue.weight_used_1m} of ${venue.weight_limit_1m} a minute   ` +
      `${status.open_orders} open orders, ${status.in_flight} in flight`,
    `  journal ${journal.events} events${journal.error === null ? '' : paint('red', `, broken: ${journal.error}`)}   ` +
      `up ${since(status.now_ms - status.started_at_ms)}   rules ${status.rules}`,
  ]
}
