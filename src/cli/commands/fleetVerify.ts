import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { shownText } from '../../core/values/shownText.ts'
import type { FleetAdmin } from '../../fleet/fleetProgram.ts'
import { failedAsTold, refused } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import { fleetStore, withStore } from '../fleetStore.ts'
import type { FleetOptions } from '../fleetStore.ts'
import { since } from '../figures.ts'
import { paint, printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

interface VerifyFlags extends FleetOptions {
  readonly guard?: string
  readonly keptFrom?: string
}

type Chain = Parameters<Parameters<FleetAdmin['verify']>[1]>[0]

const words = { undone: 'nothing was checked', unknown: 'run it again', whose: 'monitor' } as const

export function fleetVerifyCommand(fleet: Command, terminal: Terminal): void {
  const command = fleet
    .command('verify')
    .description('check every copied journal against its hashes and its Guard’s own head (monitor)')
    .option('--url-file <file>', 'a monitor’s URL, 0600 (default: fleet-admin.url in the home)')
    .option('--guard <name>', 'only this member')
    .addOption(
      new Option(
        '--kept-from <month>',
        'records of months before it were dropped on purpose, such as 2026-02',
      ).argParser(readMonth),
    )
    .action((options: VerifyFlags) => verify(options, terminal))
  teach(
    withJson(withHome(command)),
    ['guard fleet verify', 'guard fleet verify --guard desk-1 --json'],
    'whether the proofs hold only the Guard’s own key can tell: guard journal verify at its machine',
  )
}

async function verify(options: VerifyFlags, terminal: Terminal): Promise<void> {
  const { guard = null, keptFrom = null } = options
  const store = await fleetStore(options, terminal, 'monitor')
  const isShown = options.json !== true
  const isLive = isShown && terminal.isInteractive
  const chains: Chain[] = []
  const onProgress = (name: string, records: number): void => {
    if (isLive) terminal.err(`\r${shownText(name)}: ${records} records`)
  }
  await withStore(
    () =>
      store.verify({ name: guard, keptFrom, onProgress }, (chain) => {
        chains.push(chain)
        if (isLive) terminal.err('\r\u001b[K')
        if (isShown) terminal.out(linesOf(chain))
      }),
    words,
  )
  if (guard !== null && chains.length === 0) {
    throw refused(`--guard ${guard}: the store has no record of a member of that name`)
  }
  const broken = chains.filter((each) => !isWhole(each))
  if (isShown) terminal.out(closing(chains))
  else printJson(terminal, { ok: broken.length === 0, chains: chains.map(jsonOf) })
  if (broken.length > 0) {
    throw failedAsTold(`not whole: ${broken.map(({ name }) => name).join(', ')}`)
  }
}

function isWhole({ fault, forks }: Chain): boolean {
  return fault === null && forks === 0
}

const damages = {
  changed: 'was changed',
  removed: 'was removed',
  added: 'was added by somebody else',
  cut_off: 'was cut off at the end',
}

function linesOf(chain: Chain): string {
  const { records, first, last, fault, forks, missing, unconfirmed, head } = chain
  const range = first === null ? 'no record' : `${records} records, ${first} to ${last ?? 0}`
  const notes = [
    ...(fault === null
      ? []
      : [`record ${fault.seq} ${damages[fault.what]}: ${shownText(fault.text)}`]),
    ...(forks === 0
      ? []
      : [`${forks} contradicting record(s) were offered and refused: guard.forks`]),
    ...(missing === 0 ? [] : [`${missing} are missing with a reason on record: guard.gaps`]),
    ...behindWords(chain),
    ...(unconfirmed === 0 || fault !== null
      ? []
      : [`the last ${unconfirmed} are newer than the head its Guard told last`]),
    ...(head === null ? ['its Guard has told no head to compare with'] : [headWords(head)]),
  ]
  return `${whoOf(chain)}: ${stateOf(chain)}, ${range}\n${notes.map((note) => `  ${note}\n`).join('')}`
}

function whoOf({ name, isRetired, isActing, host }: Chain): string {
  const where = host === null ? '' : ` at ${shownText(host)}`
  const home = isActing ? '' : `, a home that does not act${where}`
  return `${shownText(name)}${isRetired ? ' (retired)' : ''}${home}`
}

/** Whether all that its home has is here is another question than whether what is here is as it was. */
function stateOf(chain: Chain): string {
  if (!isWhole(chain)) return paint('red', 'NOT WHOLE')
  return isLacking(chain)
    ? paint('yellow', 'whole as far as it goes, NOT ALL OF IT HERE')
    : paint('green', 'whole')
}

/** Records are on a disk elsewhere, and nobody copies them now. */
function isLacking({ behind, isComing }: Chain): boolean {
  return behind > 0 && !isComing
}

function behindWords(chain: Chain): readonly string[] {
  const { behind, head, isActing } = chain
  if (behind === 0 || head === null) return []
  if (!isLacking(chain)) return [`${behind} more are on their way`]
  const first = head.seq - behind + 1
  const which = behind === 1 ? `record ${first} is` : `records ${first} to ${head.seq} are`
  const when = isActing ? 'its Guard is heard again' : 'it acts for the account again'
  return [`${which} on the disk of that home alone, and copied when ${when}`]
}

function headWords({ seq, atMs }: NonNullable<Chain['head']>): string {
  return `its Guard’s head was ${seq}, ${since(Math.max(Date.now() - atMs, 0))} ago`
}

function closing(chains: readonly Chain[]): string {
  const whole = chains.filter(isWhole).length
  const count = `${whole} of ${chains.length} ${chains.length === 1 ? 'chain is' : 'chains are'} whole.\n`
  const lacking = chains.filter(isLacking).reduce((sum, { behind }) => sum + behind, 0)
  const lacks = lacking === 0 ? '' : `Not in the store: ${lacking} records, named above.\n`
  const proven = chains.some((each) => each.proven > 0)
  return `${count}${lacks}${proven ? 'Records carry proofs by their Guard’s key, which is not here: guard journal verify at its machine checks them.\n' : ''}`
}

function jsonOf(chain: Chain): object {
  const { name, network, account, records, first, last, missing, proven, fault } = chain
  const { behind, unconfirmed, forks, head, host } = chain
  return {
    ...{ name, network, account, writer_epoch: chain.writerEpoch, retired: chain.isRetired },
    ...{ ok: isWhole(chain), records, first, last, last_hash: chain.lastHash, missing, proven },
    ...{ behind, unconfirmed, forks, acting: chain.isActing, host },
    // Where a home has records that nobody copies now.
    not_here:
      isLacking(chain) && head !== null
        ? { from: head.seq - behind + 1, to: head.seq, records: behind }
        : null,
    head: head === null ? null : { seq: head.seq, at_ms: head.atMs },
    fault,
  }
}

function readMonth(value: string): string {
  if (/^20\d\d-(0[1-9]|1[0-2])$/.test(value)) return value
  throw new InvalidArgumentError('It must be a month such as 2026-02.')
}
