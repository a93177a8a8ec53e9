import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { shownText } from '../../core/values/shownText.ts'
import { failedAsTold, refused } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import { fleetStore, withStore } from '../fleetStore.ts'
import type { FleetOptions } from '../fleetStore.ts'
import { since } from '../figures.ts'
import type { FleetAdmin } from '../../fleet/fleetProgram.ts'
import { checkedReason } from '../killReason.ts'
import { paint, printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

interface KillOptions extends FleetOptions {
  readonly scope: string
  readonly reason?: string
  readonly wait?: number
}

type Members = Awaited<ReturnType<FleetAdmin['members']>>
type Member = Members[number]

/** Guards say that they live every five seconds; one that has missed five of them is silent. */
const silentMs = 30_000

const words = {
  undone: 'nothing was raised',
  unknown: 'it is not known whether the kill was raised',
  hints: [
    'at each machine, without the store: guard kill --all --reason "..."',
    'once the store answers: run this again, a second kill does no harm',
  ],
}

const unnotified =
  'The server’s queue of notifications is full, so nobody was told at once: Guards hear it when they next ask, which they do every second. Who fills it: pg_stat_activity; guard fleet retire ends a member.\n'

export function fleetKillCommand(fleet: Command, terminal: Terminal): void {
  const command = withScope(fleet.command('kill'))
    .description('raise a kill: every Guard of the scope latches by itself and closes (operator)')
    .option('--reason <text>', 'why, 1 to 200 characters; it is recorded')
    .addOption(
      new Option('--wait <time>', 'wait until all are flat, such as 30s or 2m').argParser(readWait),
    )
    .action(async (options: KillOptions) => {
      await kill(options, terminal)
    })
  teach(
    withJson(withHome(command)),
    [
      'guard fleet kill --scope fleet --reason "the feed is wrong" --wait 30s',
      'guard fleet kill --scope group:desk --reason "desk is over its limit"',
      'guard fleet kill --scope account:testnet:0x.. --reason "this bot went mad"',
    ],
    'each latch is released at its own machine: guard kill release. Where the store does not answer: guard kill --all at each machine',
  )
}

export function fleetClearCommand(fleet: Command, terminal: Terminal): void {
  const command = withScope(fleet.command('clear'))
    .description('end a kill for Guards that join later; it releases nothing anywhere (operator)')
    .action(async (options: KillOptions) => {
      const { scope } = options
      const store = await fleetStore(options, terminal)
      const told = { undone: 'nothing was cleared', unknown: 'run it again, which does no harm' }
      const epoch = await withStore(() => store.clear(scope), told)
      if (epoch === null) throw refused(`--scope ${scope}: no kill is raised there`)
      // It was cleared: a store that is away now changes nothing about that.
      const members = await store.members(scope, epoch).catch(() => null)
      const missed = members?.filter(({ state }) => state === 'silent' || state === 'unseen')
      const names = missed?.map(({ name }) => name) ?? null
      if (options.json === true) {
        printJson(terminal, { cleared: { scope, epoch, unacknowledged: names } })
        return
      }
      terminal.out(`Cleared: who joins from now on is not latched by epoch ${epoch}.\n`)
      terminal.out('What is latched stays latched, until guard kill release at its own machine.\n')
      terminal.out(missedText(names))
    })
  teach(
    withJson(withHome(command)),
    ['guard fleet clear --scope fleet'],
    'guard kill release at each machine, with its Guard stopped',
  )
}

/** Who has not latched by a kill that was cleared, and never will. */
function missedText(names: readonly string[] | null): string {
  if (names === null)
    return 'Who has not acknowledged it is not known: the store does not answer.\n'
  if (names.length === 0) return 'Every member of the scope has acknowledged it.\n'
  const verbs =
    names.length === 1 ? ['member has', 'is', 'it comes'] : ['members have', 'are', 'they come']
  const [have = '', are = '', come = ''] = verbs
  const text = `${names.length} ${have} not acknowledged it and ${are} not latched by it when ${come} back`
  return `${paint('yellow', text)}: ${names.map(shownText).join(', ')}\n`
}

async function kill(options: KillOptions, terminal: Terminal): Promise<void> {
  const reason = checkedReason(options.reason)
  const { scope, wait = 0 } = options
  const store = await fleetStore(options, terminal)
  const { epoch, notified } = await withStore(() => store.kill(scope, reason), words)
  if (options.json !== true) {
    terminal.out(`${paint('red', `Kill raised: epoch ${epoch}`)} for ${scope}.\n`)
    if (!notified) terminal.out(unnotified)
  }
  const members = await untilFlat(store, scope, epoch, wait)
  const isDone = members?.every(({ state }) => state === 'flat' || state === 'unseen') ?? false
  if (options.json === true) {
    const told = members?.map(({ unheard_ms, ...member }) => ({
      ...member,
      state: isPending({ ...member, unheard_ms }) ? 'not_yet' : member.state,
    }))
    printJson(terminal, {
      ...{ kill: { scope, epoch, reason, notified }, members: told ?? null, all_flat: isDone },
    })
  } else if (members === null) {
    terminal.out('The store does not answer any more: which Guards have latched is not known.\n')
  } else {
    for (const member of members) terminal.out(lineOf(member, wait > 0))
    if (wait === 0) terminal.out('Guards hear it within a second. --wait 30s waits for them.\n')
  }
  if (wait > 0 && !isDone) throw failedAsTold('not every Guard of the scope is latched and flat')
}

const lookEveryMs = 200

/** The members when all are flat or the time is over; null where the store does not say. */
async function untilFlat(
  store: FleetAdmin,
  scope: string,
  epoch: number,
  waitMs: number,
): Promise<Members | null> {
  const startedMs = performance.now()
  let members: Members | null = null
  for (;;) {
    // It was raised: a store that is away now changes nothing about that.
    members = await store.members(scope, epoch).catch(() => null)
    const isOpen = ({ state }: Members[number]): boolean => state !== 'flat' && state !== 'unseen'
    if (members !== null && !members.some(isOpen)) return members
    if (performance.now() - startedMs >= waitMs) return members
    await new Promise((resolve) => setTimeout(resolve, lookEveryMs))
  }
}

/** It is heard of, and has not said yet that it latched. */
function isPending({ state, unheard_ms }: Member): boolean {
  return state === 'silent' && (unheard_ms ?? Infinity) < silentMs
}

function lineOf(member: Member, wasWaited: boolean): string {
  const { name, account, network, state, latched_ms, unheard_ms } = member
  const seen = unheard_ms === null ? 'never' : `${since(unheard_ms)} ago`
  const pending = wasWaited
    ? paint('red', `has NOT latched, though it was heard ${seen}`)
    : paint('yellow', `not heard yet whether it latched; it was heard ${seen}`)
  const told = {
    flat: paint('green', `latched in ${latched_ms ?? 0} ms, flat`),
    latched: paint('yellow', `latched in ${latched_ms ?? 0} ms, not flat yet`),
    silent: isPending(member)
      ? pending
      : paint('red', `SILENT: has not latched; last heard ${seen}`),
    unseen: 'has never joined',
  }
  return `${shownText(name)} (${shownText(network)} ${shownText(account)}): ${told[state]}\n`
}

function withScope(command: Command): Command {
  return command
    .option('--url-file <file>', 'an operator’s URL, 0600 (default: fleet-admin.url in the home)')
    .addOption(
      new Option('--scope <scope>', 'fleet, group:NAME or account:NETWORK:0x..')
        .argParser(readScope)
        .makeOptionMandatory(),
    )
}

export function readScope(value: string): string {
  const scope = value.replace(/0x[0-9a-f]{40}$/i, (account) => account.toLowerCase())
  const shape =
    /^(fleet|group:[A-Za-z0-9][A-Za-z0-9._-]{0,63}|account:(mainnet|testnet):0x[0-9a-f]{40})$/
  if (shape.test(scope)) return scope
  throw new InvalidArgumentError('It must be fleet, group:NAME or account:NETWORK:0x...')
}

function readWait(value: string): number {
  const [, count = '', unit = ''] = /^(\d{1,4})(s|m)$/.exec(value) ?? []
  const ms = Number(count) * (unit === 'm' ? 60_000 : 1_000)
  if (count === '' || ms < 1_000 || ms > 600_000) {
    throw new InvalidArgumentError('It must be from 1s to 10m, such as 30s.')
  }
  return ms
}
