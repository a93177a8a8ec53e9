import { url as inspectorUrl } from 'node:inspector'
import { refused } from './cliError.ts'

/** What of a process could let somebody else at its memory, or at its talk with the venue. */
export interface ProcessWays {
  readonly environment: NodeJS.ProcessEnv
  readonly execArgv: readonly string[]
  /** Where a debugger can attach already; undefined where none can. */
  readonly inspectorUrl: string | undefined
}

/** A program that is started from a terminal; commands that are called by others tell no options. */
export function ownProcess(started: {
  readonly environment: NodeJS.ProcessEnv
  readonly execArgv?: readonly string[]
}): ProcessWays {
  const { environment, execArgv = [] } = started
  return { environment, execArgv, inspectorUrl: inspectorUrl() }
}

/**
 * Refuses to go on where a key could be read by a debugger, by code that was loaded before Guard's
 * own, or where the venue's certificate would not be checked.
 */
export function refuseUnsafeProcess({
  environment,
  execArgv,
  inspectorUrl: open,
}: ProcessWays): void {
  if (open !== undefined) {
    throw refused('a debugger is open in this process, and could read the key; start without it')
  }
  const options = [...execArgv, ...(environment['NODE_OPTIONS'] ?? '').split(/\s+/)]
  const unsafe = options.find((option) => unsafeOption.test(option))
  if (unsafe !== undefined) {
    throw refused(
      `the Node option ${unsafe.split('=')[0] ?? ''} lets others into this process; ` +
        'start Guard without it (NODE_OPTIONS, or before the name of the program)',
    )
  }
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    throw refused(
      'NODE_TLS_REJECT_UNAUTHORIZED=0 would let anybody be the venue; start Guard without it',
    )
  }
}

/** By default this signal opens a debugger, in any process of the same user. */
export function ignoreDebugSignal(): void {
  process.on('SIGUSR1', () => undefined)
}

const unsafeOption =
  /^(--inspect|--debug|--require\b|-r$|--import\b|--loader\b|--experimental-loader\b|--diagnostic-dir\b|--heapsnapshot|--heap-prof|--report|--abort-on-uncaught|--insecure|--tls-keylog)/
