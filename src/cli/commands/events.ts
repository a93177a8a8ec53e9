import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import type { GuardEvent } from '../../core/events/guardEvent.ts'
import { eventKinds } from '../../gateway/events/eventsQuery.ts'
import { shownJsonText } from '../../core/values/shownText.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { endSignal } from '../endSignal.ts'
import { eventLine } from '../eventLine.ts'
import { runningOf } from '../homeConfig.ts'
import { tellNew, tellPast } from '../readEvents.ts'
import { countOption } from '../readOption.ts'
import type { RunningGuard } from '../runningGuard.ts'
import type { Terminal } from '../terminal.ts'

interface EventsOptions extends CommonOptions {
  readonly since?: number
  readonly follow?: boolean
  readonly kind?: string
}

export function eventsCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('events')
    .description('what Guard saw, decided and sent, oldest first')
    .addOption(countOption('--since <seq>', 'only events after this number', 0))
    .addOption(new Option('--follow', 'go on with new events until Ctrl-C'))
    .addOption(
      new Option('--kind <kinds>', 'only these kinds, such as decision,sent').argParser(readKinds),
    )
    .action(async (options: EventsOptions) => {
      await show(runningOf(options, terminal), options, terminal)
    })
  teach(
    withJson(withHome(command)),
    [
      'guard events --follow',
      'guard events --since 120 --kind decision,sent',
      'guard events --json | jq .code',
    ],
    'guard decision NONCE shows one decision and what was sent for it',
  )
}

function readKinds(text: string): string {
  const unknown = text.split(',').find((kind) => !(eventKinds as string[]).includes(kind))
  if (unknown === undefined) return text
  throw new InvalidArgumentError(`It must name some of ${eventKinds.join(', ')}.`)
}

/** First everything the journal has; then, when following, what is new. */
async function show(
  guard: RunningGuard,
  options: EventsOptions,
  terminal: Terminal,
): Promise<void> {
  const tell = (event: GuardEvent): void => {
    print(event, options, terminal)
  }
  const leaving = new AbortController()
  const reading = { guard, kinds: options.kind, tell, left: leaving.signal }
  const since = await tellPast(reading, options.since ?? 0)
  if (options.follow !== true || since === null) return
  // Until Ctrl-C: a person who has seen enough is done, and that is no failure.
  const end = endSignal()
  void end.first.then(() => {
    leaving.abort()
  })
  try {
    await tellNew(reading, since)
  } finally {
    end.release()
  }
}

function print(event: GuardEvent, options: EventsOptions, terminal: Terminal): void {
  const text = options.json === true ? shownJsonText(JSON.stringify(event)) : eventLine(event)
  terminal.out(`${text}\n`)
}
