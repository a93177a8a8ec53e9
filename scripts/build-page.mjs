// Bundles the monitor page and the fleet's page into dist/monitor: of each one script, one style sheet,
// nothing from elsewhere.
import { copyFileSync, mkdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const source = join(root, 'src', 'monitor', 'page')
const target = join(root, 'dist', 'monitor')

export async function buildPage(build) {
  mkdirSync(target, { recursive: true })
  const built = await build({
    entryPoints: {
      page: join(source, 'main.tsx'),
      fleet: join(source, 'fleet', 'main.tsx'),
    },
    outdir: target,
    bundle: true,
    minify: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    absWorkingDir: root,
  })
  for (const file of ['index.html', 'icon.svg', 'fleet/fleet.html'])
    copyFileSync(join(source, file), join(target, basename(file)))
  return built
}

if (import.meta.filename === process.argv[1]) await buildPage((await import('esbuild')).build)
