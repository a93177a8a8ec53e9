import { Option } from 'commander'
import type { Command } from 'commander'
import type { Json } from '../../core/protocol/action.ts'
import { decodeAllMids } from '../../core/protocol/decodeInfoOrders.ts'
import { decodeMeta } from '../../core/protocol/decodeMeta.ts'
import { roundPrice } from '../../core/protocol/grid.ts'
import type { Market, Markets } from '../../core/protocol/market.ts'
import { withDexes } from '../../core/protocol/withDexes.ts'
import { dexOf } from '../../core/rules/marketNames.ts'
import type { Address } from '../../core/values/address.ts'
import { parseCoin } from '../../core/values/coin.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { failed, refused } from '../cliError.ts'
import { percent } from '../figures.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { runningOf } from '../homeConfig.ts'
import { addressOption, countOption, decimalOption } from '../readOption.ts'
import type { RunningGuard } from '../runningGuard.ts'
import { paint, printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

interface PreviewOptions extends CommonOptions {
  readonly coin: string
  readonly side: 'buy' | 'sell'
  readonly size: Decimal
  readonly price?: Decimal
  readonly stop?: Decimal
  readonly minutes?: number
  readonly client?: Address
}

export function previewCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('preview')
    .description('what Guard would decide about an order now; nothing is sent or recorded')
    .requiredOption('--coin <name>', 'the market, such as ETH or xyz:TSLA')
    .addOption(new Option('--side <side>').choices(['buy', 'sell']).makeOptionMandatory())
    .addOption(decimalOption('--size <size>', 'in coins').makeOptionMandatory())
    .addOption(decimalOption('--price <price>', 'limit price; without it a market order'))
    .addOption(decimalOption('--stop <price>', 'trigger of the order’s own market stop'))
    .addOption(
      countOption(
        '--minutes <count>',
        'a TWAP over so many minutes; without --price and --stop',
        1,
      ),
    )
    .addOption(addressOption('--client <address>', 'judge by this client’s tighter rules'))
    .action(async (options: PreviewOptions) => {
      if (options.minutes !== undefined && (options.price ?? options.stop) !== undefined) {
        throw refused('a TWAP (--minutes) has neither --price nor --stop: Guard adds its end')
      }
      const guard = runningOf(options, terminal)
      const action = await orderAction(guard, options)
      const body = options.client === undefined ? { action } : { action, client: options.client }
      const preview = await guard.post('/guard/preview', body)
      if (options.json === true) printJson(terminal, preview)
      else terminal.out(readable(preview as unknown as Preview))
    })
  teach(
    withJson(withHome(command)),
    [
      'guard preview --coin ETH --side buy --size 1',
      'guard preview --coin BTC --side sell --size 0.01 --price 84000 --stop 85000',
      'guard preview --coin ETH --side buy --size 1 --minutes 30',
    ],
    'guard rules show lists the limits behind the answer',
  )
}

/** A market order is an Ioc limit 5% beyond the mid, as the clients make it. */
async function orderAction(guard: RunningGuard, options: PreviewOptions): Promise<Json> {
  const { market, mid } = await marketOf(guard, options.coin)
  const isBuy = options.side === 'buy'
  if (options.minutes !== undefined) {
    const s = options.size.toString()
    const twap = { a: market.asset, b: isBuy, s, r: false, m: options.minutes, t: false }
    return { type: 'twapOrder', twap }
  }
  const aggressive = mid.times(Decimal.of(isBuy ? '1.05' : '0.95'))
  const price = options.price ?? roundPrice(market, aggressive, isBuy ? 'floor' : 'ceil')
  const tif = options.price === undefined ? 'Ioc' : 'Gtc'
  const size = options.size.toString()
  const entry = {
    a: market.asset,
    b: isBuy,
    p: price.toString(),
    s: size,
    r: false,
    t: { limit: { tif } },
  }
  if (options.stop === undefined) return { type: 'order', orders: [entry], grouping: 'na' }
  const limit = options.stop.times(Decimal.of(isBuy ? '0.9' : '1.1'))
  const stop = {
    a: market.asset,
    b: !isBuy,
    p: roundPrice(market, limit, isBuy ? 'floor' : 'ceil').toString(),
    s: size,
    r: true,
    t: { trigger: { isMarket: true, triggerPx: options.stop.toString(), tpsl: 'sl' } },
  }
  return { type: 'order', orders: [entry, stop], grouping: 'normalTpsl' }
}

