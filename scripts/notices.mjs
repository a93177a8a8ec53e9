// Writes down whose code is inside the bundles: names and versions for the bill of materials, and
// their licences in full for the package, as each of them asks for.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** `metafiles` are esbuild's own accounts of what went into each bundle. */
export function writeNotices(metafiles, root, dist) {
  const packages = [...bundledPackages(metafiles)].sort().map((path) => describe(root, path))
  writeFileSync(join(dist, 'bundled.json'), `${JSON.stringify(packages.map(named), null, 2)}\n`)
  const text = packages.map(({ name, version, license, notice }) =>
    [`${name} ${version} (${license})`, '', notice.trim(), ''].join('\n'),
  )
  writeFileSync(
    join(dist, 'THIRD-PARTY.txt'),
    [`Guard contains the code of these packages.\n`, ...text].join(`\n${'-'.repeat(72)}\n\n`),
  )
}

function bundledPackages(metafiles) {
  const inputs = metafiles.flatMap(({ inputs: files }) => Object.keys(files))
  return new Set(
    inputs.flatMap((file) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1] ?? []),
  )
}

function describe(root, path) {
  const folder = join(root, path)
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)(\.|$)/i.test(each))
  const notice =
    file !== undefined && existsSync(join(folder, file))
      ? readFileSync(join(folder, file), 'utf8')
      : `Licensed under ${license}.`
  return { name, version, license, notice, path }
}

function named({ name, version, license, path }) {
  return { name, version, license, path }
}
