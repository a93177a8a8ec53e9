import type { Command } from 'commander'
import type { GuardConfigFile } from '../../config/readConfig.ts'
import type { Address } from '../../core/values/address.ts'
import { replayHistory } from '../../engine/start/recovery.ts'
import { restoreRisk } from '../../engine/start/restoreRisk.ts'
import type { OpenedJournal } from '../../journal/opened.ts'
import { createHttpTransport } from '../../venue/httpTransport.ts'
import { failed, refused } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { confirmAccount } from '../confirmAccount.ts'
import { configOf } from '../homeConfig.ts'
import { addressOption } from '../readOption.ts'
import { askInfo } from '../setup/askInfo.ts'
import { openPositions, openWords } from '../setup/openPositions.ts'
import { readEquity } from '../setup/readEquity.ts'
import { withStoppedJournal } from '../stoppedJournal.ts'
import { printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { checkedReason } from '../killReason.ts'

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

/** A review moves peak and day start, so it is for the halt alone: it is no way around a limit. */
async function checkIsStopped(config: GuardConfigFile, opened: OpenedJournal): Promise<void> {
  const replayed = await replayHistory(opened)
  const risk = restoreRisk(replayed, config.rules.rules, { log: () => undefined })
  const { state } = risk.view()
  if (state === 'stopped') return
  const meant = state === 'halted_for_day' ? '; a daily loss stop ends by itself at 00:00 UTC' : ''
  throw refused(`Guard is not stopped by a drawdown halt (its state is ${state})${meant}`)
}

async function resume(options: ResumeOptions, terminal: Terminal): Promise<void> {
  const reason = checkedReason(options.reason)
  const config = configOf(options, terminal)
  await confirmAccount(config.account, options.confirm, terminal)
  const transport = createHttpTransport(config.venue.url)
  try {
    const done = await withStoppedJournal(config, terminal, async (journal, opened) => {
      await checkIsStopped(config, opened)
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
    const open = await openPositions(config.venue.url, config.account)
    if (options.json === true) {
      printJson(terminal, { resumed: { reason, ...done, open_positions: open } })
    } else {
      terminal.out(
        `The review is recorded (event ${done.seq}); peak and day start are now ${done.equity} USD.\n${openWords(open)}Start Guard with: guard run\n`,
      )
    }
  } finally {
    transport.close()
  }
}
