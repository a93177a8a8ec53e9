// Writes what Guard is made of as CycloneDX JSON: every package that runs, with its version, licence
// and hash, from the lock file.
//
//   node scripts/sbom.mjs [file]        standard output without a file
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const args = ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only']
const { status, stdout, stderr } = spawnSync('npm', args, {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
})
if (status !== 0) {
  process.stderr.write(stderr)
  process.exit(1)
}
const sbom = JSON.parse(stdout)
const [file] = process.argv.slice(2)
const text = `${JSON.stringify(sbom, null, 2)}\n`
if (file === undefined) process.stdout.write(text)
else {
  writeFileSync(file, text)
  process.stdout.write(`${file}: ${sbom.components.length} components\n`)
}
