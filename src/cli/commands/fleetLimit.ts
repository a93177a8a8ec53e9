import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { Decimal } from '../../core/values/decimal.ts'
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
}

type Budget = Awaited<ReturnType<FleetAdmin['budgets']>>[number]

export function fleetLimitCommand(fleet: Command, terminal: Terminal): void {
  const command = fleet
    .command('limit')
    .description('what accounts may have together; without --usd: every budget and who holds what')
    .option('--url-file <file>', 'an operator’s URL, 0600 (default: fleet-admin.url in the home)')
    .addOption(
      new Option('--scope <scope>', 'fleet, group:NAME or account:NETWORK:0x..').argParser(
        readScope,
      ),
    )
    .addOption(
      new Option('--kind <kind>', 'open_risk, gross_value or coin_value:COIN').argParser(readKind),
    )
    .addOption(new Option('--usd <amount>', 'the limit; 0: nothing opens').argParser(readAmount))
    .action(async (options: LimitOptions) => {
      const { scope, kind, usd } = options
      if (usd === undefined) await list(options, terminal)
      else if (scope === undefined || kind === undefined) {
        throw refused('--usd sets a limit: --scope and --kind say which')
      } else await set({ ...options, scope, kind, usd }, terminal)
    })
  teach(
    withJson(withHome(command)),
    [
      'guard fleet limit --scope fleet --kind open_risk --usd 5000',
      'guard fleet limit --scope group:desk --kind coin_value:ETH --usd 250000',
      'guard fleet limit',
    ],
    'each Guard keeps to the smaller of its own rules and what it leases; guard status shows that',
  )
}

async function set(
  options: FleetOptions & Required<Pick<LimitOptions, 'scope' | 'kind' | 'usd'>>,
  terminal: Terminal,
): Promise<void> {
  const { scope, kind, usd } = options
  const store = await fleetStore(options, terminal)
  const words = { undone: 'no limit was set', unknown: 'run it again, which does no harm' }
  const { leasedUsd } = await withStore(() => store.limit(scope, kind, usd.toString()), words)
  const isOver = Decimal.of(leasedUsd).gt(usd)
  if (options.json === true) {
    const limit = { scope, kind, limit_usd: usd.toString(), leased_usd: leasedUsd }
    printJson(terminal, { limit: { ...limit, fits: !isOver } })
    return
  }
  const set = `${kind} of ${scope} is limited to ${money(usd.toString())}`
  terminal.out(`${paint('green', set)}; ${money(leasedUsd)} are leased.\n`)
  if (isOver) {
    terminal.out(
      'That is more: nothing new is leased until it fits, spare comes back within seconds, and nothing is closed.\n',
    )
  }
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
  const leased = `${money(leased_usd)} leased`
  const rows = holders.map(({ name, held_usd, used_usd: used, last_renewed_ms, silent }) => {
    const ago = since(Math.max(Date.now() - last_renewed_ms, 0))
    const state = silent ? `   ${paint('red', `SILENT for ${ago}: stays counted`)}` : ''
    return `  ${name}: ${money(used)} used of ${money(held_usd)} held${state}\n`
  })
  return [
    `${paint('bold', `${kind} of ${scope}`)}: limit ${money(limit_usd)}, ${isOver ? paint('yellow', leased) : leased}, ${money(used_usd)} used\n`,
    ...rows,
  ].join('')
}

function readKind(value: string): string {
  if (/^(open_risk|gross_value|coin_value:[A-Za-z0-9:._-]{1,40})$/.test(value)) return value
  throw new InvalidArgumentError('It must be open_risk, gross_value or coin_value:COIN.')
}

function readAmount(value: string): Decimal {
  const parsed = Decimal.parse(value)
  if (!parsed.ok) throw new InvalidArgumentError(`It ${parsed.error}.`)
  if (parsed.value.isNegative() || parsed.value.gte(most)) {
    throw new InvalidArgumentError('It must be from 0 to a million millions.')
  }
  return parsed.value
}

const most = Decimal.of('1000000000000')
