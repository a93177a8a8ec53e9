import type { Command } from 'commander'
import type { StatusView } from '../../engine/statusView.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { runningOf } from '../homeConfig.ts'
import { statusScreen } from '../statusScreen.ts'
import { printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

export function statusCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('status')
    .description('how a running Guard stands: limits, distance to each halt, positions, alerts')
    .action(async (options: CommonOptions) => {
      const status = await runningOf(options, terminal).get('/guard/status')
      if (options.json === true) printJson(terminal, status)
      else terminal.out(statusScreen(status as unknown as StatusView, terminal.columns))
    })
  teach(
    withJson(withHome(command)),
    ['guard status', 'guard status --json | jq .risk'],
    'guard events --follow shows what happens as it happens',
  )
}
