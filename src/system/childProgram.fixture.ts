import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { build } from 'esbuild'

/** A source file as a program that a process of its own can run. */
export interface ChildProgram {
  readonly path: string
  /** Where it lies, alone; what it writes may lie beside it. */
  readonly folder: string
  readonly remove: () => void
}

/** Bundles a source file, with some packages taken from elsewhere. */
export async function childProgram(
  source: string,
  alias: Record<string, string> = {},
): Promise<ChildProgram> {
  const [name = ''] = basename(source).split('.')
  const { outputFiles } = await build({
    entryPoints: [source],
    write: false,
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    alias,
  })
  // Packages stay outside, and are found from within their own folder.
  const folder = mkdtempSync(join(import.meta.dirname, `../../node_modules/.child-${name}-`))
  const path = join(folder, `${name}.mjs`)
  for (const { contents } of outputFiles) writeFileSync(path, contents)
  const remove = (): void => {
    rmSync(folder, { recursive: true, force: true })
  }
  return { path, folder, remove }
}
