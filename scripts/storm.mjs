// Bundles the storm into dist/storm.mjs and runs it; every argument goes to it.
import { join, resolve } from 'node:path'
import { build } from 'esbuild'
import { nodeProgram } from './nodeProgram.mjs'

const root = resolve(import.meta.dirname, '..')
const outfile = join(root, 'dist', 'storm.mjs')
const entryPoints = [join(root, 'src', 'storm', 'main.ts')]
await build({ ...nodeProgram, entryPoints, outfile, sourcemap: 'inline' })
const { storm } = await import(outfile)
process.exit(await storm(process.argv.slice(2)))
