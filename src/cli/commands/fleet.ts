import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { writeNewSecretFile } from '../../config/secretFile.ts'
import type { Address } from '../../core/values/address.ts'
import { Decimal } from '../../core/values/decimal.ts'
import { refused } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import { fleetStore, withStore } from '../fleetStore.ts'
import type { FleetOptions } from '../fleetStore.ts'
import { money } from '../figures.ts'
import type { AddCommand } from '../laboratory.ts'
import { addressOption } from '../readOption.ts'
import { paint, printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { fleetClearCommand, fleetKillCommand } from './fleetKill.ts'
import { fleetLimitCommand } from './fleetLimit.ts'
import { fleetVerifyCommand } from './fleetVerify.ts'
import { fleetWatchCommand } from './fleetWatch.ts'

/** Whose URL makes, adds and retires. */
const whose = 'owner' as const

/** `demo` adds the laboratory's own command. */
export function fleetCommand(program: Command, terminal: Terminal, demo: AddCommand): void {
  const fleet = program
    .command('fleet')
    .description(
      'Guards on several machines: one kill switch, shared limits; what they share is in PostgreSQL',
    )
  initCommand(fleet, terminal)
  addCommand(fleet, terminal)
  fleetLimitCommand(fleet, terminal)
  fleetKillCommand(fleet, terminal)
  fleetClearCommand(fleet, terminal)
  retireCommand(fleet, terminal)
  fleetVerifyCommand(fleet, terminal)
  fleetWatchCommand(fleet, terminal)
  demo(fleet, terminal)
}

function initCommand(fleet: Command, terminal: Terminal): void {
  const command = fleet
    .command('init')
    .description('make the schema of a fleet, or bring it up to date; twice does no harm')
    .requiredOption('--url-file <file>', 'the owner’s URL, 0600; the role may create roles')
    .action(async (options: FleetOptions) => {
      const store = await fleetStore(options, terminal, whose)
      const words = {
        undone: 'nothing was changed',
        unknown: 'run it again, which does no harm',
        whose,
      }
      const made = await withStore(() => store.init(), words)
      if (options.json === true) {
        printJson(terminal, { fleet: { store: store.place, ...made } })
        return
      }
      const done =
        made.from === 0 ? 'made' : made.from === made.to ? 'up to date' : `was ${made.from}`
      terminal.out(
        `${paint('green', `Schema guard, version ${made.to}`)} (${done}) in ${store.place}.\n`,
      )
      for (const each of made.advice) terminal.out(`Note: ${each}.\n`)
    })
  teach(
    withJson(withHome(command)),
    ['guard fleet init --url-file owner.url'],
    'guard fleet add makes a role and a URL for each account; docs/fleet.md has the way from here',
  )
}

interface AddOptions extends FleetOptions {
  readonly name: string
  readonly account: Address
  readonly network: 'mainnet' | 'testnet'
  readonly group?: string
  readonly out: string
}

function addCommand(fleet: Command, terminal: Terminal): void {
  const command = withUrlFile(fleet.command('add'))
    .description('add an account: a role of its own, its URL into a new file (owner)')
    .addOption(nameOption('--name <name>', 'what the fleet calls it').makeOptionMandatory())
    .addOption(addressOption('--account <0x..>', 'the trading account').makeOptionMandatory())
    .addOption(
      new Option('--network <network>', 'where it trades')
        .choices(['mainnet', 'testnet'])
        .makeOptionMandatory(),
    )
    .addOption(nameOption('--group <name>', 'a group that can be killed by its name'))
    .requiredOption('--out <file>', 'a new file for its URL, 0600')
    .action(async (options: AddOptions) => {
      const { name, account, network, group = null, out } = options
      const store = await fleetStore(options, terminal, whose)
      const keep = (url: string): void => {
        const written = writeNewSecretFile(out, `${url}\n`)
        if (!written.ok) throw refused(written.error)
      }
      const words = {
        undone: 'nobody was added',
        unknown: `if it was added, ${out} works; else remove that file and run this again`,
        whose,
      }
      const role = await withStore(() => store.add({ name, account, network, group }, keep), words)
      if (options.json === true) {
        printJson(terminal, { added: { name, account, network, group, role, url_file: out } })
        return
      }
      terminal.out(`${paint('green', `Added ${name}`)} as the role ${role}.\n`)
      terminal.out(
        `Its URL is in ${out}. Put that file into the home of its Guard as fleet.url, and into guard.toml:\n\n  [fleet]\n  url_file = "fleet.url"\n`,
      )
    })
  teach(
    withJson(withHome(command)),
    [
      'guard fleet add --url-file owner.url --name desk-1 --account 0x.. --network testnet --out desk-1.url',
      'guard fleet add --url-file owner.url --name desk-2 --account 0x.. --network testnet --group desk --out desk-2.url',
    ],
    'copy the file to that Guard’s home over a safe way, and start it anew; guard status shows its fleet',
  )
}

function retireCommand(fleet: Command, terminal: Terminal): void {
  const command = withUrlFile(fleet.command('retire'))
    .description('end a member: its role is gone, its records stay (owner)')
    .addOption(nameOption('--name <name>', 'the member').makeOptionMandatory())
    .action(async (options: FleetOptions & { readonly name: string }) => {
      const { name } = options
      const store = await fleetStore(options, terminal, whose)
      const words = {
        undone: 'nobody was retired',
        unknown: 'run it again, which does no harm',
        whose,
      }
      const gone = await withStore(() => store.retire(name), words)
      if (gone === null) throw refused(`--name ${name}: no member of this fleet has that name`)
      const { role, writtenOff } = gone
      if (options.json === true) {
        printJson(terminal, { retired: { name, role, written_off_usd: writtenOff } })
        return
      }
      terminal.out(`${paint('green', `Retired ${name}`)}; the role ${role} is gone.\n`)
      if (!Decimal.of(writtenOff).isZero()) {
        terminal.out(
          `${money(writtenOff)} that it used of shared budgets are written off: what it has open is counted nowhere.\n`,
        )
      }
      terminal.out(
        'Its Guard opens nothing any more, 10 s from now at the latest; its stops, exits and closes go on, and it hears no kill of this fleet. To let it trade by itself, take [fleet] out of its guard.toml and start it anew.\n',
      )
    })
  teach(
    withJson(withHome(command)),
    ['guard fleet retire --url-file owner.url --name desk-1'],
    'nothing is closed by it: guard kill at that machine does that',
  )
}

/** The file in the home where none is named. */
function withUrlFile(command: Command): Command {
  return command.option(
    '--url-file <file>',
    'the owner’s URL, 0600 (default: fleet-admin.url in the home)',
  )
}

function nameOption(flags: string, text: string): Option {
  return new Option(flags, text).argParser((value: string) => {
    if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(value)) return value
    throw new InvalidArgumentError(
      'It must have 1 to 64 letters, digits, dots, dashes or underscores.',
    )
  })
}
