// Runs the built program on other versions of Node, and judges recorded decisions again on each:
// the same journal has to give the same bytes everywhere.
//
//   node scripts/nodes.mjs [--versions 22,24] [--node "COMMAND"]... [--journal DIR]
//
// Versions come from the npm registry as node-linux-ARCH; --node names another command that runs
// JavaScript, such as an emulator with its arguments. Without --journal one is recorded first: the
// red team against a Guard on the simulator. Each Node also plays the whole demo.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { nodeProgram } from './nodeProgram.mjs'

const root = resolve(import.meta.dirname, '..')
const binary = join(root, 'bin', 'guard')
const { values } = parseArgs({
  options: {
    versions: { type: 'string', default: '22,24' },
    node: { type: 'string', multiple: true, default: [] },
    journal: { type: 'string' },
  },
})
const folder = mkdtempSync(join(tmpdir(), 'guard-nodes-'))
try {
  execFileSync(process.execPath, [join(root, 'scripts', 'build.mjs'), '--if-stale'])
  const replay = join(root, 'dist', 'replay.mjs')
  await bundle(replay)
  const versions = values.versions.split(',').filter((each) => each !== '')
  const nodes = [
    [process.execPath],
    ...versions.map((version) => [obtained(version)]),
    ...values.node.map((command) => command.split(' ')),
  ]
  const journal = values.journal ?? (await recorded())
  const results = []
  for (const node of nodes) results.push(await tried(node, replay, journal))
  console.table(results)
  const isSame = new Set(results.map(({ digest }) => digest)).size === 1
  const isWhole = results.every(({ different, demo }) => different === 0 && demo !== 'failed')
  console.log(isSame && isWhole ? 'the same on every Node' : 'NOT the same on every Node')
  process.exitCode = isSame && isWhole ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function bundle(outfile) {
  const entryPoints = [join(root, 'test', 'nodes', 'replay.ts')]
  await build({ ...nodeProgram, entryPoints, outfile })
}

/** The path of a Node of this version, fetched once. */
function obtained(version) {
  const place = join(root, 'tmp', 'nodes', version)
  const path = join(place, 'package', 'bin', 'node')
  if (existsSync(path)) return path
  mkdirSync(place, { recursive: true })
  const name = `node-${process.platform}-${process.arch}@${version}`
  const args = ['pack', '--silent', '--pack-destination', place, name]
  const [file] = execFileSync('npm', args, { encoding: 'utf8' }).trim().split('\n').slice(-1)
  execFileSync('tar', ['-xzf', join(place, file), '-C', place])
  rmSync(join(place, file))
  return path
}

/** A journal of many kinds of request: the red team's, against a Guard on the simulator. */
async function recorded() {
  const account = '0x14791697260e4c9a71f18484c9f997b308e59325'
  const wallet = secret('wallet.key', `0x${'c0ffee'.repeat(10)}dead`)
  const agent = '0x6b81802cfe55cb6273617bbc13f50e9a7ea8ef42'
  const pass = secret('pass', 'correct horse battery staple')
  const sim = started([
    'sim',
    '--json',
    '--control',
    '--port',
    '0',
    '--account',
    `${account}:10000:${agent}`,
  ])
  const simUrl = (await sim.until(/"url": "(http:[^"]+)"/))[1]
  const home = join(folder, 'home')
  const client = join(folder, 'client.key')
  guard(
    ...['init', '--home', home, '--mode', 'testnet', '--account', account, '--venue-url', simUrl],
    ...['--key-file', wallet, '--passphrase-file', pass, '--client-key-out', client],
  )
  const run = started(['run', '--home', home, '--listen', '127.0.0.1:0', '--json'], {
    GUARD_KEY_PASSPHRASE: 'correct horse battery staple',
  })
  const url = (await run.until(/"url":"(http:[^"]+)"/))[1]
  await run.until(/bots are served/)
  guard('redteam', '--url', url, '--client-key-file', client, '--sim-url', simUrl, '--json')
  await run.end()
  await sim.end()
  return join(home, 'state', 'journal')
}

/** What one Node makes of the journal, and of the demo. */
async function tried(node, replay, journal) {
  const [program, ...args] = node
  const { stdout, stderr } = spawnSync(program, [...args, replay, journal], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  })
  if (stdout.trim() === '') throw new Error(`${node.join(' ')}: ${stderr}`)
  const result = JSON.parse(stdout)
  const flags = ['demo', '--json', '--port', '0', '--sim-port', '0', '--speed', '5']
  const demo = started(flags, {}, node)
  await demo.until(/"over":true/)
  const code = await demo.end()
  const kinds = new Set([...demo.out.matchAll(/"kind":"([a-z]+)"/g)].map(([, kind]) => kind))
  const isWhole = ['decision', 'sent', 'protect', 'risk', 'flatten'].every((kind) =>
    kinds.has(kind),
  )
  return {
    ...result,
    digest: result.digest.slice(0, 16),
    demo: code === 0 && isWhole ? 'whole' : 'failed',
  }
}

function secret(name, text) {
  const path = join(folder, name)
  writeFileSync(path, `${text}\n`, { mode: 0o600 })
  return path
}

function guard(...args) {
  execFileSync(process.execPath, [binary, ...args], { maxBuffer: 1 << 28 })
}

/** A program that runs on, and what it prints. */
function started(args, env = {}, [program, ...before] = [process.execPath]) {
  const child = spawn(program, [...before, binary, ...args], { env: { ...process.env, ...env } })
  const closed = new Promise((done) => child.on('close', done))
  const self = {
    out: '',
    until: (pattern) =>
      new Promise((found, failed) => {
        const look = () => {
          const match = pattern.exec(self.out)
          if (match !== null) found(match)
        }
        child.stdout.on('data', look)
        child.stderr.on('data', look)
        closed.then((code) => failed(new Error(`${args[0]} ended with ${code}:\n${self.out}`)))
        look()
      }),
    end: () => {
      child.kill('SIGINT')
      return closed
    },
  }
  for (const stream of [child.stdout, child.stderr])
    stream.prependListener('data', (chunk) => (self.out += chunk))
  return self
}
