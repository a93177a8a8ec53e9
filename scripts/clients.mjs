// The client suite: unmodified clients against a Guard and the simulator, then the page made of it.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
rmSync(join(root, 'tmp', 'clients'), { recursive: true, force: true })
const run = (...args) =>
  spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1
const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
// Guard serves its page from the build.
if (run('scripts/build.mjs', '--if-missing') !== 0) process.exit(1)
const only = process.argv.slice(2).filter((each) => each !== '--write')
const failed = run(vitest, 'run', '-c', 'test/clients/vitest.config.ts', ...only)
if (failed !== 0 || only.length > 0) process.exit(failed)
process.exit(run('scripts/clients-matrix.mjs', ...process.argv.slice(2)))
