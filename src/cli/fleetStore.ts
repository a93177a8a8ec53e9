import { join } from 'node:path'
import { readSecretFile } from '../config/secretFile.ts'
import type { fleetAdmin, FleetAdmin } from '../fleet/fleetProgram.ts'
import { systemTimers } from '../system/systemTimers.ts'
import { failed, noAnswer, refused } from './cliError.ts'
import type { CliError } from './cliError.ts'
import type { CommonOptions } from './commonOptions.ts'
import { homeOf } from './homeConfig.ts'
import type { Terminal } from './terminal.ts'

export interface FleetOptions extends CommonOptions {
  readonly urlFile?: string
}

/** Where the URL of the owner or of an operator is kept, unless another file is named. */
const usualFile = 'fleet-admin.url'

/** Whose URL a command needs, at least. */
type Whose = 'owner' | 'operator' | 'monitor'

const urlWords: Readonly<Record<Whose, string>> = {
  owner: 'the owner’s URL, the one that guard fleet init was run with',
  operator: 'the owner’s or an operator’s URL',
  monitor: 'the owner’s, an operator’s or a monitor’s URL',
}

/** What is said where the store has not done it. */
interface StoreWords {
  readonly undone: string
  readonly unknown: string
  readonly hints?: readonly string[]
  readonly whose?: Whose
}

/** The store that a command is about; what speaks to it is loaded here, and nowhere else. */
export async function fleetStore(
  options: FleetOptions,
  terminal: Terminal,
  whose: Whose = 'operator',
): Promise<FleetAdmin> {
  const file = options.urlFile ?? join(homeOf(options, terminal).path, usualFile)
  const text = readSecretFile(file)
  if (!text.ok) {
    const hint = `name the file with ${urlWords[whose]}: --url-file FILE`
    throw refused(text.error, options.urlFile === undefined ? [hint] : [])
  }
  const program = await loadFleet()
  const store = program.fleetAdmin(text.value, systemTimers)
  if (!store.ok) throw refused(`${file} ${store.error}`)
  return store.value
}

/** A file of its own, `dist/fleet.mjs`: whoever has no fleet never loads it. */
async function loadFleet(): Promise<{ readonly fleetAdmin: typeof fleetAdmin }> {
  return await import('../fleet/fleetProgram.ts')
}

/** What `StoreError` has; its class is another one in each bundle. */
interface ToldByStore extends Error {
  readonly kind: 'unreachable' | 'refused' | 'unknown'
  readonly code: string | null
}

function isToldByStore(error: unknown): error is ToldByStore {
  return error instanceof Error && error.name === 'StoreError'
}

/** Does it, and tells why not in this command's words. */
export async function withStore<T>(task: () => Promise<T>, words: StoreWords): Promise<T> {
  try {
    return await task()
  } catch (error) {
    if (!isToldByStore(error)) throw error
    throw toldBy(error, words)
  }
}

function toldBy(error: ToldByStore, words: StoreWords): CliError {
  const { hints = [], whose = 'operator' } = words
  if (error.kind === 'unreachable') {
    return noAnswer(`the store was not reached: ${words.undone}`, [error.message, ...hints])
  }
  if (error.kind === 'unknown') {
    return failed(`the store’s answer was lost: ${words.unknown}`, [error.message, ...hints])
  }
  const { code, message } = error
  // What was asked for is wrong, in the words of the schema itself.
  if (code === 'GF002') return refused(`${message}: ${words.undone}`)
  return failed(`the store refused: ${words.undone}`, [meaningOf(code, message, whose), ...hints])
}

function meaningOf(code: string | null, message: string, whose: Whose): string {
  if (code === '3F000' || code === '42P01' || code === '42883') {
    return `it has no schema of this Guard (${message}): guard fleet init --url-file FILE makes it`
  }
  if (code === '42501') {
    return `the role of this URL may not do it (${message}): what is wanted is ${urlWords[whose]}`
  }
  if (message.includes('guards_name')) return 'a member of that name is there already'
  if (/guards_(account|role)/.test(message)) return 'that account is a member already'
  if (code === '42710') return `${message}: another fleet of this server has that account`
  return message
}
