import type { Command } from 'commander'
import type { Address } from '../../core/values/address.ts'
import { createHttpTransport } from '../../venue/httpTransport.ts'
import { failed } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { confirmAccount } from '../confirmAccount.ts'
import { configOf } from '../homeConfig.ts'
import { addressOption } from '../readOption.ts'
import { askInfo } from '../setup/askInfo.ts'
import { readEquity } from '../setup/readEquity.ts'
import { withStoppedJournal } from '../stoppedJournal.ts'
import { printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { checkedReason } from './kill.ts'

interface ResumeOptions extends CommonOptions {
  readonly reason?: string
  readonly confirm?: Address
}

export function resumeCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('resume')
    .description('clear a drawdown halt after a review, with Guard stopped')
    .option('--reason <text>', 'what the review found, 1 to 200 characters; it is recorded')
    .addOption(addressOption('--confirm <account>', 'the account, instead of typing it'))
    .action(async (options: ResumeOptions) => {
      await resume(options, terminal)
    })
  teach(
    withJson(withHome(command)),
    ['guard resume --reason "strategy stopped, sizes halved"'],
    'guard run starts again; peak and day start are the equity read now',
  )
}

async function resume(options: ResumeOptions, terminal: Terminal): Promise<void> {
  const reason = checkedReason(options.reason)
  const config = configOf(options, terminal)
  await confirmAccount(config.account, options.confirm, terminal)
  const transport = createHttpTransport(config.venue.url)
  try {
    const done = await withStoppedJournal(config, async (journal) => {
      const equity = await readEquity(askInfo(transport), config.account)
      if (!equity.ok) throw failed(`the account's equity could not be read: ${equity.error}`)
      if (!equity.value.isPositive()) {
        throw failed(
          `the account's equity is ${equity.value.toString()}; there is nothing to resume with`,
        )
      }
      const body = {
        kind: 'reviewed',
        what: 'stopped',
        reason,
        equity: equity.value.toString(),
      } as const
      const appended = journal.append(body, 'now')
      await appended.durable
      return { seq: appended.seq, equity: body.equity }
    })
    if (options.json === true) printJson(terminal, { resumed: { reason, ...done } })
    else {
      terminal.out(
        `The review is recorded (event ${done.seq}); peak and day start are now ${done.equity} USD. Start Guard with: guard run\n`,
      )
    }
  } finally {
    transport.close()
  }
}
