import { resolve } from 'node:path'
import { parse, TomlError } from 'smol-toml'
import type { Mode } from '../core/events/guardEvent.ts'
import { readRuleBook } from '../core/rules/ruleBook.ts'
import type { RuleBook } from '../core/rules/ruleBook.ts'
import type { Address } from '../core/values/address.ts'
import { fieldWords } from '../core/values/fieldWords.ts'
import { err, ok } from '../core/values/result.ts'
import type { Result } from '../core/values/result.ts'
import { hostDirOf } from './hostDir.ts'
import { guardTomlSchema } from './guardToml.ts'
import type { GuardToml } from './guardToml.ts'
import { isLoopback, parseListen } from './listenAddress.ts'
import type { ListenAddress } from './listenAddress.ts'
import { problemLines } from './tomlLines.ts'
import type { TomlProblem } from './tomlLines.ts'
import { venueAddresses } from './venueUrls.ts'
import type { VenueAddresses } from './venueUrls.ts'

/** guard.toml, read and checked; paths are whole. */
export interface GuardConfigFile {
  readonly mode: Mode
  readonly account: Address
  readonly listen: ListenAddress
  /** Hosts beside loopback by which Guard may be called; null: this machine only. */
  readonly exposedHosts: readonly string[] | null
  readonly readTokenFile: string | null
  readonly stateDir: string
  /** Where emergency records are kept beside the state directory; null: nowhere else. */
  readonly emergencyDir: string | null
  /** Where the Guards of this host share what the venue counts for its address. */
  readonly hostDir: string
  /** The file with the URL of the fleet's store; null: a member of no fleet. */
  readonly fleetUrlFile: string | null
  /** How long records are kept, in days; null: for ever. */
  readonly keepDays: number | null
  readonly venue: VenueAddresses & {
    readonly apiWallet: Address | null
    /** Whose sub-account or vault the account is; null: it has a key of its own. */
    readonly via: Address | null
    readonly builders: readonly Address[]
    readonly weightPerMinute: number
    readonly timeoutMs: number
  }
  readonly keyFile: string
  readonly passphraseFile: string | null
  readonly clients: ReadonlyMap<Address, { readonly name: string }>
  readonly rules: RuleBook
  /** `[alerts]` as written; the alerts read it. */
  readonly alerts: unknown
}

/** Looks through `[alerts]`, which another part of Guard reads. */
type AlertsCheck = (alerts: unknown) => readonly TomlProblem[]

/** Reads guard.toml; every violation at once, each as `line N: key: what is wrong`. */
export function readConfig(
  text: string,
  homePath: string,
  checkAlerts: AlertsCheck = () => [],
): Result<GuardConfigFile, string[]> {
  let table: unknown
  try {
    table = parse(text)
  } catch (error) {
    if (error instanceof TomlError) return err([`line ${error.line}: ${firstLine(error.message)}`])
    throw error
  }
  const section = sectionOf(table)
  const { toml, problems } = readShape(table)
  const rules = readRuleBook(section('rules'), section('market'), section('client'))
  if (!rules.ok) problems.push(...rules.error)
  problems.push(...checkAlerts(section('alerts')))
  const config = toml === null ? err([]) : assemble(toml, rules.ok ? rules.value : null, homePath)
  if (config.ok && problems.length === 0) return config
  return err(problemLines([...problems, ...(config.ok ? [] : config.error)], text))
}

/** Never a client's: the account of a file whose own cannot be read. */
const nobody = `0x${'0'.repeat(40)}`

/**
 * The file by its shape. Where that refuses something, the rest is read without it, so that all
 * that is wrong is told at once; null where too little is left.
 */
function readShape(table: unknown): { toml: GuardToml | null; problems: TomlProblem[] } {
  const shape = guardTomlSchema.safeParse(table, { error: fieldWords })
  if (shape.success) return { toml: shape.data, problems: [] }
  const problems = shape.error.issues.flatMap(shapeProblems)
  const rest = guardTomlSchema.safeParse(without(table, problems))
  return { toml: rest.success ? rest.data : null, problems }
}

function without(table: unknown, problems: readonly TomlProblem[]): unknown {
  const left = new Map<string, unknown>(Object.entries(table as object))
  for (const {
    path: [section = '', key],
  } of problems) {
    const isWhole = key === undefined || section === 'fleet'
    left.set(section, isWhole ? undefined : withoutKey(left.get(section), key))
    // A client that cannot be read is a client all the same: its section is not for nobody.
    if (section === 'clients' && !isWhole) left.set('client', withoutKey(left.get('client'), key))
  }
  return { mode: 'paper', account: nobody, ...Object.fromEntries(withValue(left)) }
}

function withValue(entries: ReadonlyMap<string, unknown>): [string, unknown][] {
  return [...entries].filter(([, value]) => value !== undefined)
}

