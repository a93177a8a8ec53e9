// Runs the fuzzer.
import { bundled } from './bundled.mjs'
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
const { fuzzAll } = await bundled('test', 'fuzz', 'main.ts')
const ended = await fuzzAll(values)
if (typeof ended === 'string') refuse(usage, ended)
process.exit(ended)
