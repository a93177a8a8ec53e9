import type { Command } from 'commander'
import { limits } from '../../src/core/values/limits.ts'
import { parsePrivateKey } from '../../src/config/privateKey.ts'
import { readSecretFile } from '../../src/config/secretFile.ts'
import { loadCrypto } from '../../src/crypto/loadCrypto.ts'
import type { Attack } from '../redteam/attack.ts'
import { attacks } from '../redteam/attackList.ts'
import type { McpAttack } from '../redteam/mcp/mcpAttack.ts'
import { mcpAttacks } from '../redteam/mcp/runMcpRedteam.ts'
import { everythingHeld, resultLine, summaryText } from '../redteam/report.ts'
import { RefusedTarget, runRedteam } from '../redteam/runRedteam.ts'
import type { AttackResult, RedteamReport } from '../redteam/runRedteam.ts'
import { Pen } from '../redteam/signing.ts'
import { failedAsTold, noAnswer, refused } from '../../src/cli/cliError.ts'
import { attackAgents } from './redteamAgents.ts'
import { teach, withJson, withUnused } from '../../src/cli/commonOptions.ts'
import { labCommandTexts } from '../../src/cli/laboratory.ts'
import { paint, printJson } from '../../src/cli/terminal.ts'
import type { Terminal } from '../../src/cli/terminal.ts'

interface Options {
  readonly url: string
  readonly clientKeyFile?: string
  readonly simUrl?: string
  readonly only?: string
  readonly kill?: boolean
  readonly list?: boolean
  readonly mcp?: boolean
  readonly json?: boolean
}

export function redteamCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('redteam')
    .description(labCommandTexts.redteam)
    .option('--url <url>', 'the Guard to attack', 'http://127.0.0.1:8547')
    .option('--client-key-file <file>', 'a client key of that Guard')
    .option('--sim-url <url>', 'the simulator behind it, with control: its log has the last word')
    .option('--only <name>', 'only attacks whose group or name contains this')
    .option('--kill', 'also pulls the kill switch, last; a person has to release it afterwards')
    .option('--mcp', 'attacks through the server for agents instead, as a model gone bad')
    .option('--list', 'prints the attacks and does nothing')
    .action(async (options: Options) => {
      if (options.list === true) printList(options, terminal)
      else await attackGuard(options, terminal)
    })
  teach(
    withUnused(withJson(command), '--home <dir>'),
    [
      'guard redteam --client-key-file client.key',
      'guard redteam --client-key-file client.key --sim-url http://127.0.0.1:3001 --kill',
      'guard redteam --mcp --client-key-file client.key --sim-url http://127.0.0.1:3001',
      'guard redteam --list --only stops',
    ],
    'docs/security.md says what each group of attacks is about',
  )
}

function printList({ only, json, mcp }: Options, terminal: Terminal): void {
  const all: readonly (Attack | McpAttack)[] = mcp === true ? mcpAttacks : attacks
  const found = all.filter(({ group, name }) => `${group} ${name}`.includes(only ?? ''))
  if (json === true)
    printJson(
      terminal,
      found.map(({ group, name, tries }) => ({ group, name, tries })),
    )
  else for (const { group, name, tries } of found) terminal.out(`${group}: ${name}: ${tries}\n`)
}

async function attackGuard(options: Options, terminal: Terminal): Promise<void> {
  const pen = await penOf(options.clientKeyFile)
  const isJson = options.json === true
  let report: RedteamReport
  try {
    const target = {
      url: checkedUrl(options.url),
      pen,
      simUrl: options.simUrl === undefined ? null : checkedUrl(options.simUrl),
      ...(options.only === undefined ? {} : { only: options.only }),
      onResult: (result: AttackResult) => {
        if (!isJson) terminal.out(`${coloured(result.outcome, resultLine(result))}\n`)
      },
    }
    const memoryBytesMax = limits.residentBytesMax
    report =
      options.mcp === true
        ? await attackAgents(target)
        : await runRedteam({ ...target, withKill: options.kill === true, memoryBytesMax })
  } catch (error) {
    if (error instanceof RefusedTarget) throw refused(`${error.message}; nothing was tried`)
    if (error instanceof Error && 'code' in error) {
      throw noAnswer(`no Guard answers at ${options.url} (${error.message})`)
    }
    throw error
  }
  if (report.results.length === 0) throw refused(`no attack is called ${options.only ?? ''}`)
  if (isJson) printJson(terminal, report)
  else terminal.out(`${summaryText(report)}\n`)
  if (!everythingHeld(report)) throw failedAsTold('not everything held')
}

async function penOf(file: string | undefined): Promise<Pen> {
  if (file === undefined) throw refused('--client-key-file names a file with a client key')
  const text = readSecretFile(file)
  if (!text.ok) throw refused(text.error)
  const key = parsePrivateKey(text.value)
  if (!key.ok) throw refused(`${file} ${key.error}`)
  return new Pen(await loadCrypto(), key.value)
}

function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url?.protocol !== 'http:' || url.port === '') {
    throw refused(`${text} must be an address such as http://127.0.0.1:8547`)
  }
  return url.origin
}

function coloured(outcome: string, line: string): string {
  if (outcome === 'held') return line
  return paint(outcome === 'skipped' ? 'gray' : 'red', line)
}
