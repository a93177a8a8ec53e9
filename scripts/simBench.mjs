// Measures the simulator's engine alone: orders a second, and the heap early and late.
import { bundled } from './bundled.mjs'
import { toolOptions } from './toolOptions.mjs'

const usage = `npm run sim-bench -- [options]

Sends orders of eight accounts into an engine in this process, a quarter of which take, and prints
how many it took a second, and its heap after a tenth of them and after all.

  --orders N       in all (1000000)`

const { values } = toolOptions(usage, { orders: { least: 10, usual: 1_000_000 } })
const { benchSimulator, benchText } = await bundled('lab', 'sim', 'bench.ts')
console.log(benchText(benchSimulator(values.orders)))
