import { rmSync } from 'node:fs'
import { Argument } from 'commander'
import type { Command } from 'commander'
import { clientNameFault } from '../../config/clientName.ts'
import { addClient, removeClient } from '../../config/editClients.ts'
import type { Home } from '../../config/home.ts'
import { readOwnerFile } from '../../system/ownerFile.ts'
import { readConfig } from '../../config/readConfig.ts'
import { replaceFile } from '../../config/replaceFile.ts'
import { revokeInPlace } from '../../config/revokeInPlace.ts'
import { codeOf, writeNewSecretFile } from '../../config/secretFile.ts'
import type { Address } from '../../core/values/address.ts'
import { quotedText, shownText } from '../../core/values/shownText.ts'
import { loadCrypto } from '../../crypto/loadCrypto.ts'
import { failed, refused } from '../cliError.ts'
import type { CliError } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { configOf, homeOf, runningOn } from '../homeConfig.ts'
import { readAddress } from '../readOption.ts'
import { newClientKey } from '../setup/newClientKey.ts'
import { printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'

interface AddOptions extends CommonOptions {
  readonly name?: string
  readonly out?: string
}

export function clientCommand(program: Command, terminal: Terminal): void {
  const client = program.command('client').description('client keys: which bots Guard listens to')
  const add = client
    .command('add')
    .description('make a new client key; a running Guard takes it over at once')
    .option('--name <name>', 'what you call the bot', 'bot')
    .option('--out <file>', 'write the key to this new file, readable by you only')
    .action((options: AddOptions) => addOne(options, terminal))
  teach(
    withJson(withHome(add)),
    ['guard client add --name "grid bot" --out grid.key'],
    'give the key to the bot as its private key, and http://127.0.0.1:8547 as its venue',
  )
  const list = client
    .command('list')
    .description('the client keys Guard accepts')
    .action((options: CommonOptions) => {
      listAll(options, terminal)
    })
  teach(withJson(withHome(list)), ['guard client list'], 'guard client revoke ADDRESS ends one')
  const revoke = client
    .command('revoke')
    .description('end a client key; a running Guard refuses it at once')
    .addArgument(new Argument('<address>', 'the client’s address').argParser(readAddress))
    .action((address: Address, options: CommonOptions) => {
      revokeOne(address, options, terminal)
    })
  teach(
    withJson(withHome(revoke)),
    ['guard client revoke 0x...'],
    'guard client list shows who is left',
  )
}

async function addOne(options: AddOptions, terminal: Terminal): Promise<void> {
  if (options.out === undefined && (!terminal.isInteractive || options.json === true)) {
    throw refused('--out FILE is needed: the key is shown on a terminal only', [
      'it is a new file, readable by you only',
    ])
  }
  const name = options.name ?? 'bot'
  const fault = clientNameFault(name)
  if (fault !== null) throw refused(`--name ${fault}; not ${quotedText(name)}`)
  const config = configOf(options, terminal)
  const { secp256k1 } = await loadCrypto()
  const key = newClientKey(secp256k1)
  if (options.out !== undefined) {
    const written = writeNewSecretFile(options.out, `${key.text}\n`)
    if (!written.ok) throw refused(`--out ${written.error}`)
  }
  try {
    edit(options, terminal, (text) => addClient(text, key.address, name))
  } catch (error) {
    // A key that no Guard knows would only mislead.
    if (options.out !== undefined) rmSync(options.out, { force: true })
    throw error
  }
  const { url } = runningOn(config)
  if (options.json === true) {
    printJson(terminal, {
      client: { address: key.address, name, key_file: options.out ?? null, url },
    })
    return
  }
  terminal.out(`Client ${key.address} (${quotedText(name)}) is added.\n`)
  // Shown once, to a person who asked for it on a terminal; otherwise it is in the file.
  if (options.out === undefined) terminal.out(`Its key, shown only now: ${key.text}\n`)
  else terminal.out(`Its key is in ${options.out}.\n`)
  terminal.out(`Point the bot at ${url} and let it sign with this key.\n`)
}

function listAll(options: CommonOptions, terminal: Terminal): void {
  const clients = [...configOf(options, terminal).clients].map(([address, { name }]) => ({
    address,
    name,
  }))
  if (options.json === true) {
    printJson(terminal, { clients })
    return
  }
  if (clients.length === 0) terminal.out('No clients. Add one with: guard client add\n')
  for (const { address, name } of clients) terminal.out(`${address}  ${shownText(name)}\n`)
}

function revokeOne(address: Address, options: CommonOptions, terminal: Terminal): void {
  configOf(options, terminal)
  const home = homeOf(options, terminal)
  const remove = (text: string): string => {
    const without = removeClient(text, address)
    if (without === null)
      throw failed(`${address} is not a client`, ['guard client list shows them'])
    return without
  }
  try {
    edit(options, terminal, remove)
  } catch (error) {
    if (!isDiskFull(error)) throw error
    if (!isRevokedInPlace(home, address)) throw stillWorks(address, error)
  }
  if (options.json === true) printJson(terminal, { revoked: address })
  else terminal.out(`Client ${address} is revoked.\n`)
}

function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(codeOf(error))
}

function isRevokedInPlace(home: Home, address: Address): boolean {
  try {
    return revokeInPlace(home.configFile, home.path, address)
  } catch {
    return false
  }
}

function stillWorks(address: Address, error: unknown): CliError {
  return failed(`${address} is not revoked, and its key still works: the disk is full`, [
    String(error),
    'make room and run this again',
    'or stop everything now: guard kill --reason "..."   (it needs no room)',
  ])
}

/** Changes guard.toml in one step, and only to something that is valid. */
function edit(options: CommonOptions, terminal: Terminal, change: (text: string) => string): void {
  const home = homeOf(options, terminal)
  const changed = change(readOwnerFile(home.configFile))
  const checked = readConfig(changed, home.path)
  if (!checked.ok) throw failed('the changed configuration would not be valid', checked.error)
  replaceFile(home.configFile, changed)
}
