import type { FleetWriterStatus } from '../engine/fleetView.ts'
import { stripVTControlCharacters } from 'node:util'
import { shownValue } from '../core/values/shownText.ts'
import type { StatusCross, StatusPosition, StatusView } from '../engine/statusView.ts'
import { bar, less, money, percent, price, since } from './figures.ts'
import { paint } from './terminal.ts'

/** `guard status` for a person: whether to worry, then how far each limit is. */
export function statusScreen(told: StatusView, columns: number): string {
  const status = shownValue(told)
  return [
    ...headline(status, columns),
    '',
    ...limits(status, columns),
    '',
    ...positions(status, columns),
    ...twaps(status, columns),
    '',
    ...alerts(status),
    '',
    ...fleetLine(status, columns),
    ...footer(status, columns),
  ]
    .join('\n')
    .concat('\n')
}

const gap = '   '

/** Parts in one line while they fit, each further line indented; a part is never torn. */
function flow(parts: readonly string[], columns: number, indent: string, first = indent): string[] {
  const lines: string[] = []
  let line = ''
  for (const part of parts) {
    const start = lines.length === 0 ? first : indent
    const longer = line === '' ? `${start}${part}` : `${line}${gap}${part}`
    if (line !== '' && widthOf(longer) > columns) {
      lines.push(line)
      line = `${indent}${part}`
    } else line = longer
  }
  return [...lines, line]
}

function widthOf(text: string): number {
  return stripVTControlCharacters(text).length
}

function headline(status: StatusView, columns: number): string[] {
  const mode = status.mode === 'mainnet' ? paint('red', 'MAINNET, real money') : status.mode
  const title = `${paint('bold', 'Guard')} ${status.version}`
  return [...flow([title, mode, ...whose(status)], columns, ''), state(status)]
}

/** A Guard of an earlier version, which still runs, tells neither `via` nor the mode. */
function whose(status: Pick<StatusView, 'account'> & Partial<StatusView>): string[] {
  const { account, via: owner = null, account_mode: mode = 'unknown' } = status
  const shown = mode === 'unknown' ? account : `${account} (${mode})`
  return [`account ${shown}`, ...(owner === null ? [] : [`traded by its owner ${owner}`])]
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
      return activeState(status)
    case 'halted_for_day':
      return paint('yellow', 'halted for the day: daily loss stop; nothing opens until 00:00 UTC')
    case 'stopped':
      return paint('red', 'stopped: drawdown halt; nothing opens until a person runs guard resume')
  }
}

/** A Guard of an earlier version, which still runs, does not tell it. */
function activeState({ entries }: Partial<Pick<StatusView, 'entries'>>): string {
  return entries?.pass === false
    ? paint('yellow', `active, but nothing opens: ${entries.reason ?? 'no reason known'}`)
    : paint('green', 'active: entries within the rules pass')
}

function limits(status: StatusView, columns: number): string[] {
  const { risk } = status
  const row: Row = (name, used, limit, text) =>
    `  ${name.padEnd(11)} ${bar(used, limit, barWidth(columns))} ${text}`
  return [
    ...flow(
      [
        money(risk.equity),
        `day start ${money(risk.day_start_equity)}`,
        `peak ${money(risk.peak_equity)}`,
      ],
      columns,
      '              ',
      '  equity      ',
    ),
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
    ...waitingRow(risk, row),
  ]
}

type Row = (name: string, used: string | null, limit: string | null, text: string) => string

/** What entries that wait for a trigger could lose while Guard is away; nothing while none waits. */
function waitingRow(risk: StatusView['risk'], row: Row): readonly string[] {
  const { waiting_loss: loss, waiting_loss_limit: limit = null } = risk
  if (loss === undefined) return []
  const text = `${money(loss)} of ${money(limit)} if triggers fire while Guard is away`
  return [row('waiting', loss, limit, text)]
}

/** What the longest text beside a bar leaves of the screen. */
function barWidth(columns: number): number {
  return Math.min(40, Math.max(8, columns - 65))
}

/** The equity at which a halt closes everything. */
function haltsAt(from: string | null, limit: string | null): string {
  const equity = less(from, limit)
  return equity === null ? '' : paint('gray', `, closes everything at ${money(equity)}`)
}

function positions(status: StatusView, columns: number): string[] {
  if (status.positions.length === 0) return ['  no open positions']
  const rows = status.positions.flatMap((each) => position(each, columns))
  return ['  positions', ...rows, ...crossPools(status, columns)]
}

