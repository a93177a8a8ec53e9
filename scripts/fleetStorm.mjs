// Runs the storm of fleets.
import { bundled } from './bundled.mjs'
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
const { fleetStorm } = await bundled('lab', 'fleetStorm', 'main.ts')
const { seed: first, seeds: count, trace: isTraced } = values
process.exit(await fleetStorm({ first, count, isTraced, keepsGoing: values['keep-going'] }))