async function marketOf(
  guard: RunningGuard,
  name: string,
): Promise<{ market: Market; mid: Decimal }> {
  const coin = parseCoin(name)
  if (!coin.ok) throw refused(`--coin ${coin.error}`)
  const dex = dexOf(coin.value)
  const ofDex = dex === null ? {} : { dex }
  const main = decodeMeta(await guard.post('/info', { type: 'meta' }))
  const mids = decodeAllMids(await guard.post('/info', { type: 'allMids', ...ofDex }))
  if (!main.ok || !mids.ok) throw failed('the venue’s markets could not be read through Guard')
  const { byCoin } = dex === null ? main.value : await withBuilders(guard, main.value)
  const market = byCoin.get(coin.value)
  const mid = mids.value.get(coin.value)
  if (market === undefined) {
    const meant = [...byCoin.keys()].find((each) => each.toLowerCase() === name.toLowerCase())
    throw refused(
      `--coin ${name}: the venue lists no such perp`,
      meant === undefined ? [] : [`did you mean ${meant}?`],
    )
  }
  if (mid === undefined) throw failed(`there is no price for ${name} now`)
  return { market, mid }
}

async function withBuilders(guard: RunningGuard, main: Markets): Promise<Markets> {
  const dexes = await guard.post('/info', { type: 'perpDexs' })
  return withDexes(main, dexes, await guard.post('/info', { type: 'allPerpMetas' }))
}

interface Preview {
  readonly verdict: 'allow' | 'resize' | 'veto'
  readonly code: string
  readonly text: string
  readonly changes: readonly string[]
  readonly entries: readonly PreviewEntry[]
}

type Shown = { readonly [key: string]: string | number | boolean | null }
type PreviewEntry = { readonly [key: string]: string | number | null } & { readonly dex?: Shown }

function readable(preview: Preview): string {
  const colours = { allow: 'green', resize: 'yellow', veto: 'red' } as const
  const lines = [
    `${paint(colours[preview.verdict], preview.verdict)} [${preview.code}] ${preview.text}`,
    ...preview.entries.flatMap((entry) => [
      [
        `  ${entry['side']} ${entry['coin']}: asked ${entry['requested_size']}, would get ${entry['size']}`,
        `worst price ${entry['worst_price'] ?? '-'}, stop ${entry['stop'] ?? '-'}`,
        `leverage ${entry['leverage'] ?? '-'} ${entry['margin'] ?? ''}, risk ${entry['risk'] ?? '-'} USD`,
      ].join(', '),
      ...(entry.dex === undefined ? [] : dexLines(entry.dex)),
    ]),
  ]
  return `${lines.join('\n')}\n`
}

/** What is known of a builder dex's market, and what the gap beyond the stop counts as. */
function dexLines(dex: Shown): readonly string[] {
  const { stop_gap: gap, stop_gap_usd: usd, told_age_ms: age, documented_session: session } = dex
  const counted = usd === null ? '' : `, ${usd} USD of the risk`
  const told =
    age === null
      ? 'nothing was told of its mark and oracle'
      : `mark ${dex['mark']}, oracle ${dex['oracle']}, ${share(dex['mark_from_oracle'])} apart, told ${Math.floor(Number(age) / 1000)} s ago`
  const states = [
    ...(dex['halted'] === true ? ['halted'] : []),
    ...(dex['at_cap'] === true ? ['at the venue’s cap'] : []),
  ]
  return [
    `  builder dex ${dex['name']}: the gap beyond the stop's worst fill counts ${share(gap)} of the price${counted}`,
    `  ${[told, ...states].join('; ')}`,
    `  which prices its oracle follows cannot be read from the venue${session === null ? '' : `; now ${session}`}`,
  ]
}

function share(ratio: Shown[string] | undefined): string {
  return typeof ratio === 'string' ? percent(ratio) : '-'
}
