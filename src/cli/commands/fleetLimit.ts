import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { Decimal } from '../../core/values/decimal.ts'
import { shownText } from '../../core/values/shownText.ts'
import { refused } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import { money, since } from '../figures.ts'
import { fleetStore, withStore } from '../fleetStore.ts'
import type { FleetOptions } from '../fleetStore.ts'
import type { FleetAdmin } from '../../fleet/fleetProgram.ts'
import { paint, printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { readScope } from './fleetKill.ts'

interface LimitOptions extends FleetOptions {
  readonly scope?: string
  readonly kind?: string
  readonly usd?: Decimal
  readonly remove?: boolean
}

type Named = FleetOptions & Required<Pick<LimitOptions, 'scope' | 'kind'>>

type Budget = Awaited<ReturnType<FleetAdmin['budgets']>>[number]
type CoinKnown = Awaited<ReturnType<FleetAdmin['coinKnown']>>

export function fleetLimitCommand(fleet: Command, terminal: Terminal): void {
  const command = fleet
    .command('limit')
    .description(
      'what accounts may have together; without --usd and --remove: every budget, who holds what',
    )
    .option('--url-file <file>', 'an operator’s URL, 0600 (default: fleet-admin.url in the home)')
    .addOption(
      new Option('--scope <scope>', 'fleet, group:NAME or account:NETWORK:0x..').argParser(
        readScope,
      ),
    )
    .addOption(
      new Option('--kind <kind>', 'open_risk, gross_value or coin_value:COIN').argParser(readKind),
    )
    .addOption(
      new Option('--usd <amount>', `the limit, ${usdRange}; 0: nothing opens`).argParser(readUsd),
    )
    .addOption(
      new Option('--remove', 'end the budget: nothing is limited there any more').conflicts('usd'),
    )
    .action((options: LimitOptions) => limit(options, terminal))
  teach(
    withJson(withHome(command)),
    [
      'guard fleet limit --scope fleet --kind open_risk --usd 5000',
      'guard fleet limit --scope group:desk --kind coin_value:ETH --usd 250000',
      'guard fleet limit --scope group:desk --kind coin_value:ETH --remove',
      'guard fleet limit',
    ],
    'each Guard keeps to the smaller of its own rules and what it leases; guard status shows that',
  )
}

async function limit(options: LimitOptions, terminal: Terminal): Promise<void> {
  const { scope, kind, usd, remove = false } = options
  if (usd === undefined && !remove) {
    await list(options, terminal)
    return
  }
  if (scope === undefined || kind === undefined) {
    const what = remove ? '--remove ends a budget' : '--usd sets a limit'
    throw refused(`${what}: --scope and --kind say which`)
  }
  const named = { ...options, scope, kind }
  if (usd === undefined) await end(named, terminal)
  else await set(named, usd, terminal)
}

/** Ends a budget; who held something of it stops counting it at its next renewal. */
async function end(options: Named, terminal: Terminal): Promise<void> {
  const { scope, kind } = options
  const store = await fleetStore(options, terminal)
  const words = { undone: 'no budget was removed', unknown: 'run it again, which does no harm' }
  const gone = await withStore(() => store.unlimit(scope, kind), words)
  if (gone === null) throw refused(`--kind ${kind} --scope ${scope}: no such budget is set`)
  const { leasedUsd, holders } = gone
  if (options.json === true) {
    printJson(terminal, { removed: { scope, kind, freed_usd: leasedUsd, holders } })
    return
  }
  terminal.out(`${paint('green', `${kind} of ${scope} is limited no more`)}; `)
  terminal.out(
    `${usdText(leasedUsd)} that ${holders} ${holders === 1 ? 'member' : 'members'} held are free.\n`,
  )
  terminal.out(
    'Guards stop counting it within 5 s of their next word to the store; their own rules and every other budget stay.\n',
  )
}

async function set(options: Named, usd: Decimal, terminal: Terminal): Promise<void> {
  const { scope, kind } = options
  const store = await fleetStore(options, terminal)
  const words = { undone: 'no limit was set', unknown: 'run it again, which does no harm' }
  const { leasedUsd } = await withStore(() => store.limit(scope, kind, usd.toString()), words)
  const isOver = Decimal.of(leasedUsd).gt(usd)
  // It was set: a store that is away now changes nothing about that.
  const known = await store.coinKnown(scope, kind).catch(() => null)
  if (options.json === true) {
    const limit = { scope, kind, limit_usd: usd.toString(), leased_usd: leasedUsd }
    const knownBy = known === null || known.told === 0 ? null : known.knownBy
    printJson(terminal, { limit: { ...limit, fits: !isOver, known_by: knownBy } })
    return
  }
  const set = `${kind} of ${scope} is limited to ${usdText(usd.toString())}`
  terminal.out(`${paint('green', set)}; ${usdText(leasedUsd)} are leased.\n`)
  if (isOver) {
    terminal.out(
      'That is more: nothing new is leased until it fits, spare comes back within seconds, and nothing is closed.\n',
    )
  }
  if (known !== null) terminal.out(coinText(scope, known))
}

/** A coin that nobody knows is most likely a slip of the pen, and limits nothing. */
function coinText(scope: string, known: NonNullable<CoinKnown>): string {
  const { coin, told, knownBy } = known
  if (knownBy > 0) return ''
  if (told === 0) {
    return `No Guard of ${scope} has told which coins its venue lists, so whether ${coin} is one is not known.\n`
  }
  const text = `${coin} is listed for none of the ${told} ${told === 1 ? 'Guard' : 'Guards'} of ${scope} that told their coins: nobody trades it, and nothing is limited by this`
  return `${paint('yellow', text)}. If it is misspelled: guard fleet limit --scope ${scope} --kind coin_value:${coin} --remove\n`
}

async function list(options: LimitOptions, terminal: Terminal): Promise<void> {
  const store = await fleetStore(options, terminal)
  const words = { undone: 'nothing is known', unknown: 'run it again' }
  const all = await withStore(() => store.budgets(), words)
  const { scope, kind } = options
  const budgets = all.filter(
    (each) => each.scope === (scope ?? each.scope) && each.kind === (kind ?? each.kind),
  )
  if (options.json === true) {
    printJson(terminal, { budgets })
    return
  }
  if (budgets.length === 0) terminal.out('No budget is set there: each Guard has its own rules.\n')
  for (const budget of budgets) terminal.out(linesOf(budget))
}

function linesOf({ scope, kind, limit_usd, leased_usd, used_usd, holders }: Budget): string {
  const isOver = Decimal.of(leased_usd).gt(Decimal.of(limit_usd))
  const leased = `${usdText(leased_usd)} leased`
  const rows = holders.map(({ name, held_usd, used_usd: used, last_renewed_ms, silent }) => {
    const ago = since(Math.max(Date.now() - last_renewed_ms, 0))
    const state = silent ? `   ${paint('red', `SILENT for ${ago}: stays counted`)}` : ''
    return `  ${shownText(name)}: ${usdText(used)} used of ${usdText(held_usd)} held${state}\n`
  })
  return [
    `${paint('bold', shownText(`${kind} of ${scope}`))}: limit ${usdText(limit_usd)}, ${isOver ? paint('yellow', leased) : leased}, ${usdText(used_usd)} used\n`,
    ...rows,
  ].join('')
}

/** What is something is not shown as nothing. */
function usdText(usd: string): string {
  const amount = Decimal.of(usd)
  return amount.isPositive() && amount.lt(least) ? 'less than $0.01' : money(usd)
}

/** As the venue spells them: capitals and digits, a small k before thousands, a dex in small letters. */
const coinShape = /^(?:[a-z][a-z0-9]{0,15}:)?k?[A-Z0-9]{1,24}$/

function readKind(value: string): string {
  if (value === 'open_risk' || value === 'gross_value') return value
  const [, coin] = /^coin_value:(.*)$/s.exec(value) ?? []
  if (coin === undefined || coin === '') {
    throw new InvalidArgumentError('It must be open_risk, gross_value or coin_value:COIN.')
  }
  if (coinShape.test(coin)) return value
  const meant = coin.split(':').length <= 2 ? asSpelled(coin) : ''
  const hint = coinShape.test(meant) ? ` Did you mean coin_value:${meant}?` : ''
  throw new InvalidArgumentError(
    `The coin must be spelled as the venue spells it, such as ETH, kPEPE or xyz:TSLA.${hint}`,
  )
}

function asSpelled(coin: string): string {
  const parts = coin.split(':')
  const name = parts.at(-1)?.toUpperCase() ?? ''
  return parts.length === 2 ? `${parts[0]?.toLowerCase() ?? ''}:${name}` : name
}

const least = Decimal.of('0.01')
const most = Decimal.of('999999999999.99')
const usdRange = '0.01 to 999999999999.99 USD'

/** An amount that can be told exactly in dollars and cents. */
export function readUsd(value: string): Decimal {
  const parsed = Decimal.parse(value)
  if (!parsed.ok) throw new InvalidArgumentError(`It ${parsed.error}.`)
  const usd = parsed.value
  const isWhole = usd.rounded(2, 'floor').eq(usd)
  if (usd.isZero() || (isWhole && usd.gte(least) && usd.lte(most))) return usd
  throw new InvalidArgumentError(
    `It must be from ${usdRange}, in whole cents, or 0: then nothing opens.`,
  )
}
