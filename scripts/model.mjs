// Bundles the model of the order life cycle with the simulator's engine and compares them.
import { mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { toolOptions } from './toolOptions.mjs'

const usage = `npm run model -- [options]

Drives the simulator's engine and a model of the order life cycle, which shares nothing with it, with
the same random steps, and compares all they say after each. Each seed has its own readings of the
points that nobody could verify. The first difference is printed with the steps that led to it.

  --steps N        in all (100000)
  --seed S         of the first run (1)`

const { values } = toolOptions(usage, {
  steps: { least: 1, usual: 100_000 },
  seed: { least: 0, usual: 1 },
})
const root = resolve(import.meta.dirname, '..')
const outfile = join(root, 'node_modules', '.cache', 'model', `${process.pid}.mjs`)
mkdirSync(dirname(outfile), { recursive: true })
await build({
  entryPoints: [join(root, 'lab', 'sim', 'model', 'main.ts')],
  outfile,
  bundle: true,
  packages: 'external',
  platform: 'node',
  format: 'esm',
  target: 'node20',
  logLevel: 'warning',
})
const { compareAll } = await import(pathToFileURL(outfile).href)
process.exit(compareAll(values, (line) => console.log(line)))
