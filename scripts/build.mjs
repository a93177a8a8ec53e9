// Builds everything that runs: the command line in one bundled file, the reading client, the
// monitor page. `--types` also checks and emits types, for a package; `--if-missing` does nothing
// when a build is already there.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { buildPage } from './build-page.mjs'

const root = resolve(import.meta.dirname, '..')
const bundle = join(root, 'dist', 'guard.mjs')
if (process.argv.includes('--if-missing') && existsSync(bundle)) process.exit(0)

const started = performance.now()
if (process.argv.includes('--types'))
  step('types', () => run(join(root, 'node_modules', 'typescript', 'bin', 'tsc'), ['-b']))
const { build } = await import('esbuild')
await step('command line', () =>
  build({
    entryPoints: [join(root, 'src', 'cli', 'main.ts')],
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    sourcemap: 'linked',
    legalComments: 'none',
    // Native parts stay packages of their own; everything else is in the file.
    external: [
      '@photostructure/sqlite',
      'secp256k1',
      'secp256k1/*',
      'bufferutil',
      'utf-8-validate',
    ],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
    logLevel: 'warning',
  }),
)
await step('monitor page', () => buildPage(build))
chmodSync(join(root, 'bin', 'guard'), 0o755)
console.log(`built in ${((performance.now() - started) / 1000).toFixed(1)} s`)

function step(name, task) {
  process.stdout.write(`building ${name}\n`)
  return task()
}

function run(script, args) {
  const { status } = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
