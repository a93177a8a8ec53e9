import type { Command } from 'commander'
import type { Address } from '../../core/values/address.ts'
import type { Journal } from '../../engine/ports.ts'
import type { OpenedJournal } from '../../journal/opened.ts'
import { refused } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { confirmAccount } from '../confirmAccount.ts'
import { configOf } from '../homeConfig.ts'
import { addressOption } from '../readOption.ts'
import { withStoppedJournal } from '../stoppedJournal.ts'
import { printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

interface RekeyOptions extends CommonOptions {
  readonly confirm?: Address
}

export function rekeyCommand(journal: Command, terminal: Terminal): void {
  const command = journal
    .command('rekey')
    .description('after a change of the API wallet: prove records by the new key from here on')
    .addOption(addressOption('--confirm <account>', 'the account, instead of typing it'))
    .action(async (options: RekeyOptions) => {
      await rekey(options, terminal)
    })
  teach(
    withJson(withHome(command)),
    ['guard journal rekey                         (guard key replace has done it already)'],
    'guard run; the change is on record as an error event, which is told as an alert too',
  )
}

async function rekey(options: RekeyOptions, terminal: Terminal): Promise<void> {
  const config = configOf(options, terminal)
  await confirmAccount(config.account, options.confirm, terminal)
  const record = (journal: Journal, { standing }: OpenedJournal): Promise<number> => {
    if (standing !== 'rekeyed') throw refused('the journal has no other key; nothing was changed')
    return Promise.resolve(journal.lastSeq)
  }
  const seq = await withStoppedJournal(config, terminal, record, true)
  if (options.json === true) printJson(terminal, { rekeyed: { seq } })
  else terminal.out(`Records are proven by the new key from event ${seq} on.\n`)
}
