import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { toolOptions } from './toolOptions.mjs'

const usage = `npm run sbom -- [file]

Writes what Guard is made of as CycloneDX JSON: every package that is installed with it or bundled
into it, with its version, licence and hash, from the lock file. Standard output without a file.`

const { paths } = toolOptions(usage, {}, process.argv.slice(2), true)
const root = resolve(import.meta.dirname, '..')
const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only']
const { status, stdout, stderr } = spawnSync('npm', args, {
  cwd: root,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
})
if (status !== 0) {
  process.stderr.write(stderr)
  process.exit(1)
}
spawnSync(process.execPath, [join(root, 'scripts', 'build.mjs'), '--if-stale'], { cwd: root })
const bundled = new Set(
  JSON.parse(readFileSync(join(root, 'dist', 'bundled.json'), 'utf8')).map(
    ({ name, version }) => `${name}@${version}`,
  ),
)
const isPart = (component) =>
  bundled.has(`${component.name}@${component.version}`) ||
  !component.properties?.some(({ name }) => name === 'cdx:npm:package:development')
const whole = JSON.parse(stdout)
const components = whole.components.filter(isPart)
const refs = new Set([
  ...components.map((each) => each['bom-ref']),
  whole.metadata.component['bom-ref'],
])
const dependencies = whole.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn = [] }) => ({
    ref,
    dependsOn: dependsOn.filter((each) => refs.has(each)),
  }))
const sbom = { ...whole, components, dependencies }
const [file] = paths
const text = `${JSON.stringify(sbom, null, 2)}\n`
if (file === undefined) process.stdout.write(text)
else {
  writeFileSync(file, text)
  process.stdout.write(`${file}: ${sbom.components.length} components\n`)
}
