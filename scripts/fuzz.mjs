// Bundles the fuzzer and runs it.
import { mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { refuse, toolOptions } from './toolOptions.mjs'

const usage = `npm run fuzz -- [options]

Fuzzes everything that reads what others write. No input may crash a reader, take longer than 50 ms,
or be judged as something else than what is forwarded. A failure prints the input; the seed gives the
same inputs again.

  --inputs N       in all, shared among the readers (1000000)
  --seed S         of the inputs (1)
  --only NAME      the readers with this in their names
  --json           one line of JSON for each reader`

const { values } = toolOptions(usage, {
  inputs: { least: 1, usual: 1_000_000 },
  seed: { least: 0, usual: 1 },
  only: 'text',
  json: 'flag',
})
const root = resolve(import.meta.dirname, '..')
const outfile = join(root, 'node_modules', '.cache', 'fuzz', `${process.pid}.mjs`)
mkdirSync(dirname(outfile), { recursive: true })
await build({
  entryPoints: [join(root, 'test', 'fuzz', 'main.ts')],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
  define: { 'import.meta.dirname': JSON.stringify(join(root, 'src', 'crypto')) },
})
const { fuzzAll } = await import(pathToFileURL(outfile).href)
const ended = await fuzzAll(values)
if (typeof ended === 'string') refuse(usage, ended)
process.exit(ended)
