import type { Command } from 'commander'
import { shownValue } from '../../core/values/shownText.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { money, since } from '../figures.ts'
import { hostAccount, hostDirectory, ledgerRows } from '../hostAccounts.ts'
import type { HostAccount } from '../hostAccounts.ts'
import { paint, printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

export function accountsCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('accounts')
    .description('every Guard that this host has had, running or not')
    .action(async (options: CommonOptions) => {
      const directory = hostDirectory(options, terminal)
      const accounts = (await ledgerRows(directory)).map((row) => hostAccount(row))
      if (options.json === true) {
        printJson(terminal, { host_dir: directory, accounts })
        return
      }
      if (accounts.length === 0) terminal.out(`No Guard has run on this host (${directory}).\n`)
      for (const account of accounts) terminal.out(linesOf(shownValue(account)))
    })
  teach(
    withJson(withHome(command)),
    ['guard accounts', 'guard accounts --json | jq .accounts[].state'],
    'guard kill --all latches every one of them; guard status --home DIR looks at one',
  )
}

function linesOf(each: HostAccount): string {
  const state = paint(each.running && each.state !== 'silent' ? 'green' : 'yellow', each.state)
  const kill = each.kill === null ? '' : `   ${paint('red', `latched: ${each.kill}`)}`
  const ageMs = Math.max(Date.now() - each.last_seen_ms, 0)
  return [
    `${paint('bold', each.home)}   ${state}${kill}`,
    `  ${each.mode}   ${each.network}   account ${each.account}`,
    `  equity ${money(each.equity)}   ${each.positions} positions   weight ${each.weight}   version ${each.version}`,
    `  ${each.running ? `process ${each.pid} at ${each.url ?? 'no address yet'}` : 'does not run'}, last seen ${since(ageMs)} ago`,
    '',
  ].join('\n')
}
