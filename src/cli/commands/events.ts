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
import { countOption } from '../readOption.ts'
import type { RunningGuard } from '../runningGuard.ts'
import type { Terminal } from '../terminal.ts'

interface EventsOptions extends CommonOptions {
  readonly since?: number
  readonly follow?: boolean
  readonly kind?: string
}

const pageEvents = 1_000
const waitSeconds = 25

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

async function show(
  guard: RunningGuard,
  options: EventsOptions,
  terminal: Terminal,
): Promise<void> {
  const kinds = options.kind === undefined ? '' : `&kind=${encodeURIComponent(options.kind)}`
  let since = options.since ?? 0
  // First everything the journal has, page by page; then, when following, what is new.
  while (true) {
    const page = await read(guard, `?since=${since}&source=journal&limit=${pageEvents}${kinds}`)
    for (const event of page) print(event, options, terminal)
    since = page.at(-1)?.seq ?? since
    if (page.length < pageEvents) break
  }
  if (options.follow === true) await follow(guard, since, kinds, options, terminal)
}

/** Goes on until Ctrl-C: a person who has seen enough is done, and that is no failure. */
async function follow(
  guard: RunningGuard,
  from: number,
  kinds: string,
  options: EventsOptions,
  terminal: Terminal,
): Promise<void> {
  const end = endSignal()
  const left = end.first.then(() => null)
  try {
    let since = from
    while (true) {
      const query = `?since=${since}&wait=${waitSeconds}${kinds}`
      const page = await Promise.race([read(guard, query, waitSeconds * 1_000), left])
      if (page === null) return
      for (const event of page) print(event, options, terminal)
      since = page.at(-1)?.seq ?? since
    }
  } finally {
    end.release()
  }
}

async function read(
  guard: RunningGuard,
  query: string,
  waitMs = 0,
): Promise<readonly GuardEvent[]> {
  return (await guard.get(`/guard/events${query}`, waitMs)) as unknown as readonly GuardEvent[]
}

function print(event: GuardEvent, options: EventsOptions, terminal: Terminal): void {
  const text = options.json === true ? shownJsonText(JSON.stringify(event)) : eventLine(event)
  terminal.out(`${text}\n`)
}
