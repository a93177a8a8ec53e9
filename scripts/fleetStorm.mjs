// Bundles the storm of fleets into dist/fleetStorm.mjs and runs it.
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { nodeProgram } from './nodeProgram.mjs'
import { toolOptions } from './toolOptions.mjs'

const usage = `npm run fleet-storm -- [options]

Two to eight Guards of a fleet and a model of its store in worlds full of faults; every world is its
seed (docs/reliability.md).

  --seed N         the first seed (1)
  --seeds COUNT    so many worlds, one for each seed (1)
  --keep-going     also after a world that failed
  --trace          all that happens`

const { values } = toolOptions(usage, {
  seed: { least: 0, usual: 1 },
  seeds: { least: 1, usual: 1 },
  'keep-going': 'flag',
  trace: 'flag',
})
const root = resolve(import.meta.dirname, '..')
const outfile = join(root, 'dist', 'fleetStorm.mjs')
const entryPoints = [join(root, 'lab', 'fleetStorm', 'main.ts')]
await build({ ...nodeProgram, entryPoints, outfile, sourcemap: 'inline' })
const { fleetStorm } = await import(outfile)
const { seed: first, seeds: count, trace: isTraced } = values
process.exit(await fleetStorm({ first, count, isTraced, keepsGoing: values['keep-going'] }))
