// Bundles the storm into dist/storm.mjs and runs it; every argument goes to it.
import { join, resolve } from 'node:path'
import { build } from 'esbuild'

const root = resolve(import.meta.dirname, '..')
const outfile = join(root, 'dist', 'storm.mjs')
await build({
  entryPoints: [join(root, 'src', 'storm', 'main.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: 'inline',
  external: ['@photostructure/sqlite', 'secp256k1', 'secp256k1/*', 'bufferutil', 'utf-8-validate'],
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
  logLevel: 'warning',
})
const { storm } = await import(outfile)
process.exit(await storm(process.argv.slice(2)))
