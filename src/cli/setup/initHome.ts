import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { defaultStateDir } from '../../config/home.ts'
import type { Home } from '../../config/home.ts'
import { encryptKey } from '../../config/keystore.ts'
import { readConfig } from '../../config/readConfig.ts'
import { replaceFile } from '../../config/replaceFile.ts'
import { writeNewSecretFile } from '../../config/secretFile.ts'
import { venueAddresses } from '../../config/venueUrls.ts'
import type { Mode } from '../../core/events/guardEvent.ts'
import type { Crypto } from '../../core/protocol/crypto.ts'
import type { Rules } from '../../core/rules/rules.ts'
import type { Address } from '../../core/values/address.ts'
import { journalStats } from '../../journal/inspect.ts'
import { JournalError } from '../../journal/journalError.ts'
import type { Identity } from '../../journal/opened.ts'
import { createHttpTransport } from '../../venue/httpTransport.ts'
import { failed, refused } from '../cliError.ts'
import { journalRefused } from '../journalRefused.ts'
import { announcedAddress } from '../runningAddress.ts'
import { runningGuard } from '../runningGuard.ts'
import { askInfo } from './askInfo.ts'
import { checkAgent } from './agentCheck.ts'
import type { AgentFacts } from './agentCheck.ts'
import { newClientKey } from './newClientKey.ts'
import type { ClientKey } from './newClientKey.ts'
import { renderToml } from './renderToml.ts'
import { rulesToml } from './rulesToml.ts'

/** Everything that is known before anything is written. */
export interface Setup {
  readonly home: Home
  readonly mode: Mode
  readonly account: Address
  readonly venueUrl: string | null
  /** `HOST:PORT`. */
  readonly listen: string
  readonly rules: Rules
  /** Null in paper mode. */
  readonly key: { readonly bytes: Uint8Array; readonly passphrase: string } | null
  readonly clientName: string
  /** Where the client key goes; null: it is returned to be shown. */
  readonly clientKeyOut: string | null
  readonly force: boolean
}

export interface SetUp {
  readonly wallet: Address | null
  readonly agent: AgentFacts | null
  readonly client: ClientKey
}

/** Refuses a home that is set up, unless told to replace it; its journal is never touched. */
export function checkHomeIsFree(home: Home, force: boolean): void {
  if (existsSync(home.configFile) && !force) {
    throw refused(`${home.path} is set up already`, [
      'choose another home with: --home DIR',
      'or replace its configuration and key with: --force (its journal stays)',
    ])
  }
}

/** Asks the venue, then writes keystore, client key and configuration; nothing is left half done. */
export async function initHome(setup: Setup, crypto: Crypto): Promise<SetUp> {
  checkHomeIsFree(setup.home, setup.force)
  await checkJournal(setup)
  const wallet = setup.key === null ? null : crypto.secp256k1.addressOf(setup.key.bytes)
  const agent = wallet === null ? null : await askVenue(setup, wallet)
  const client = newClientKey(crypto.secp256k1)
  const toml = renderToml({
    mode: setup.mode,
    account: setup.account,
    listen: setup.listen,
    venueUrl: setup.venueUrl,
    apiWallet: wallet,
    client: { address: client.address, name: setup.clientName },
    rules: rulesToml(setup.rules),
  })
  const checked = readConfig(toml, setup.home.path)
  if (!checked.ok) throw refused('this set-up would not be valid', checked.error)
  writeAll(setup, { wallet, client, toml }, crypto)
  return { wallet, agent, client }
}

interface NewFiles {
  readonly wallet: Address | null
  readonly client: ClientKey
  readonly toml: string
}

/** Writes the files of a home; what a failure leaves behind goes again. */
function writeAll(setup: Setup, { wallet, client, toml }: NewFiles, crypto: Crypto): void {
  const { home, key, clientKeyOut } = setup
  const firstMade = mkdirSync(home.path, { recursive: true, mode: 0o700 })
  let isClientWritten = false
  try {
    if (clientKeyOut !== null) {
      const written = writeNewSecretFile(clientKeyOut, `${client.text}\n`)
      if (!written.ok) throw refused(`--client-key-out ${written.error}`)
      isClientWritten = true
    }
    if (key !== null && wallet !== null) writeKeystore(setup, key, wallet, crypto)
    replaceFile(home.configFile, toml)
  } catch (error) {
    // A client key that no configuration knows would only mislead.
    if (clientKeyOut !== null && isClientWritten) rmSync(clientKeyOut, { force: true })
    if (firstMade !== undefined) rmSync(firstMade, { recursive: true, force: true })
    throw error
  }
}

/** A home keeps its journal: told now that it is another account's, not when Guard should start. */
async function checkJournal({ home, mode, account, venueUrl }: Setup): Promise<void> {
  const stateDir = defaultStateDir(home)
  const venue = venueAddresses(mode, venueUrl ?? undefined, undefined, undefined)
  if (!venue.ok) throw refused(`--venue-url: ${venue.error}`)
  if (await isGuardAt(announcedAddress(stateDir))) {
    throw refused(`a Guard runs on ${home.path}; stop it first`)
  }
  const directory = join(stateDir, 'journal')
  if (!existsSync(directory)) return
  let identity: Identity
  try {
    identity = (await journalStats(directory)).identity
  } catch (error) {
    if (error instanceof JournalError) throw journalRefused(error)
    throw error
  }
  if (identity.account === account && identity.network === venue.value.network) return
  throw refused(
    `${home.path} has the journal of ${identity.account} on ${identity.network}, and a journal belongs to one account for life`,
    ['choose another home with: --home DIR'],
  )
}

/** An address that a killed Guard left behind answers nothing. */
async function isGuardAt(url: string | null): Promise<boolean> {
  if (url === null) return false
  try {
    await runningGuard(url, null).find('/healthz')
    return true
  } catch {
    return false
  }
}

async function askVenue(setup: Setup, wallet: Address): Promise<AgentFacts> {
  const venue = venueAddresses(setup.mode, setup.venueUrl ?? undefined, undefined, undefined)
  if (!venue.ok) throw refused(`--venue-url: ${venue.error}`)
  const transport = createHttpTransport(venue.value.url)
  try {
    const agent = await checkAgent(askInfo(transport), setup.account, wallet)
    if (!agent.ok) throw refused(`the key was not taken: ${agent.error}`)
    return agent.value
  } finally {
    transport.close()
  }
}

function writeKeystore(
  setup: Setup,
  key: { readonly bytes: Uint8Array; readonly passphrase: string },
  wallet: Address,
  crypto: Crypto,
): void {
  const path = join(setup.home.path, 'api-wallet.json')
  const text = encryptKey(crypto.keccak256, key.bytes, wallet, key.passphrase)
  if (setup.force) {
    replaceFile(path, text)
    return
  }
  const written = writeNewSecretFile(path, text)
  if (!written.ok) throw failed(written.error)
}
