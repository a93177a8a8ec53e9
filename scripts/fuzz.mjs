// Fuzzes everything that reads what others write:
//
//   npm run fuzz -- [--inputs N] [--seed S] [--only PART_OF_A_NAME] [--json]
//
// No input may crash a reader, take longer than 50 ms, or be judged as something else than what is
// forwarded. A failure prints the input; the seed gives the same inputs again.
import { mkdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

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
await import(pathToFileURL(outfile).href)