function withoutKey(section: unknown, key: string): unknown {
  if (typeof section !== 'object' || section === null) return undefined
  return Object.fromEntries(Object.entries(section).filter(([each]) => each !== key))
}

/** Without rules that could be read, only what else is wrong is found. */
function assemble(
  toml: GuardToml,
  rules: RuleBook | null,
  homePath: string,
): Result<GuardConfigFile, TomlProblem[]> {
  const problems: TomlProblem[] = []
  const listen = parseListen(toml.listen)
  if (!listen.ok) problems.push({ path: ['listen'], text: listen.error })
  else problems.push(...exposureProblems(toml, listen.value))
  const venue = venueAddresses(toml.mode, toml.venue.url, toml.venue.ws_url, toml.venue.network)
  if (!venue.ok) problems.push({ path: ['venue', venue.error.key], text: venue.error.text })
  problems.push(...sectionProblems(toml))
  if (toml.mode === 'mainnet' && rules !== null && rules.rules.equityCap === null) {
    problems.push({
      path: ['rules', 'equity_cap'],
      text: 'is required on mainnet: the most equity, in USD, that Guard sizes orders from',
    })
  }
  if (!listen.ok || !venue.ok || rules === null || problems.length > 0) return err(problems)
  return ok({
    mode: toml.mode,
    account: toml.account,
    listen: listen.value,
    exposedHosts: toml.expose === undefined ? null : toml.expose_hosts,
    readTokenFile:
      toml.read_token_file === undefined ? null : resolve(homePath, toml.read_token_file),
    stateDir: resolve(homePath, toml.state_dir),
    emergencyDir: toml.emergency_dir === undefined ? null : resolve(homePath, toml.emergency_dir),
    hostDir: hostDirOf(toml.host.dir, homePath),
    fleetUrlFile: toml.fleet === undefined ? null : resolve(homePath, toml.fleet.url_file),
    keepDays: toml.journal.keep_days ?? null,
    venue: {
      ...venue.value,
      apiWallet: toml.venue.api_wallet ?? null,
      via: toml.venue.via ?? null,
      builders: toml.venue.builders,
      weightPerMinute: toml.venue.weight_per_minute,
      timeoutMs: toml.venue.timeout_ms,
    },
    keyFile: resolve(homePath, toml.key.file),
    passphraseFile:
      toml.key.passphrase_file === undefined ? null : resolve(homePath, toml.key.passphrase_file),
    clients: new Map(Object.entries(toml.clients) as [Address, { name: string }][]),
    rules,
    alerts: toml.alerts,
  })
}

const viaItself = 'is the account itself; leave it out where the account has a key of its own'
const viaWallet =
  'is the API wallet; it must be the account whose sub-account or vault `account` is'

function exposureProblems(toml: GuardToml, listen: ListenAddress): TomlProblem[] {
  if (isLoopback(listen.host)) return []
  const problems: TomlProblem[] = []
  if (toml.expose === undefined) {
    problems.push({
      path: ['listen'],
      text: `${listen.host} can be reached from other machines. Use 127.0.0.1, or set expose = "other machines may reach Guard" and read_token_file`,
    })
  } else if (toml.read_token_file === undefined) {
    problems.push({
      path: ['expose'],
      text: 'needs read_token_file: a file with the bearer token for readers',
    })
  }
  return problems
}

function sectionProblems(toml: GuardToml): TomlProblem[] {
  const unknown = Object.keys(toml.client).filter((each) => !(each in toml.clients))
  const { via } = toml.venue
  const own = [toml.account, ...(via === undefined ? [] : [via])].filter(
    (each) => each in toml.clients,
  )
  return [
    ...(via === toml.account
      ? [{ path: ['venue', 'via'], text: viaItself }]
      : via !== undefined && via === toml.venue.api_wallet
        ? [{ path: ['venue', 'via'], text: viaWallet }]
        : []),
    ...unknown.map((each) => ({
      path: ['client', each],
      text: 'is not in [clients]; its rules would hold for nobody',
    })),
    ...own.map((each) => ({
      path: ['clients', each],
      text: `is ${each === via ? 'the owner of the trading account' : 'the trading account itself'}; a client key must be worth nothing elsewhere`,
    })),
  ]
}

function sectionOf(table: unknown): (key: string) => unknown {
  return (key) =>
    typeof table === 'object' && table !== null && key in table
      ? (table as Record<string, unknown>)[key]
      : {}
}

type Issue = NonNullable<ReturnType<typeof guardTomlSchema.safeParse>['error']>['issues'][number]

function shapeProblems(issue: Issue): TomlProblem[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], text: 'is not a key Guard knows' }))
  }
  // An address as a key: zod wraps what is wrong with it.
  if (issue.code === 'invalid_key')
    return issue.issues.map((each) => ({ path, text: each.message }))
  return [{ path, text: issue.message }]
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? text
}
