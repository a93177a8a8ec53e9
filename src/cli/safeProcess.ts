import { readFileSync } from 'node:fs'
import { url as inspectorUrl } from 'node:inspector'
import { passphraseVariable } from '../config/passphrase.ts'
import { refused } from './cliError.ts'

/** What of a process could let somebody else at its memory, or at its talk with the venue. */
interface ProcessWays {
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
  const unsafe = options.map(plainOption).find((option) => unsafeOption.test(option))
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

/** Node takes options in quotes, and with underscores, as well. */
function plainOption(option: string): string {
  const [name = '', ...value] = option.replaceAll(/["'\\]/g, '').split('=')
  return [name.replaceAll('_', '-'), ...value].join('=')
}

/**
 * Whether the system may write this process's memory to disk when it crashes, by the words of
 * `/proc/self/limits`; false where it does not say. Node cannot change it.
 */
export function mayDumpCore(limits: string | null): boolean {
  const soft = /^Max core file size +(\S+)/m.exec(limits ?? '')?.[1]
  return soft !== undefined && soft !== '0'
}

/** The limits of this process as the system tells them; null where it does not. */
export function ownLimits(): string | null {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    return null
  }
}

/** What a person should know about how this process was started, though it is no reason to refuse. */
export function startWarnings(environment: NodeJS.ProcessEnv, limits: string | null): string[] {
  const isInEnvironment = environment[passphraseVariable] !== undefined
  return [
    ...(isInEnvironment
      ? [
          `the passphrase was given as ${passphraseVariable}: it stays readable in /proc/PID/environ for this user and for administrators, and in whatever set it; key.passphrase_file or a systemd credential is better`,
        ]
      : []),
    ...(environment['NODE_EXTRA_CA_CERTS'] === undefined
      ? []
      : ['NODE_EXTRA_CA_CERTS is set: whoever is named there may vouch for the venue']),
    ...(mayDumpCore(limits)
      ? [
          'core dumps are on: a crash could write the key to disk; start Guard with "ulimit -c 0", LimitCORE=0 or a container\'s ulimits',
        ]
      : []),
  ]
}

/** By default this signal opens a debugger, in any process of the same user. */
export function ignoreDebugSignal(): void {
  process.on('SIGUSR1', () => undefined)
}

const unsafeOption =
  /^(--inspect|--debug|--require\b|-r$|--import\b|--loader\b|--experimental-loader\b|--diagnostic-dir\b|--heapsnapshot|--heap-prof|--report|--abort-on-uncaught|--insecure|--tls-keylog)/
