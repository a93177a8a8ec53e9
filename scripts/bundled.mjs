import { mkdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = resolve(import.meta.dirname, '..')

/** What a TypeScript file of this repository exports: bundled for this run alone, so that many can run at once. */
export async function bundled(...path) {
  const outfile = join(root, 'node_modules', '.cache', 'bundled', `${process.pid}.mjs`)
  mkdirSync(dirname(outfile), { recursive: true })
  await build({
    entryPoints: [join(root, ...path)],
    outfile,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'warning',
    sourcemap: 'inline',
    // Where the native part of the signing is looked for.
    define: { 'import.meta.dirname': JSON.stringify(join(root, 'src', 'crypto')) },
  })
  try {
    return await import(pathToFileURL(outfile).href)
  } finally {
    rmSync(outfile, { force: true })
  }
}
