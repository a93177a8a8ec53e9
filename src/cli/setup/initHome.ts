import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { defaultStateDir } from '../../config/home.ts'
import type { Home } from '../../config/home.ts'
import { encryptKey } from '../../config/keystore.ts'
import { readConfig } from '../../config/readConfig.ts'
import { replaceFiles } from '../../config/replaceFile.ts'
import type { NewText } from '../../config/replaceFile.ts'
import { writeNewSecretFile } from '../../config/secretFile.ts'
import { venueAddresses } from '../../config/venueUrls.ts'
import type { VenueAddresses } from '../../config/venueUrls.ts'
import type { Mode } from '../../core/events/guardEvent.ts'
import type { Crypto } from '../../core/protocol/crypto.ts'
import type { Rules } from '../../core/rules/rules.ts'
import type { Address } from '../../core/values/address.ts'
import { journalStats } from '../../journal/inspect.ts'
import { JournalError } from '../../journal/journalError.ts'
import type { Identity } from '../../journal/identity.ts'
import { failed, refused } from '../cliError.ts'
import { findStateDir } from '../homeConfig.ts'
import { journalRefused } from '../journalRefused.ts'
import type { AgentFacts } from './agentCheck.ts'
import { askRoleAt } from './accountRole.ts'
import { approvedAgent } from './approvedAgent.ts'
import { keepCopy } from './keepCopy.ts'
import { newClientKey } from './newClientKey.ts'
import type { ClientKey } from './newClientKey.ts'
import { refuseRunning } from './refuseRunning.ts'
import { renderToml } from './renderToml.ts'
import { rulesToml } from './rulesToml.ts'

/** Everything that is known before anything is written. */
export interface Setup {
  readonly home: Home
  readonly mode: Mode
  readonly account: Address
  /** Whose sub-account or vault it is, as far as it is told; null: the venue is asked. */
  readonly via: Address | null
  readonly venueUrl: string | null
  /** `HOST:PORT`. */
  readonly listen: string
  readonly rules: Rules
  /** Null in paper mode. */
  readonly key: { readonly bytes: Uint8Array; readonly passphrase: string } | null
  /** The first client; null: none is made, since nobody could be given its key. */
  readonly client: NewClient | null
  readonly force: boolean
}

export interface NewClient {
  readonly name: string
  /** Where its key goes; null: it is returned to be shown. */
  readonly keyOut: string | null
}

export interface SetUp {
  /** Whose sub-account or vault the account is; null: it has a key of its own. */
  readonly via: Address | null
  readonly wallet: Address | null
  readonly agent: AgentFacts | null
  readonly client: ClientKey | null
  /** Where the guard.toml that stood there before is kept; null where there was none. */
  readonly copy: string | null
}

/** Refuses a home that is set up, unless told to replace it; its journal is never touched. */
export function checkHomeIsFree(home: Home, force: boolean): void {
  if (existsSync(home.configFile) && !force) {
    throw refused(`${home.path} is set up already`, [
      'choose another home with: --home DIR',
      'only a new API wallet key, with every rule as it is: guard key replace',
      'or begin anew with: --force (rules, clients and alerts are not taken over; the journal stays)',
    ])
  }
}

/** Asks the venue, then writes keystore, client key and configuration; nothing is left half done. */
export async function initHome(setup: Setup, crypto: Crypto): Promise<SetUp> {
  checkHomeIsFree(setup.home, setup.force)
  await refuseRunning(setup.home, findStateDir(setup.home))
  const { url } = await checkJournal(setup)
  const wallet = setup.key === null ? null : crypto.secp256k1.addressOf(setup.key.bytes)
  const via = wallet === null ? setup.via : await ownerOf(url, setup)
  const agent = wallet === null ? null : await approvedAgent(url, via ?? setup.account, wallet)
  const client = setup.client === null ? null : newClientKey(crypto.secp256k1)
  const toml = renderToml({
    mode: setup.mode,
    account: setup.account,
    listen: setup.listen,
    venueUrl: setup.venueUrl,
    apiWallet: wallet,
    via,
    client:
      client === null || setup.client === null
        ? null
        : { address: client.address, name: setup.client.name },
    rules: rulesToml(setup.rules),
  })
  const checked = readConfig(toml, setup.home.path)
  if (!checked.ok) throw refused('this set-up would not be valid', checked.error)
  const copy = writeAll(setup, { wallet, client, toml }, crypto)
  return { via, wallet, agent, client, copy }
}

/** Asks the venue whose account it is: a sub-account's owner it tells, a vault's has to be named. */
async function ownerOf(url: string, { account, via }: Setup): Promise<Address | null> {
  const role = await askRoleAt(url, account, via)
  if (!role.ok) throw failed(`the venue could not be asked about ${account}: ${role.error}`)
  if (role.value.ok) return via
  if (via === null && role.value.via !== null) return role.value.via
  throw refused(role.value.text, via === null ? ['name it with: --via 0x..'] : [])
}

interface NewFiles {
  readonly wallet: Address | null
  readonly client: ClientKey | null
  readonly toml: string
}

/** Writes the files of a home; what a failure leaves behind goes again. Returns the copy's place. */
function writeAll(setup: Setup, { wallet, client, toml }: NewFiles, crypto: Crypto): string | null {
  const { home, key } = setup
  const keyOut = setup.client?.keyOut ?? null
  const firstMade = mkdirSync(home.path, { recursive: true, mode: 0o700 })
  let isClientWritten = false
  let copy: string | null = null
  try {
    copy = keepCopy(home.configFile)
    if (keyOut !== null && client !== null) {
      const written = writeNewSecretFile(keyOut, `${client.text}\n`)
      if (!written.ok) throw refused(`--client-key-out ${written.error}`)
      isClientWritten = true
    }
    const config = { path: home.configFile, text: toml }
    if (key === null || wallet === null) replaceFiles([config])
    else replaceFiles([newKeystore(setup, key, wallet, crypto), config])
    return copy
  } catch (error) {
    if (copy !== null) rmSync(copy, { force: true })
    // A client key that no configuration knows would only mislead.
    if (keyOut !== null && isClientWritten) rmSync(keyOut, { force: true })
    if (firstMade !== undefined) rmSync(firstMade, { recursive: true, force: true })
    throw error
  }
}

/** A home keeps its journal: told now that it is another account's, not when Guard should start. */
async function checkJournal({ home, mode, account, venueUrl }: Setup): Promise<VenueAddresses> {
  const stateDir = defaultStateDir(home)
  const venue = venueAddresses(mode, venueUrl ?? undefined, undefined, undefined)
  if (!venue.ok) throw refused(`--venue-url: ${venue.error.text}`)
  const directory = join(stateDir, 'journal')
  if (!existsSync(directory)) return venue.value
  let identity: Identity
  try {
    identity = (await journalStats(directory)).identity
  } catch (error) {
    if (error instanceof JournalError) throw journalRefused(error)
    throw error
  }
  if (identity.account === account && identity.network === venue.value.network) return venue.value
  throw refused(
    `${home.path} has the journal of ${identity.account} on ${identity.network}, and a journal belongs to one account for life`,
    ['choose another home with: --home DIR'],
  )
}

/** The keystore of a new home must not stand there yet. */
function newKeystore(
  { home, force }: Setup,
  key: { readonly bytes: Uint8Array; readonly passphrase: string },
  wallet: Address,
  crypto: Crypto,
): NewText {
  const path = join(home.path, 'api-wallet.json')
  if (!force && existsSync(path)) throw failed(`${path}: exists already`)
  return { path, text: encryptKey(crypto.keccak256, key.bytes, wallet, key.passphrase) }
}
