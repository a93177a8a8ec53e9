// Compares the simulator's engine with the model of the order life cycle.
import { bundled } from './bundled.mjs'
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
const { compareAll } = await bundled('lab', 'sim', 'model', 'main.ts')
process.exit(compareAll(values, (line) => console.log(line)))
