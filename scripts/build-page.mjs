// Bundles the monitor page into dist/monitor: one script, one style sheet, nothing from elsewhere.
import { copyFileSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const source = join(root, 'src', 'monitor', 'page')
const target = join(root, 'dist', 'monitor')

export async function buildPage(build) {
  mkdirSync(target, { recursive: true })
  const built = await build({
    entryPoints: [join(source, 'main.tsx')],
    outfile: join(target, 'page.js'),
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
  for (const file of ['index.html', 'icon.svg'])
    copyFileSync(join(source, file), join(target, file))
  return built
}

if (import.meta.filename === process.argv[1]) await buildPage((await import('esbuild')).build)
