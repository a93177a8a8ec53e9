// Builds everything that runs: the command line in one bundled file, the laboratory in another, the
// reading client, the monitor page.
//
//   --types      also checks the types and lays out those of the client, for a package
//   --if-stale   does nothing when every output is there and newer than src, lab and the lock file
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { buildPage } from './build-page.mjs'
import { nodeProgram } from './nodeProgram.mjs'
import { writeNotices } from './notices.mjs'

const root = resolve(import.meta.dirname, '..')
const dist = join(root, 'dist')
const bundle = join(dist, 'guard.mjs')
const labBundle = join(dist, 'lab.mjs')

if (process.argv.includes('--if-stale') && !isStale()) process.exit(0)

const started = performance.now()
if (process.argv.includes('--types')) {
  step('types', () => run(join(root, 'node_modules', 'typescript', 'bin', 'tsc'), ['-b']))
  layOutTypes('client/client.d.ts')
}
const { build } = await import('esbuild')
const common = {
  bundle: true,
  format: 'esm',
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  absWorkingDir: root,
  // Names stay, so that a stack trace in a report can be read.
  minifyWhitespace: true,
  minifySyntax: true,
}
const lab = await step('laboratory', () => buildProgram(join('lab', 'main.ts'), labBundle))
const program = await step('command line', () =>
  buildProgram(join('src', 'cli', 'main.ts'), bundle),
)
const client = await step('client', () =>
  build({
    ...common,
    entryPoints: [join(root, 'src', 'client', 'client.ts')],
    outfile: join(dist, 'client.js'),
    platform: 'neutral',
    target: 'es2022',
  }),
)
const page = await step('monitor page', () => buildPage(build))
writeNotices(
  [program, lab, client, page].map(({ metafile }) => metafile),
  root,
  dist,
)
writeInputs({ 'guard.mjs': program, 'lab.mjs': lab })
chmodSync(join(root, 'bin', 'guard'), 0o755)
console.log(`built in ${((performance.now() - started) / 1000).toFixed(1)} s`)

async function buildProgram(entry, outfile) {
  const entryPoints = [join(root, entry)]
  const made = await build({ ...nodeProgram, ...common, entryPoints, outfile: `${outfile}.next` })
  // In one step: a program that starts meanwhile finds the old build or the new one.
  renameSync(`${outfile}.next`, outfile)
  return made
}

/** Which files went into each program; a test reads there that no laboratory is in Guard's. */
function writeInputs(programs) {
  const inputs = Object.entries(programs).map(([name, { metafile }]) => [
    name,
    Object.keys(metafile.inputs).sort(),
  ])
  writeFileSync(
    join(dist, 'inputs.json'),
    `${JSON.stringify(Object.fromEntries(inputs), null, 1)}\n`,
  )
}

/** Whether a source is newer than the build. */
function isStale() {
  const others = ['client.js', 'inputs.json', 'monitor/page.js', 'THIRD-PARTY.txt']
  const made = [bundle, labBundle, ...others.map((file) => join(dist, file))]
  if (!made.every((file) => existsSync(file))) return true
  const built = statSync(bundle).mtimeMs
  const sources = ['src', 'lab'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(tsx?|css|html|svg)$/.test(file) && !/\.(test|fixture)\.ts$/.test(file))
      .map((file) => join(root, folder, file)),
  )
  return [...sources, join(root, 'package-lock.json')].some(
    (file) => statSync(file).mtimeMs > built,
  )
}

/** The declarations an entry needs, copied to dist/types as a package's own files name each other. */
function layOutTypes(entry) {
  const target = join(dist, 'types')
  rmSync(target, { recursive: true, force: true })
  const wanted = [join(dist, entry)]
  const seen = new Set()
  while (wanted.length > 0) {
    const file = wanted.pop()
    if (seen.has(file)) continue
    seen.add(file)
    const text = readFileSync(file, 'utf8').replace(/^\/\/# sourceMappingURL=.*\n?/m, '')
    const moved = text.replace(
      /(from |import\()(['"])(\.[^'"]+)\.ts\2/g,
      (_all, before, quote, path) => {
        wanted.push(join(dirname(file), `${path}.d.ts`))
        return `${before}${quote}${path}.js${quote}`
      },
    )
    const to = join(target, relative(dist, file))
    mkdirSync(dirname(to), { recursive: true })
    writeFileSync(to, moved)
  }
}

function step(name, task) {
  process.stdout.write(`building ${name}\n`)
  return task()
}

function run(script, args) {
  const { status } = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
