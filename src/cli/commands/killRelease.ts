import { lstatSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { Address } from '../../core/values/address.ts'
import { replayHistory } from '../../engine/start/recovery.ts'
import { failed, refused } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { confirmAccount } from '../confirmAccount.ts'
import { configOf } from '../homeConfig.ts'
import { addressOption } from '../readOption.ts'
import { openPositions, openWords } from '../setup/openPositions.ts'
import { withStoppedJournal } from '../stoppedJournal.ts'
import { printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { checkedReason } from '../killReason.ts'

interface ReleaseOptions extends CommonOptions {
  readonly reason?: string
  readonly confirm?: Address
}

export function releaseCommand(kill: Command, terminal: Terminal): void {
  const command = kill
    .command('release')
    .description('release the kill switch, at the machine, with Guard stopped')
    .option('--reason <text>', 'why, 1 to 200 characters; it is recorded')
    .addOption(addressOption('--confirm <account>', 'the account, instead of typing it'))
    .action(async (_options: ReleaseOptions, self: Command) => {
      await release(self.optsWithGlobals(), terminal)
    })
  teach(
    withJson(withHome(command)),
    ['guard kill release --reason "bot fixed, checked positions"'],
    'guard run starts again; nothing is opened by the release itself',
  )
}

async function release(options: ReleaseOptions, terminal: Terminal): Promise<void> {
  const reason = checkedReason(options.reason)
  const config = configOf(options, terminal)
  await confirmAccount(config.account, options.confirm, terminal)
  const entry = join(config.stateDir, 'kill')
  const seq = await withStoppedJournal(config, terminal, async (journal, opened) => {
    const isOnRecord = (await replayHistory(opened)).latch !== null
    if (!isOnRecord && lstatSync(entry, { throwIfNoEntry: false }) === undefined) {
      throw refused('the kill switch is not latched; there is nothing to release')
    }
    // The record first: a release on record while the file still latches is safe, a file that is
    // gone without a record would be a lost latch.
    const appended = journal.append({ kind: 'reviewed', what: 'kill', reason, equity: null }, 'now')
    await appended.durable
    try {
      rmSync(entry, { recursive: true, force: true })
    } catch (error) {
      throw failed(`the kill file could not be removed: ${entry}`, [String(error)])
    }
    return appended.seq
  })
  const open = await openPositions(config.venue.url, config.account)
  if (options.json === true) {
    printJson(terminal, { released: { reason, seq, open_positions: open } })
    return
  }
  terminal.out(`The kill switch is released (event ${seq}).\n`)
  terminal.out(`${openWords(open)}Start Guard with: guard run\n`)
}