/** What positions on cross margin lean on together: all, or those of each dex. */
function crossPools(
  { cross, cross_pools: pools }: Partial<Pick<StatusView, 'cross' | 'cross_pools'>>,
  columns: number,
): string[] {
  const shown = pools ?? (cross == null ? [] : [cross])
  return shown.flatMap((pool) => {
    const { dex }: Partial<StatusCross> = pool
    const on = dex == null || dex === '' ? '' : ` on ${dex}`
    return flow(
      [
        `${money(pool.collateral)}${on} behind ${money(pool.value)}`,
        `maintenance ${money(pool.maintenance)}`,
        `liquidated when all moves ${percent(pool.distance)} against it`,
      ],
      columns,
      ' '.repeat(13),
      `    ${'cross'.padEnd(8)} `,
    )
  })
}

/** What the venue trades by itself; a Guard of an earlier version does not tell it. */
function twaps(
  { twaps: running = [] }: Partial<Pick<StatusView, 'twaps'>>,
  columns: number,
): string[] {
  if (running.length === 0) return []
  const rows = running.flatMap((each) =>
    flow(
      [
        `${each.side} ${each.executed} of ${each.size} in ${each.minutes} minutes`,
        ...(each.worst_price === null ? [] : [`at worst ${each.worst_price}`]),
        ...(each.stop === null ? [] : [`stop ${each.stop}`]),
        ...(each.reduce_only ? ['only reduces'] : []),
        ...(each.owner === 'elsewhere' ? [paint('yellow', 'made elsewhere')] : []),
      ],
      columns,
      ' '.repeat(13),
      `    ${each.coin.padEnd(8)} `,
    ),
  )
  return ['  TWAPs', ...rows]
}

function position(each: StatusPosition, columns: number): string[] {
  const stops = each.stops.map((stop) => `stop ${stop.price} x ${stop.size} (${stop.owner})`)
  const cover = each.covered ? paint('green', 'covered') : paint('red', 'NOT COVERED')
  const liquidation =
    each.liquidation_price === null
      ? 'no liquidation price'
      : `liquidation ${price(each.liquidation_price)}`
  return flow(
    [
      `${each.side} ${each.size} at ${each.entry_price}`,
      `worth ${money(each.value)}`,
      `profit ${money(each.unrealised_pnl)}`,
      `${each.leverage}x ${each.margin}`,
      cover,
      ...(stops.length === 0 ? ['no stop'] : stops),
      liquidation,
    ],
    columns,
    ' '.repeat(13),
    `    ${each.coin.padEnd(8)} `,
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

function writerWord({ held, state, at_host: host }: FleetWriterStatus): string {
  if (held) return 'writer'
  if (state !== 'standby') return paint('red', 'NOT THE WRITER')
  return paint('yellow', host === null ? 'STANDBY' : `STANDBY of the Guard at ${host}`)
}

/** This Guard in its fleet; a Guard of an earlier version, which still runs, tells no lease. */
function fleetLine({ fleet }: Partial<Pick<StatusView, 'fleet'>>, columns: number): string[] {
  if (fleet === undefined || fleet === null) return []
  const { name, group, store, lease = null, writer = null } = fleet as Partial<typeof fleet>
  const where = group === null || group === undefined ? '' : ` of ${group}`
  const parts = lease?.parts.map(
    ({ scope, kind, held, used, budget }) =>
      `${kind} of ${scope}: ${money(used)} of ${money(held)} leased, budget ${money(budget)}`,
  )
  return flow(
    [
      `fleet ${name ?? 'not joined yet'}${where}`,
      `store ${store === 'up' ? paint('green', 'up') : paint('red', 'down')}`,
      ...(writer === null ? [] : [writerWord(writer)]),
      ...(parts ?? []),
    ],
    columns,
    '  ',
  )
}

function footer(status: StatusView, columns: number): string[] {
  const { venue, journal } = status
  const stream = venue.stream === 'live' ? paint('green', 'live') : paint('red', venue.stream)
  const broken = journal.error === null ? '' : paint('red', `, broken: ${journal.error}`)
  return flow(
    [
      `stream ${stream}`,
      `weight ${venue.weight_used_1m} of ${venue.weight_limit_1m} a minute`,
      `${status.open_orders} open orders, ${status.in_flight} in flight`,
      `journal ${journal.events} events${broken}`,
      `up ${since(status.now_ms - status.started_at_ms)}`,
      `rules ${status.rules}`,
    ],
    columns,
    '  ',
  )
}
