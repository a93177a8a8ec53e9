import { Argument } from 'commander'
import type { Command } from 'commander'
import type { GuardEvent } from '../../core/events/guardEvent.ts'
import type { Address } from '../../core/values/address.ts'
import { shownJsonText } from '../../core/values/shownText.ts'
import { failed } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { eventLine } from '../eventLine.ts'
import { runningOf } from '../homeConfig.ts'
import { addressOption, readCount } from '../readOption.ts'
import { printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

interface DecisionOptions extends CommonOptions {
  readonly client?: Address
}

export function decisionCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('decision')
    .description('one decision by the nonce the bot signed with, and what was sent for it')
    .addArgument(
      new Argument('<nonce>', 'the nonce of the bot’s request').argParser((value: string) =>
        readCount(value, 0, Number.MAX_SAFE_INTEGER),
      ),
    )
    .addOption(addressOption('--client <address>', 'the client, where two used the same nonce'))
    .action(async (nonce: number, options: DecisionOptions) => {
      const client = options.client === undefined ? '' : `&client=${options.client}`
      const found = await runningOf(options, terminal).find(
        `/guard/decision?nonce=${nonce}${client}`,
      )
      if (found === null) throw failed(`no decision for nonce ${nonce} is in the journal`)
      if (options.json === true) printJson(terminal, found)
      else terminal.out(readable(found as unknown as Found))
    })
  teach(
    withJson(withHome(command)),
    ['guard decision 1794700403783', 'guard decision 1794700403783 --json | jq .decision.changes'],
    'guard rules show explains the limit that was named',
  )
}

interface Found {
  readonly decision: GuardEvent
  readonly sent: readonly GuardEvent[]
}

function readable({ decision, sent }: Found): string {
  const lines = [eventLine(decision)]
  if (decision.kind === 'decision') {
    lines.push('  asked:', indent(decision.request))
    const actions = [...decision.pre, decision.forward, ...decision.forward_more, ...decision.post]
    for (const action of actions) if (action !== null) lines.push('  sent on:', indent(action))
  }
  return `${[...lines, ...sent.map(eventLine)].join('\n')}\n`
}

function indent(value: unknown): string {
  return shownJsonText(JSON.stringify(value, null, 2)).replace(/^/gm, '    ')
}
