import { Argument } from 'commander'
import type { Command } from 'commander'
import type { GuardEvent } from '../../core/events/guardEvent.ts'
import type { Address } from '../../core/values/address.ts'
import type { Cloid } from '../../core/values/cloid.ts'
import { shownJsonText } from '../../core/values/shownText.ts'
import { failed, refused } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { eventLine } from '../eventLine.ts'
import { runningOf } from '../homeConfig.ts'
import { addressOption, cloidOption, readCount } from '../readOption.ts'
import { printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

interface DecisionOptions extends CommonOptions {
  readonly client?: Address
  readonly cloid?: Cloid
}

export function decisionCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('decision')
    .description('one decision by the bot’s nonce or an order’s cloid, and what was sent for it')
    .addArgument(
      new Argument('[nonce]', 'the nonce of the bot’s request').argParser((value: string) =>
        readCount(value, 0, Number.MAX_SAFE_INTEGER),
      ),
    )
    .addOption(addressOption('--client <address>', 'the client, where two used the same nonce'))
    .addOption(cloidOption('--cloid <cloid>', 'the decision that the order with this id came from'))
    .action(async (nonce: number | undefined, options: DecisionOptions) => {
      const { query, what } = askedFor(nonce, options)
      const found = await runningOf(options, terminal).find(`/guard/decision?${query}`)
      if (found === null) throw failed(`no decision for ${what} is in the journal`)
      if (options.json === true) printJson(terminal, found)
      else terminal.out(readable(found as unknown as Found))
    })
  teach(
    withJson(withHome(command)),
    [
      'guard decision 1794700403783',
      'guard decision 1794700403783 --json | jq .decision.changes',
      'guard decision --cloid 0x0123456789abcdef0123456789abcdef',
    ],
    'guard rules show explains the limit that was named',
  )
}

/** By nonce, with or without its client, or by cloid: one of them. */
function askedFor(
  nonce: number | undefined,
  { client, cloid }: DecisionOptions,
): { readonly query: string; readonly what: string } {
  if (cloid !== undefined) {
    if (nonce !== undefined || client !== undefined) {
      throw refused('a decision is asked for by its nonce or by --cloid, not by both')
    }
    return { query: `cloid=${cloid}`, what: `cloid ${cloid}` }
  }
  if (nonce === undefined) throw refused('a decision is asked for by its nonce or by --cloid')
  const whose = client === undefined ? '' : `&client=${client}`
  return { query: `nonce=${nonce}${whose}`, what: `nonce ${nonce}` }
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
