import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Command } from 'commander'
import { parsePrivateKey } from '../../config/privateKey.ts'
import { readSecretFile } from '../../config/secretFile.ts'
import { exposedWords } from '../../gateway/gatewayOptions.ts'
import type { serveMcp, ServeOptions } from '../../mcp/serveMcp.ts'
import { failed, noAnswer, refused } from '../cliError.ts'
import { teach, withHome, withJson } from '../commonOptions.ts'
import type { CommonOptions } from '../commonOptions.ts'
import { endSignal } from '../endSignal.ts'
import { exposedListen } from '../exposedListen.ts'
import { findStateDir, homeOf } from '../homeConfig.ts'
import { announcedAddress } from '../runningAddress.ts'
import { printJson } from '../terminal.ts'
import type { Terminal } from '../terminal.ts'
import { version } from '../version.ts'

interface McpOptions extends CommonOptions {
  readonly url?: string
  readonly trade?: boolean
  readonly clientKeyFile?: string
  readonly guardTokenFile?: string
  readonly http?: string
  readonly tokenFile?: string
  readonly expose?: string
  readonly exposeHost?: readonly string[]
}

const usualUrl = 'http://127.0.0.1:8547'

export function mcpCommand(program: Command, terminal: Terminal): void {
  const command = program
    .command('mcp')
    .description('hand the account to a language model, within the rules: a server for MCP hosts')
    .option('--url <url>', `the running Guard (default: the one of the home, else ${usualUrl})`)
    .option('--client-key-file <file>', 'the agent’s client key, 0600: adds the kill switch')
    .option('--trade', 'also place, change, cancel and close orders as that client')
    .option(
      '--http <host:port>',
      'serve over HTTP, path /mcp, instead of standard input and output',
    )
    .option('--token-file <file>', 'with --http: the token that hosts must bring, 0600')
    .option(
      '--guard-token-file <file>',
      'Guard’s own read token, where it listens beyond its machine',
    )
    .option('--expose <words>', `with --http beyond this machine: "${exposedWords}"`)
    .option('--expose-host <names...>', 'the names by which other machines may call it')
    .action((options: McpOptions) => serve(options, terminal))
  teach(
    withJson(withHome(command)),
    [
      'guard mcp                                              look, preview and explain',
      'guard client add --name agent --out agent.key          a client key of the agent’s own',
      'guard mcp --trade --client-key-file agent.key          also trade, judged like any bot',
      'guard mcp --http 127.0.0.1:8549 --token-file mcp.token',
    ],
    'docs/agents.md has what to paste into the usual hosts; an agent can never release, resume or change a rule',
  )
}

async function serve(options: McpOptions, terminal: Terminal): Promise<void> {
  const key = keyOf(options)
  const serveOptions: ServeOptions = {
    url: guardAddress(options, terminal),
    guardToken: options.guardTokenFile === undefined ? null : secretIn(options.guardTokenFile),
    key,
    mayTrade: options.trade === true,
    version,
    http: httpOf(options),
  }
  const { serveMcp: start } = (await import(bundleUrl())) as { serveMcp: typeof serveMcp }
  const end = endSignal()
  const served = await started(() => start(serveOptions), options)
  if (served.url !== null) {
    const { url } = served
    if (options.json === true) printJson(terminal, { mcp: { url, guard: serveOptions.url } })
    else terminal.out(`serving agents at ${url}\nGuard is at ${serveOptions.url}\n`)
  }
  await Promise.race([end.first, served.ended])
  end.release()
  await served.close()
}

async function started<T>(start: () => Promise<T>, { http }: McpOptions): Promise<T> {
  try {
    return await start()
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw failed(`${http ?? ''} is taken`, ['choose another one with: --http 127.0.0.1:PORT'])
    }
    throw error
  }
}

/** The program is a file of its own: the process that holds the venue's key never loads it. */
function bundleUrl(): string {
  const file = join(dirname(fileURLToPath(import.meta.url)), 'mcp.mjs')
  if (existsSync(file)) return pathToFileURL(file).href
  throw failed('guard mcp is in dist/mcp.mjs, and that is not there', ['in a clone: npm run build'])
}

function keyOf({ clientKeyFile, trade }: McpOptions): Uint8Array | null {
  if (clientKeyFile === undefined) {
    if (trade === true) {
      throw refused('--trade needs the client key of the agent: --client-key-file FILE', [
        'make one with: guard client add --name agent --out FILE',
      ])
    }
    return null
  }
  const key = parsePrivateKey(secretIn(clientKeyFile))
  if (!key.ok) throw refused(`${clientKeyFile} ${key.error}`)
  return key.value
}

function secretIn(file: string): string {
  const text = readSecretFile(file)
  if (!text.ok) throw refused(text.error)
  return text.value.trim()
}

function guardAddress(options: McpOptions, terminal: Terminal): string {
  if (options.url !== undefined) {
    const url = URL.canParse(options.url) ? new URL(options.url) : null
    if (url?.protocol === 'http:') return url.origin
    throw refused(`--url ${options.url} must be an address such as ${usualUrl}`)
  }
  const home = homeOf(options, terminal)
  const announced = announcedAddress(findStateDir(home))
  if (announced !== null) return announced
  if (options.home === undefined) return usualUrl
  throw noAnswer(`no Guard runs on ${home.path}`, [
    'start it with: guard run',
    `or say where it will listen: --url ${usualUrl}`,
  ])
}

function httpOf(options: McpOptions): ServeOptions['http'] {
  const { http, tokenFile, ...wishes } = options
  if (http === undefined) {
    if (tokenFile !== undefined) throw refused('--token-file is for --http HOST:PORT')
    return null
  }
  if (tokenFile === undefined) {
    throw refused('--http needs a token that hosts must bring: --token-file FILE', [
      'make one with: (umask 077; openssl rand -hex 32 > mcp.token)',
    ])
  }
  return exposedListen('--http', http, { tokenFile, ...wishes })
}
